/** Pass: a resource that stands on another's table takes over what it lists of the owner's fields and relations. */
import type { Document, FieldDefinition, RelationDefinition, ResourceDefinition } from '../definition/definition.ts'
import { suggest, type Work, type Written } from './resolution.ts'
import { layered } from './written.ts'

/** What only the owner of a table can say of a field or relation. */
const OWNERS_FIELD_KEYS = ['type', 'column', 'renamed_from', 'unique'] as const
const OWNERS_RELATION_KEYS = ['belongs_to', 'column', 'renamed_from', 'on_delete'] as const
/** What comes along from the base unless it is said again. */
const INHERITED = ['live', 'delete_sets', 'restore_sets', 'update_sets', 'actions'] as const

/** Merges every `of` resource over its base; circles and unknown bases are reported and their resources left out. */
export function inherit(work: Work): void {
  const done = new Set<string>()
  for (const name of [...work.written.keys()].sort()) settle(work, name, [], done)
}

/** Whether the resource can be used; bases first, whatever the order of files. */
function settle(work: Work, name: string, below: readonly string[], done: Set<string>): boolean {
  const written = work.written.get(name)
  if (written === undefined) return false
  if (written.base === undefined || done.has(name)) return true
  const span = written.document.place(['of'])
  const chain = [...below, name]
  if (chain.includes(written.base)) {
    work.report(
      'of_cycle',
      `"${written.base}" stands on itself: ${[...chain.slice(chain.indexOf(written.base)), written.base].join(' → ')}`,
      span,
    )
    return drop(work, name)
  }
  if (!settle(work, written.base, chain, done)) {
    if (!work.written.has(written.base) && !work.unusable.has(written.base)) {
      work.report(
        'unknown_resource',
        `Unknown resource "${written.base}"`,
        span,
        suggest(written.base, work.written.keys()),
      )
    }
    return drop(work, name)
  }
  work.written.set(name, merged(work, written, work.written.get(written.base)!))
  done.add(name)
  return true
}

function drop(work: Work, name: string): false {
  work.written.delete(name)
  work.unusable.add(name)
  return false
}

function merged(work: Work, written: Written, base: Written): Written {
  const fields = new Map<string, Document<FieldDefinition>>()
  for (const [name, field] of written.fields) {
    const merged = mergedField(work, written, base, name, field)
    if (merged !== undefined) fields.set(name, merged)
  }
  const added = new Set(written.added)
  for (const name of base.added) {
    const field = base.fields.get(name)
    if (field === undefined || fields.has(name)) continue
    fields.set(name, field)
    added.add(name)
  }
  const relations = new Map<string, Document<RelationDefinition>>()
  for (const [name, relation] of written.relations) {
    const merged = mergedRelation(work, written, base, name, relation)
    if (merged !== undefined) relations.set(name, merged)
  }
  return { ...written, document: inherited(written.document, base.document), fields, relations, added }
}

function mergedField(
  work: Work,
  written: Written,
  base: Written,
  name: string,
  field: Document<FieldDefinition | null>,
): Document<FieldDefinition> | undefined {
  const under = base.fields.get(name)
  const own = field.value
  if (under !== undefined) {
    refuseOwnersKeys(work, field, under, OWNERS_FIELD_KEYS, base.name)
    return layered(field, under)
  }
  if (own !== null && (own.computed !== undefined || own.type === 'count')) return { value: own, place: field.place }
  if (work.unusable.has(`${base.name}.${name}`)) return undefined
  const relation = base.relations.has(name) ? `"${name}" is a relation: list it under relations` : undefined
  const details = suggest(name, base.fields.keys())
  work.report(
    'unknown_field',
    `"${base.name}" has no field "${name}" that "${written.name}" could take over`,
    field.place([], 'key'),
    {
      ...details,
      ...(relation === undefined ? {} : { hint: relation }),
    },
  )
  return undefined
}

function mergedRelation(
  work: Work,
  written: Written,
  base: Written,
  name: string,
  relation: Document<RelationDefinition | null>,
): Document<RelationDefinition> | undefined {
  const under = base.relations.get(name)
  const own = relation.value
  if (under !== undefined) {
    refuseOwnersKeys(work, relation, under, OWNERS_RELATION_KEYS, base.name)
    return layered(relation, under)
  }
  if (own !== null && own.belongs_to === undefined && Object.keys(own).length > 0)
    return { value: own, place: relation.place }
  if (work.unusable.has(`${base.name}.${name}`)) return undefined
  const message = `"${base.name}" has no relation "${name}" that "${written.name}" could take over`
  work.report('unknown_field', message, relation.place([], 'key'), suggest(name, base.relations.keys()))
  return undefined
}

function refuseOwnersKeys<T extends object>(
  work: Work,
  over: Document<T | null>,
  under: Document<T>,
  keys: readonly (keyof T & string)[],
  owner: string,
): void {
  for (const key of keys) {
    const value = over.value?.[key]
    if (value === undefined || value === under.value[key]) continue
    work.report('of_mismatch', `"${key}" is decided by "${owner}", whose table this is`, over.place([key]), {
      hint: `leave "${key}" out`,
    })
  }
}

function inherited(
  document: Document<ResourceDefinition>,
  base: Document<ResourceDefinition>,
): Document<ResourceDefinition> {
  const missing = INHERITED.filter((key) => document.value[key] === undefined && base.value[key] !== undefined)
  const value = { ...document.value, ...Object.fromEntries(missing.map((key) => [key, base.value[key]])) }
  const taken: ReadonlySet<string> = new Set(missing)
  return {
    value,
    place: (path, part) => (taken.has(String(path[0])) ? base.place(path, part) : document.place(path, part)),
  }
}
