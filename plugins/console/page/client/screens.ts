/** Screens by their names, and what they ask the server for. */
import type { Catalog, Named } from './catalog.ts'
import type { Condition, View } from './said.ts'

export type { Block, ButtonPart, Condition, ConsolePart, Layout, PartBlock, Tile, View } from './said.ts'

/** A screen that a menu or an address names: a list, or a view of it. */
export interface Place {
  readonly named: Named
  readonly view?: { readonly name: string; readonly view: View }
}

/** The place of `orders` or `orders/late`; undefined where there is none. */
export function placeNamed({ resources }: Catalog, screen: string): Place | undefined {
  const [name = '', viewName] = screen.split('/')
  const resource = Object.hasOwn(resources, name) ? resources[name] : undefined
  if (resource?.list?.own !== true) return undefined
  const named = { name, resource }
  if (viewName === undefined) return { named }
  const view = viewNamed(named, viewName)
  return view === undefined ? undefined : { named, view: { name: viewName, view } }
}

/** A view of a resource by its name. */
export function viewNamed({ resource: { views = {} } }: Named, name: string | null): View | undefined {
  return name !== null && Object.hasOwn(views, name) ? views[name] : undefined
}

/** Conditions that must all hold as one; undefined where there is none. */
export function allOf(conditions: readonly (Condition | undefined)[]): Condition | undefined {
  const there = conditions.filter((one) => one !== undefined)
  return there.length < 2 ? there[0] : { all: there }
}

/** The names that a request asks for, so that rows have these values: their first words, and what names a record. */
export function fieldsFor({ resource }: Named, paths: readonly string[]): string {
  const heads = [...resource.title, ...paths].map((path) => path.split('.')[0] ?? path)
  return [...new Set(['id', ...heads])].join(',')
}
