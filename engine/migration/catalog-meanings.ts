/**
 * The meanings of tables in a catalog that their columns and types do not show: the judges of values, the rows that
 * each resource serves, and the records that a column counts.
 */
import type { Catalog, Field, Filter, RelatedFollow, Resource, Value } from '../catalog/catalog.ts'
import { isStored } from '../catalog/stored.ts'
import { wireJson } from '../field/index.ts'
import { isFixed } from '../filter/walk.ts'
import type { Json } from '../json.ts'
import { memo } from '../memo.ts'
import { fixedConditionSql, pathSql } from './fixed-condition.ts'
import { type CountedFrom, contentHash, type Judge, type ServedRows } from './table.ts'

/** Types whose values are all that their column can hold, as far as no option narrows them. */
const PLAIN: ReadonlySet<string> = new Set([
  'string',
  'text',
  'integer',
  'bigint',
  'decimal',
  'boolean',
  'date',
  'timestamp',
  'uuid',
  'json',
])

/** Options that the type of the column says, and those that say nothing of a stored value. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  string: ['max'],
  decimal: ['precision', 'scale'],
  slug: ['from'],
  enum: ['becomes'],
  list: ['becomes'],
  sequence: ['start'],
}

/**
 * The judge of a field; undefined where callers cannot write it, where it refers to a record, or where it is stored in another form than it is sent.
 */
export function judgeOf(field: Field): Judge | undefined {
  const { options, type } = field
  const isWritten = isStored(field) && field.stored === undefined && field.relation === undefined
  if (!isWritten || type.internal === true || type.hidden === true) return undefined
  const said = SAID[type.name] ?? []
  const own = Object.entries(options.own).filter(([name]) => !said.includes(name))
  const isPlain = PLAIN.has(type.name) && own.length === 0
  return {
    ...(isPlain ? {} : { mark: contentHash([type.name, own]) }),
    kind: type.name === 'enum' ? 'words' : type.name === 'list' ? 'list' : 'value',
    fits: (text, former = []) => fits(field, JSON.parse(wireJson(type.wire, text)) as Json, former),
  }
}

/** As a body is read: texts are trimmed, and an empty one is null. */
function fits({ options, type }: Field, value: Json, former: readonly string[]): boolean {
  const sent = typeof value === 'string' && type.verbatim !== true ? value.trim() : value
  if (sent === null || sent === '') return true
  const known =
    former.length === 0 || !Array.isArray(sent) ? sent : sent.filter((item) => !former.includes(String(item)))
  const decoded = type.decode(known, options)
  // Searches in lower case would not find the value as it is.
  return 'value' in decoded && (type.lowered !== true || decoded.value === value)
}

/** The rows of a table that each of its resources serves. */
export function servedRows(catalog: Catalog, resources: readonly Resource[]): Readonly<Record<string, ServedRows>> {
  return Object.fromEntries(
    resources.map(({ live, name, renamedFrom, scope }) => [
      name,
      {
        ...rowCondition('scope', catalog, scope),
        ...rowCondition('live', catalog, live),
        ...(renamedFrom === undefined ? {} : { renamedFrom }),
      },
    ]),
  )
}

/** A condition about the caller or the present moment has no fixed SQL; policies report its changes. */
function rowCondition(key: 'scope' | 'live', catalog: Catalog, filter: Filter | undefined): ServedRows {
  if (filter === undefined || !isFixed(filter)) return {}
  return { [key]: fixedConditionSql(filter, (path) => pathSql(catalog, path, 't')) }
}

/** Resource → column → the tables whose new records add to it, as to a sum or a count. */
export const countedColumns = memo(
  (catalog: Catalog): ReadonlyMap<string, ReadonlyMap<string, readonly CountedFrom[]>> => {
    const found = new Map<string, Map<string, readonly CountedFrom[]>>()
    for (const resource of catalog.resources.values()) {
      if (resource.owner !== resource.name) continue
      for (const follow of resource.relatedFollows) {
        const [first] = follow.of.relations
        const by = first?.field.column ?? follow.of.field.column
        if (!follow.on.has('create')) continue
        const columns = found.get(follow.target) ?? new Map<string, readonly CountedFrom[]>()
        found.set(follow.target, columns)
        for (const { field, value } of follow.set) {
          if (!goesOn(value, follow, field.column)) continue
          columns.set(field.column, [...(columns.get(field.column) ?? []), { table: resource.table, column: by }])
        }
      }
    }
    return found
  },
)

/** Whether a value is the one that the other record has, and more. */
function goesOn(value: Value, follow: RelatedFollow, column: string): boolean {
  if (value.kind === 'record') return value.path.relations.length > 0 && value.path.field.column === column
  const isMade = value.kind === 'sum' || value.kind === 'difference' || value.kind === 'first'
  return isMade && value.of.some((one) => goesOn(one, follow, column))
}
