/** Renames of resources, fields and relations, and JSON with earlier names rewritten with present ones. */
import type { Catalog, Resource } from '../../catalog/catalog.ts'
import { singular } from '../../catalog/name.ts'
import { targetOf } from '../../catalog/stored.ts'
import { isObject, type Json, type JsonObject } from '../../json.ts'
import type { Step } from '../step.ts'
import type { Names, Table } from '../table.ts'

/** A resource, or a field or a relation of the one that has the table; `resource` is its present name. */
export type NameChange =
  | { readonly kind: 'resource'; readonly from: string; readonly to: string }
  | { readonly kind: 'field' | 'relation'; readonly resource: string; readonly from: string; readonly to: string }

export type Renamed = Extract<NameChange, { readonly kind: 'resource' }>

/** The permissions, by their earlier and their present name, that are asked for under the later name of a resource alone. */
export function renamedPermissions(
  { permissions }: Pick<Catalog, 'permissions'>,
  { from, to }: Renamed,
): readonly (readonly [string, string])[] {
  return [...permissions.keys()].flatMap((now): (readonly [string, string])[] => {
    const was = now.startsWith(`${to}.`) ? `${from}${now.slice(to.length)}` : now
    return permissions.has(was) ? [] : [[was, now]]
  })
}

/** The renames that the YAML mentions, resources first. */
export function nameChanges({ resources }: Catalog): readonly NameChange[] {
  const all = [...resources.values()]
  const renamed = all.flatMap(({ name, renamedFrom }): NameChange[] =>
    renamedFrom === undefined || resources.has(renamedFrom) ? [] : [{ kind: 'resource', from: renamedFrom, to: name }],
  )
  const parts = all.flatMap((resource): NameChange[] => {
    if (resource.owner !== resource.name) return []
    const among = (kind: 'field' | 'relation', values: Resource['fields'] | Resource['relations']) =>
      [...values.values()].flatMap(({ earlier, name }) =>
        earlier === undefined ? [] : [{ kind, resource: resource.name, from: name, to: earlier.instead }],
      )
    return [...among('field', resource.fields), ...among('relation', resource.relations)]
  })
  return [...renamed, ...parts]
}

/** Resource that has a table → earlier names of its fields and relations → their present names. */
export type PresentNames = ReadonlyMap<string, ReadonlyMap<string, string>>

/** The names of fields and relations, with the keys under which bodies have the ids of a many_to_many. */
export function namesOf({ resources }: Catalog, changes: readonly NameChange[]): PresentNames {
  const names = new Map<string, Map<string, string>>()
  for (const change of changes) {
    if (change.kind === 'resource') continue
    const { from, kind, resource, to } = change
    const known = names.get(resource) ?? new Map<string, string>()
    known.set(from, to)
    const relation = kind === 'relation' ? resources.get(resource)?.relations.get(to) : undefined
    if (relation?.kind === 'many_to_many') known.set(`${singular(from)}_ids`, relation.writeAs)
    names.set(resource, known)
  }
  return names
}

/** The same the other way round. */
export function turned(names: PresentNames): PresentNames {
  const turn = (known: ReadonlyMap<string, string>) => new Map([...known].map(([from, to]) => [to, from]))
  return new Map([...names].map(([resource, known]) => [resource, turn(known)]))
}

/** The context in which JSON is read. */
export interface Reading {
  readonly catalog: Catalog
  readonly names: PresentNames
}

/** Keys of a filter that contain other keys. */
const WITHIN = ['not', 'with_deleted', 'some', 'none', 'every', 'where']

/** A filter on the records of a resource with the present names; unknown keys stay as they are. */
export function presentFilter(reading: Reading, resource: Resource | undefined, filter: Json): Json {
  if (resource === undefined || !isObject(filter)) return filter
  const inside = (value: Json) => presentFilter(reading, resource, value)
  return withKeys(filter, (key, value) => {
    if (WITHIN.includes(key)) return [key, inside(value)]
    if (key === 'any' || key === 'all') return [key, Array.isArray(value) ? value.map(inside) : value]
    const { at, path } = presentPath(reading, resource, key)
    const among = at !== undefined && isObject(value) && Object.keys(value).some((word) => WITHIN.includes(word))
    return [path, among ? presentFilter(reading, at, value) : value]
  })
}

/**
 * Whether a resource has every field and relation at which a filter or values begin, by a present or an earlier name.
 */
export function isKnown(reading: Reading, resource: Resource, written: Json): boolean {
  if (Array.isArray(written)) return written.every((one: Json) => isKnown(reading, resource, one))
  if (!isObject(written)) return true
  return Object.entries(written).every(([key, value]) => {
    if (WITHIN.includes(key) || key === 'any' || key === 'all') return isKnown(reading, resource, value)
    const [written = ''] = key.split('.')
    // Files of before know no later name.
    const first = nameIn(reading, resource, written)
    return resource.fields.has(first) || resource.relations.has(first) || first.endsWith('_ids')
  })
}

function presentPath(reading: Reading, resource: Resource, path: string) {
  let at: Resource | undefined = resource
  const segments = path.split('.').map((segment) => {
    if (at === undefined) return segment
    const now: string = nameIn(reading, at, segment)
    const { relations }: Resource = at
    const relation = relations.get(now) ?? relations.get(segment)
    at = relation && targetOf(reading.catalog, relation)
    return now
  })
  return { at, path: segments.join('.') }
}

/** Values of a record by field names, with the records inside it; templates in them are about `of`. */
export function presentValues(reading: Reading, resource: Resource | undefined, values: Json, of = resource): Json {
  if (typeof values === 'string') return presentTemplate(reading, of, values)
  if (Array.isArray(values)) return values.map((one: Json) => presentValues(reading, resource, one, of))
  if (resource === undefined || !isObject(values)) return values
  return withKeys(values, (key, value) => {
    const name = nameIn(reading, resource, key)
    const relation = resource.relations.get(name)
    const target = relation && targetOf(reading.catalog, relation)
    return [name, presentValues(reading, target, value, of)]
  })
}

/** Values of records below one, by the last part of the path under which they are created. */
export function presentNested(reading: Reading, resource: Resource | undefined, values: Json): Json {
  if (resource === undefined || !isObject(values)) return values
  const below = [...reading.catalog.resources.values()].flatMap((child) =>
    child.nested.flatMap(({ path, relation }) =>
      relation.target !== resource.name ? [] : [{ child, path, before: path === child.path && child.earlier?.path }],
    ),
  )
  return withKeys(values, (key, value) => {
    const found = below.find(({ path }) => path === key) ?? below.find(({ before }) => before === key)
    return found === undefined ? [key, value] : [found.path, presentValues(reading, found.child, value, resource)]
  })
}

/** A tag between braces in a template, and its tokens: a text, a filter after its bar, or a path. */
const TAG = /\{\{.*?\}\}|\{%.*?%\}/gs
const TOKEN = /"[^"]*"|'[^']*'|\|\s*\w+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/g
/** Keywords of templates, which are no fields when they are alone. */
const TAG_WORDS = new Set('if elsif else endif unless case when for in and or contains assign capture'.split(' '))

function presentTemplate(reading: Reading, resource: Resource | undefined, template: string): string {
  if (resource === undefined) return template
  return template.replaceAll(TAG, (tag) =>
    tag.replaceAll(TOKEN, (token) =>
      /^["'|]/.test(token) || TAG_WORDS.has(token) ? token : presentPath(reading, resource, token).path,
    ),
  )
}

function nameIn({ names }: Reading, { owner }: Resource, name: string): string {
  return names.get(owner)?.get(name) ?? name
}

/** A map with other keys; one keeps its own where it would take the place of another. */
function withKeys(values: JsonObject, change: (key: string, value: Json) => readonly [string, Json]): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const [name, now] = change(key, value)
      return [name !== key && Object.hasOwn(values, name) ? key : name, now]
    }),
  )
}

/** The renames in the identified steps of a plan; `names` are the kept names before it. */
export function identifiedChanges(
  steps: readonly Step[],
  wanted: readonly Table[],
  names: Names | undefined,
): readonly NameChange[] {
  const renames = steps.flatMap((step) => (step.concern.kind === 'other name' ? (step.renames ?? []) : []))
  const tables = new Map(wanted.map((table) => [table.name, table]))
  // The table has its later name when its columns get theirs.
  const before = new Map(
    renames.flatMap(({ column, table, to }) => (column === undefined ? [[to, table] as const] : [])),
  )
  return renames.flatMap(({ column, table, to }): readonly NameChange[] => {
    const known = names?.[before.get(table) ?? table]
    const [owner] = tables.get(column === undefined ? to : table)?.of ?? []
    // A joining table holds relations, which are stored nowhere else.
    if (owner === undefined || owner.includes('.')) return []
    if (column === undefined) return changed(known?.of[0], owner, (from) => [{ kind: 'resource', from, to: owner }])
    const [now] = tables.get(table)?.columns.find(({ name }) => name === to)?.of ?? []
    return changed(known?.columns[column]?.of[0], now, (from, later) => partsOf(owner, from, later))
  })
}

function changed(
  from: string | undefined,
  to: string | undefined,
  changes: (from: string, to: string) => readonly NameChange[],
): readonly NameChange[] {
  return from === undefined || to === undefined || from === to ? [] : changes(from, to)
}

/** The key of a relation is a field, and the relation has its name without the end. */
function partsOf(resource: string, from: string, to: string): readonly NameChange[] {
  const field: NameChange = { kind: 'field', resource, from, to }
  if (!from.endsWith('_id') || !to.endsWith('_id')) return [field]
  return [field, { kind: 'relation', resource, from: from.slice(0, -3), to: to.slice(0, -3) }]
}
