/** What plugins find wrong with the values of their keys, once the catalog is finished: each complaint stands at its place in the file. */
import type { Catalog, Resource } from '../catalog/catalog.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import type { BoundKey } from './extensions.ts'
import type { Resolution } from './resolution.ts'

/** The checks of every key that a plugin gives, as functions that may throw, with the plugin's name. */
export function keyChecks(
  { extensions, written }: Resolution,
  catalog: Catalog,
): readonly { readonly plugin: string; readonly run: () => readonly Diagnostic[] }[] {
  return [...catalog.resources.values()].flatMap((resource) =>
    Object.keys(resource.keys).flatMap((key) => {
      const check = extensions.keys.get(key)?.check
      const place = written.get(resource.name)?.document.place
      if (check === undefined || place === undefined) return []
      return [{ plugin: check.plugin, run: () => mistakes(check, catalog, resource, key, place) }]
    }),
  )
}

function mistakes(
  { plugin, run }: NonNullable<BoundKey['check']>,
  catalog: Catalog,
  resource: Resource,
  key: string,
  place: NonNullable<ReturnType<Resolution['written']['get']>>['document']['place'],
): readonly Diagnostic[] {
  return run(resource.keys[key] ?? null, catalog, resource).map(({ at = [], ...mistake }) => ({
    code: `${plugin}/wrong_${key}`,
    ...mistake,
    span: at.length === 0 ? place([key], 'key') : place([key, ...at]),
  }))
}
