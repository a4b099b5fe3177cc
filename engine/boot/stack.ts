/** Lays applications over each other, the lowest first: their app.yaml, and their resources over those of plugins. */
import type { Document } from '../definition/definition.ts'
import { type DocumentNode, entriesOf, isMapNode, itemsOf, listOf, mapOf, within } from '../definition/document-node.ts'
import type { Json } from '../json.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import type { Source } from '../text/source.ts'
import { extendApp, extendResources, type Replaced } from './extend-resource.ts'
import type { ParsedFiles } from './parse-files.ts'
import { withoutIdleWords } from './policy-words.ts'
import { appWithout, type LeftOut, leftOut, resourcesWithout } from './without.ts'

/** What applications that lie over each other come to, with what the higher ones replace. */
export interface Stacked<T> extends Required<Collected<T>> {
  readonly replaced: readonly Replaced[]
}

type Layer = Pick<ParsedFiles, 'app' | 'resources' | 'ofApp'>

/** The app.yaml of all; without a value where none can be read. */
export function stackedApps(layers: readonly Layer[]): Collected<Document<unknown>> & Pick<Stacked<never>, 'replaced'> {
  const diagnostics = layers.flatMap(({ ofApp }) => ofApp)
  const replaced: Replaced[] = []
  let value: Document<unknown> | undefined
  for (const { app } of layers) {
    if (app === undefined) continue
    if (value === undefined) diagnostics.push(...leftOut(app).map(nothingBelow))
    value =
      value === undefined
        ? app
        : extendApp(appWithout(value, leftOut(app), { diagnostics, replaced }), app, {
            brought: new Set(),
            diagnostics,
            replaced,
          })
  }
  return { ...(value === undefined ? {} : { value }), diagnostics, replaced }
}

function nothingBelow({ span }: LeftOut): Diagnostic {
  const message = 'There is no application below this one whose parts could be left out'
  return { code: 'unknown_part', message, span, hint: 'write extends: plinth/desk, or take "without" away' }
}

/** The resources of all, laid over those of plugins. */
export function stackedResources(
  plugins: readonly Document<unknown>[],
  layers: readonly Layer[],
  brought: ReadonlySet<Source>,
): Stacked<readonly Document<unknown>[]> {
  const diagnostics: Diagnostic[] = []
  const replaced: Replaced[] = []
  let value = plugins
  for (const [index, { app, resources }] of layers.entries()) {
    const entries = index === 0 || app === undefined ? [] : leftOut(app)
    const left = resourcesWithout(value, entries, plugins, { diagnostics, replaced })
    value = extendResources(left, resources, { brought, diagnostics, replaced })
  }
  return { value: value.map((one) => withoutIdleWords(one, diagnostics)), diagnostics, replaced }
}

/** The words for permissions that plugins bring. */
export interface KnownPermissions {
  readonly permissions: ReadonlyMap<string, unknown>
  readonly keys: ReadonlyMap<string, { readonly permissions: (value: Json) => readonly string[] }>
}

/**
 * The resources, whose seeded rows of applications below lose the permissions that nothing here asks for any more: what
 * named them is left out or replaced. A permission that the highest application seeds stays, to be judged.
 */
export function withoutIdlePermissions(
  resources: readonly Document<unknown>[],
  app: Document<unknown> | undefined,
  { permissions, keys }: KnownPermissions,
  own: ReadonlySet<Source>,
): readonly Document<unknown>[] {
  const byKeys = resources.flatMap((one) =>
    [...entriesOf(one)].flatMap(([key, { value }]) => keys.get(key)?.permissions(value as Json) ?? []),
  )
  const asked = new Set([
    ...permissions.keys(),
    ...byKeys,
    '*',
    ...[app, ...resources].flatMap((one) => askedIn(one?.value)),
  ])
  const isIdle = ({ value, place }: DocumentNode): boolean =>
    typeof value === 'string' && !asked.has(value) && !own.has(place([]).source)
  return resources.map((one) => withRows(one, (row, key) => (holdsPermissions(one, key) ? kept(row, isIdle) : row)))
}

function holdsPermissions(resource: Document<unknown>, key: string): boolean {
  return within(within(within(resource, 'fields'), key), 'holds').value === 'permission'
}

function kept(list: DocumentNode, isIdle: (item: DocumentNode) => boolean): DocumentNode {
  const items = itemsOf(list)
  return items.some(isIdle)
    ? listOf(
        items.filter((item) => !isIdle(item)),
        list,
      )
    : list
}

/** The resource with values of its seeded rows changed. */
function withRows(
  resource: Document<unknown>,
  change: (value: DocumentNode, key: string) => DocumentNode,
): Document<unknown> {
  const seeds = within(resource, 'seeds')
  const rows = within(seeds, 'rows')
  const changed = itemsOf(rows).map((row) =>
    isMapNode(row) ? mapOf(new Map([...entriesOf(row)].map(([key, value]) => [key, change(value, key)])), row) : row,
  )
  if (changed.length === 0) return resource
  const whole = mapOf(new Map([...entriesOf(seeds), ['rows', listOf(changed, rows)]]), seeds)
  return mapOf(new Map([...entriesOf(resource), ['seeds', whole]]), resource)
}

/** The permissions that a value names, wherever it does. */
function askedIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) =>
    key === 'permission' && typeof one === 'string' ? [one] : askedIn(one),
  )
}
