/** Pass: everything that identifies, filters, sorts or searches gets the index it needs, and none twice. */

import type { Field, FieldPath, Filter, Index } from '../catalog/catalog.ts'
import { isStored } from '../catalog/stored.ts'
import { fieldOf, isBroken, linkFilter } from './link.ts'
import { type Draft, eachDraft, type Resolution, suggest, type Written } from './resolution.ts'

/** Collects the indexes of every table at its owner, guests' after the owner's, and drops what another one already does. */
export function indexes(resolution: Resolution): void {
  const byResource = new Map<string, Index[]>([...resolution.drafts.keys()].map((name) => [name, []]))
  const owners = eachDraft(resolution).filter(({ draft }) => draft.owner === draft.name)
  const guests = eachDraft(resolution).filter(({ draft }) => draft.owner !== draft.name)
  for (const { written, draft } of [...owners, ...guests]) {
    byResource
      .get(draft.name)
      ?.push(...declared(resolution, written, draft), ...unique(draft), ...reads(resolution, written, draft))
    for (const path of draft.search) {
      const holder = path.relations.at(-1)?.target ?? draft.name
      const there = resolution.drafts.get(holder)
      if (there === undefined || !isStored(path.field)) continue
      // Through a relation a search also finds what is deleted there: it still shows on this record.
      byResource
        .get(holder)
        ?.push(index([path.field], 'trigram', path.relations.length === 0 ? there.live : undefined, path.field))
    }
  }
  for (const { draft } of owners) {
    const guestsHere = guests.filter((guest) => guest.draft.owner === draft.name)
    const all = [draft, ...guestsHere.map((guest) => guest.draft)].flatMap(({ name }) => byResource.get(name) ?? [])
    draft.indexes = distinctIndexes(all)
  }
}

function index(fields: readonly Field[], kind: Index['kind'], where: Filter | undefined, from: Field): Index {
  return { fields, unique: false, where, kind, span: from.span }
}

function unique(draft: Draft): readonly Index[] {
  const fields = [...draft.fields.values()].filter((field) => field.unique && field !== draft.key && isStored(field))
  return fields.map((field) => ({ ...index([field], 'btree', draft.live, field), unique: true }))
}

/**
 * One btree with the id as tie-breaker for whatever a list filters, ranges or sorts by; foreign keys are among the filters.
 * An author who names sort keys has named those worth their price on every write; the others still sort.
 */
function reads(resolution: Resolution, written: Written, draft: Draft): readonly Index[] {
  const plain = (path: FieldPath) => (path.relations.length === 0 && isStored(path.field) ? [path.field] : [])
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
      index([field, draft.key], 'btree', lostForGood(resolution, draft, field) ? undefined : draft.live, field),
    ),
    ...short.map((field) => index([field, draft.key], 'btree', draft.live, field)),
  ]
}

/** Whether the other record can be removed for good: then the database looks for this one's key among all records. */
function lostForGood(resolution: Resolution, draft: Draft, field: Field): boolean {
  const relation = field.relation === undefined ? undefined : draft.relations.get(field.relation)
  return relation !== undefined && resolution.drafts.get(relation.target)?.live === undefined
}

/** A btree entry has room for about 2,700 bytes; longer values would make writes fail. */
function isShort(field: Field): boolean {
  if (field.type.wire === 'json' || field.type.name === 'text') return false
  const length = Number(/^character varying\((\d+)\)$/.exec(field.type.column(field.options))?.[1] ?? 0)
  return length <= 600
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
      if (isBroken(resolution, draft, name)) return []
      resolution.report(
        'unknown_field',
        `"${draft.name}" has no column "${name}"`,
        place([...at, column]),
        suggest(name, draft.fields.keys()),
      )
      return []
    })
    if (fields.length < options.fields.length) return []
    const where =
      options.where === undefined
        ? draft.live
        : linkFilter(resolution, draft, options.where, (path, part) =>
            place(['indexes', position, 'where', ...path], part),
          )
    return [{ fields, unique: options.unique ?? false, where, kind: 'btree', span: place(['indexes', position]) }]
  })
}

/** The indexes of one table: each once, and no btree that begins another one over the same records. */
function distinctIndexes(all: readonly Index[]): readonly Index[] {
  return all.filter(
    (candidate, position) =>
      !all.some((other, place) => other !== candidate && covers(other, candidate, place < position)),
  )
}

/** Whether the first does all that the second would; of two equal ones the earlier covers the later. */
function covers(first: Index, second: Index, earlier: boolean): boolean {
  if (first.kind !== second.kind || first.fields[0]?.column !== second.fields[0]?.column) return false
  const same = filterKey(first.where) === filterKey(second.where)
  // One value, one record: nothing is left for a tie-breaker to order.
  if (same && first.unique && first.fields.length === 1 && !second.unique) return true
  if (!second.fields.every((field, place) => first.fields[place]?.column === field.column)) return false
  const equal = same && first.fields.length === second.fields.length
  if (second.unique) return equal && first.unique && earlier
  if (equal) return first.unique || earlier
  return same || first.where === undefined
}

/** A filter as a comparable text: paths by their names, since linked nodes may form circles. */
export function filterKey(filter: Filter | undefined): string {
  if (filter === undefined) return ''
  switch (filter.kind) {
    case 'not':
      return `not(${filterKey(filter.of)})`
    case 'compare': {
      const path = [...filter.path.relations.map((relation) => relation.name), filter.path.field.name].join('.')
      return `${path} ${filter.operator} ${JSON.stringify(filter.operand)}`
    }
    default:
      return `${filter.kind}(${filter.of.map(filterKey).join(', ')})`
  }
}
