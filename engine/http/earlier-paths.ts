/** The paths that a renamed resource had: its routes stand there too, for clients of earlier versions. */
import type { Catalog } from '../catalog/catalog.ts'
import type { BoundRoute } from './parts.ts'
import { nameless } from './place.ts'

/** The routes under earlier paths, each beside the one that it stands for; none where a path is taken. */
export function earlierPaths(
  catalog: Pick<Catalog, 'resources'>,
  routes: readonly BoundRoute[],
): readonly BoundRoute[] {
  const renamed = [...catalog.resources.values()].flatMap(({ earlier, path }) =>
    earlier?.path === undefined || earlier.own === undefined || earlier.path === path
      ? []
      : [{ now: path.split('/'), before: earlier.path, own: earlier.own }],
  )
  if (renamed.length === 0) return []
  const shape = ({ method }: BoundRoute, path: string) => `${method} ${nameless(path)}`
  const taken = new Set(routes.map((route) => shape(route, route.path)))
  return routes.flatMap((route) => {
    if (route.absolute === true) return []
    return renamed.flatMap(({ before, now, own }) => {
      const path = replaced(route.path.slice(1).split('/'), now, before)
      if (path === undefined || taken.has(shape(route, path))) return []
      taken.add(shape(route, path))
      return [{ ...route, path, earlier: { ...own, path: before } }]
    })
  })
}

/** A path with the earlier segment where the present ones stand, at its head or behind a record; undefined where they do not. */
function replaced(segments: readonly string[], now: readonly string[], before: string): string | undefined {
  const at = segments.findIndex(
    (_, start) =>
      (start === 0 || segments[start - 1]?.startsWith('{') === true) &&
      now.every((segment, i) => segments[start + i] === segment),
  )
  if (at === -1) return undefined
  return `/${[...segments.slice(0, at), before, ...segments.slice(at + now.length)].join('/')}`
}
