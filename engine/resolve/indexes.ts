/** Pass: fields that identify, filter, sort or search records get the indexes that they need, and none twice. */

import type { Field, FieldPath, Filter, FilterPath, Index, OverlapRule, WayPath } from '../catalog/catalog.ts'
import { isStored } from '../catalog/stored.ts'
import { isName } from '../filter/text-forms.ts'
import { fold } from '../filter/walk.ts'
import { under } from './document-part.ts'
import { isOfOwnValues } from './filter-dependencies.ts'
import { linkPlain } from './link.ts'
import { fieldOf, reportUnknown } from './link-path.ts'
import { type Draft, eachDraft, type Resolution, suggest, type Written } from './resolution.ts'

/** A btree entry has room for about 2,700 bytes, and a character takes up to four; longer values would make writes fail. */
export const INDEXED_CHARACTERS = 600

/** An index has at most so many columns. */
export const INDEXED_FIELDS = 32

/** Collects the indexes of every table at the resource that owns it, its own first, and leaves out the needless ones. */
export function indexes(resolution: Resolution): void {
  const byResource = new Map<string, Index[]>([...resolution.drafts.keys()].map((name) => [name, []]))
  const owners = eachDraft(resolution).filter(({ draft }) => draft.owner === draft.name)
  const others = eachDraft(resolution).filter(({ draft }) => draft.owner !== draft.name)
  for (const { written, draft } of [...owners, ...others]) {
    byResource
      .get(draft.name)
      ?.push(
        ...declared(resolution, written, draft),
        ...unique(draft),
        ...reads(resolution, written, draft),
        ...kept(draft),
        ...awaited(draft),
      )
    if (draft.owner === draft.name) byResource.get(draft.name)?.push(...draft.overlaps.map(overlapIndex))
    for (const path of draft.search) {
      const holder = path.relations.at(-1)?.target ?? path.through?.many.target ?? draft.name
      const there = resolution.drafts.get(holder)
      if (there === undefined || !isStored(path.field)) continue
      // A search over a to-one relation also finds deleted records there: their text still shows on this record.
      const where = path.relations.length === 0 ? there.live : undefined
      const found = byResource.get(holder)
      found?.push(index([path.field], 'trigram', where, path.field))
      const { language } = draft
      if (language !== undefined) found?.push({ ...index([path.field], 'stems', where, path.field), language })
    }
  }
  for (const { draft } of owners) {
    const here = others.filter((other) => other.draft.owner === draft.name)
    const all = [draft, ...here.map((other) => other.draft)].flatMap(({ name }) => byResource.get(name) ?? [])
    draft.indexes = distinctIndexes(all)
  }
}

/** The index by which the database refuses what overlaps. */
function overlapIndex({ per, from, to, where, span }: OverlapRule): Index {
  return { fields: [...per, from, to], unique: false, where, kind: 'overlap', span }
}

function index(fields: readonly Field[], kind: Index['kind'], where: Filter | undefined, from: Field): Index {
  return { fields, unique: false, where, kind, span: from.span }
}

function unique(draft: Draft): readonly Index[] {
  const fields = [...draft.fields.values()].filter((field) => field.unique && field !== draft.key && isStored(field))
  return fields.flatMap((field) => {
    const plain: Index = { ...index([field], 'btree', draft.live, field), unique: true }
    return field.alike === true ? likewise(draft, plain) : [plain]
  })
}

/**
 * The index that refuses equal texts, and one that refuses those that look alike: lists and lookups compare sign by sign.
 * The tables of others keep their own rule.
 */
function likewise({ existing, key }: Draft, plain: Index): readonly Index[] {
  const isAlike = !existing && plain.fields.some((field) => field !== key && isName(field.type))
  return isAlike ? [plain, { ...plain, kind: plain.unique ? 'looks' : 'names' }] : [plain]
}

/**
 * One btree for each field that a list filters, ranges or sorts by, followed by the id so that equal values have an order.
 * Every index makes writes slower, so where the author lists sort keys, only those get one; the other fields still sort.
 */
function reads(resolution: Resolution, written: Written, draft: Draft): readonly Index[] {
  const plain = ({ relations, field, through }: FilterPath) =>
    relations.length === 0 && through === undefined && isStored(field) ? [field] : []
  const keys = [...draft.fields.values()].filter((field) => field.relation !== undefined)
  const named = written.document.value.sort?.keys?.map((key) => key.replace(/^-/, ''))
  const sorted = named ?? [...draft.sort.keys.keys()]
  const read = [
    ...draft.filters.values(),
    ...sorted.flatMap((name) => draft.sort.keys.get(name) ?? []),
    ...draft.sort.default.map(({ path }) => path),
  ].flatMap(plain)
  const short = [...read, ...draft.ranges.values()].filter((field) => field !== draft.key && isShort(field))
  return [
    ...keys.map((field) =>
      index([field, draft.key], 'btree', targetIsRemoved(resolution, draft, field) ? undefined : draft.live, field),
    ),
    ...short.map((field) => index([field, draft.key], 'btree', draft.live, field)),
  ]
}

/** The keeper removes deleted records too. */
function kept({ keep, key }: Draft): readonly Index[] {
  return keep === undefined ? [] : [index([keep.field, key], 'btree', undefined, keep.field)]
}

/** The moments at which automations act are found by an index, and not by reading the table. */
function awaited({ automations, key, live }: Draft): readonly Index[] {
  return [...automations.values()].flatMap(({ trigger }) =>
    trigger.kind === 'moment' ? [index([trigger.at, key], 'btree', live, trigger.at)] : [],
  )
}

/** Whether records of the other resource are removed for good: PostgreSQL then looks for references among all rows. */
function targetIsRemoved(resolution: Resolution, draft: Draft, field: Field): boolean {
  const relation = field.relation === undefined ? undefined : draft.relations.get(field.relation)
  const target = relation === undefined ? undefined : resolution.drafts.get(relation.target)
  return target !== undefined && (target.live === undefined || resolution.drafts.get(target.owner)?.keep !== undefined)
}

function isShort(field: Field): boolean {
  if (field.type.wire === 'json' || field.type.name === 'text') return false
  return (field.type.longest?.(field.options) ?? 0) <= INDEXED_CHARACTERS
}

function declared(resolution: Resolution, written: Written, draft: Draft): readonly Index[] {
  const { value, place } = written.document
  return (value.indexes ?? []).flatMap((definition, position): Index[] => {
    const isList = (given: typeof definition): given is readonly string[] => Array.isArray(given)
    const options = isList(definition) ? { fields: definition } : definition
    const at = isList(definition) ? ['indexes', position] : ['indexes', position, 'fields']
    const fields = options.fields.flatMap((name, column) => {
      const field = fieldOf(resolution, draft, name)
      if (field !== undefined && isStored(field)) return [field]
      const span = place([...at, column])
      if (field === undefined) return reportUnknown(resolution, draft, name, span, draft.fields.keys(), 'column') ?? []
      const message = `"${draft.name}" has no column "${name}"`
      resolution.report('unknown_field', message, span, suggest(name, draft.fields.keys()))
      return []
    })
    if (fields.length < options.fields.length) return []
    const where =
      options.where === undefined
        ? draft.live
        : linkPlain(resolution, draft, options.where, under(place, 'indexes', position, 'where'))
    if (options.where !== undefined && where !== undefined && !isOfOwnValues(where)) {
      const hint = 'compare own fields that are stored with values that are written out'
      const span = place(['indexes', position, 'where'])
      resolution.report('invalid_filter', 'An index is of fixed values of the record itself', span, { hint })
    }
    const { alike = false, unique: asked = false } = options
    const plain: Index = { fields, unique: asked !== false, where, kind: 'btree', span: place(['indexes', position]) }
    const found = likewise(draft, plain)
    if (alike && asked === false) return found.slice(-1)
    return asked === true ? [...found] : [plain]
  })
}

/** The indexes of one table without those that another one makes needless; of two equal ones the first stays. */
function distinctIndexes(all: readonly Index[]): readonly Index[] {
  // Nearly all have the same condition.
  const texts = new Map<Filter | undefined, string>()
  const made = all.map((index): Compared => {
    const records = texts.get(index.where) ?? filterKey(index.where)
    texts.set(index.where, records)
    return { index, columns: index.fields.map((field) => field.column), records }
  })
  // One covers another only if they begin with the same column.
  const byBeginning = new Map<string, number[]>()
  for (const [position, { columns }] of made.entries()) {
    const [first = ''] = columns
    const known = byBeginning.get(first)
    if (known === undefined) byBeginning.set(first, [position])
    else known.push(position)
  }
  const isNeedless = (index: Compared, position: number) =>
    byBeginning.get(index.columns[0] ?? '')!.some((place) => {
      const other = made[place]!
      return other !== index && covers(other, index) && (place < position || !covers(index, other))
    })
  return made.flatMap((one, position) => (isNeedless(one, position) ? [] : [one.index]))
}

/** An index with what it is compared by. */
interface Compared {
  readonly index: Index
  readonly columns: readonly string[]
  /** Its condition as text. */
  readonly records: string
}

/** Whether one index does all that another would. */
function covers(
  { index: one, columns, records }: Compared,
  { index: other, columns: wanted, records: its }: Compared,
): boolean {
  if (one.kind !== other.kind || one.language !== other.language) return false
  const sameRecords = records === its
  // Only a unique index over the same columns and records refuses the same duplicates.
  if (other.unique) return one.unique && sameRecords && columns.join() === wanted.join()
  // A unique column gives one row for each value, so further columns would order nothing.
  if (one.unique && columns.length === 1 && sameRecords) return columns[0] === wanted[0]
  const begins = wanted.every((column, position) => columns[position] === column)
  return begins && (sameRecords || one.where === undefined)
}

/** A filter as text, so that two can be compared; paths by their names, because linked records may form circles. */
export function filterKey(filter: Filter | undefined): string {
  if (filter === undefined) return ''
  return fold<FieldPath, WayPath, string>(filter, {
    compare: ({ operand, operator, path }) => {
      const name = [...path.relations, path.field].map((one) => one.name).join('.')
      // Conditions of indexes know no other records' values, so every operand is a plain value.
      return `${name} ${operator} ${JSON.stringify(operand)}`
    },
    related: ({ count, of, path }) => {
      const way = [...path.relations, path.many].map(({ name }) => name).join('.')
      return `${way} ${JSON.stringify(count ?? 'some')}(${filterKey(of)})`
    },
    not: (of) => `not(${of})`,
    and: (of) => `and(${of.join(', ')})`,
    or: (of) => `or(${of.join(', ')})`,
  })
}
