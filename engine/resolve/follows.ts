/** Passes: values that follow from a write, in the written record itself and in other records (`of`). */

import type { Field, Filter, Follow, RelatedFollow } from '../catalog/catalog.ts'
import { columnsFollowing, concernsUpdate, isStored } from '../catalog/stored.ts'
import type { Document, FollowDefinition } from '../definition/definition.ts'
import { position } from '../text/source.ts'
import { accessOf, declarePermissions } from './access.ts'
import { inside, under } from './document-part.ts'
import { columnsOf, pathsOf } from './filter-dependencies.ts'
import { linkFilter } from './link.ts'
import { fieldOf, linkPath, relationOf, reportUnknown } from './link-path.ts'
import type { Judging } from './record-operand.ts'
import { fieldsNamed } from './record-rules.ts'
import { type Draft, eachDraft, fieldNames, type Resolution } from './resolution.ts'
import { linkValue, pathsRead } from './values.ts'

/** Links what follows in the written record itself, and gives each resource all that concerns records of its table. */
export function follows(resolution: Resolution): void {
  const byTable = followsOfTables(resolution, (draft, document) =>
    document.value.of === undefined ? followOf(resolution, draft, document) : undefined,
  )
  for (const { draft } of eachDraft(resolution)) draft.follows = byTable.get(draft.owner) ?? []
}

/** The entries that `link` makes, by the owner of the table, the owner's own first. */
function followsOfTables<F>(
  resolution: Resolution,
  link: (draft: Draft, document: Document<FollowDefinition>) => F | undefined,
): ReadonlyMap<string, readonly F[]> {
  const byTable = new Map<string, readonly F[]>()
  const drafts = eachDraft(resolution)
  const owners = drafts.filter(({ draft }) => draft.owner === draft.name)
  for (const { written, draft } of [...owners, ...drafts.filter(({ draft }) => draft.owner !== draft.name)]) {
    const { document } = written
    const found = (document.value.follows ?? []).flatMap(
      (value, index) => link(draft, inside(document, ['follows', index], value)) ?? [],
    )
    byTable.set(draft.owner, [...(byTable.get(draft.owner) ?? []), ...found])
  }
  return byTable
}

function followOf(resolution: Resolution, draft: Draft, document: Document<FollowDefinition>): Follow | undefined {
  const { value, place } = document
  for (const key of ['permission', 'role', 'who'] as const)
    if (value[key] !== undefined)
      resolution.report('wrong_rule', `"${key}" goes with "of" alone`, place([key], 'key'), {
        hint: 'what follows in the record itself follows for every writer',
      })
  for (const [index, one] of (value.on ?? []).entries())
    if (one === 'delete' || one === 'restore')
      resolution.report('wrong_rule', `"${one}" goes with "of" alone`, place(['on', index]), {
        hint: `what a ${one} sets in the record itself is written under ${one}_sets`,
      })
  const before = value.on?.includes('update') ?? true
  const judging: Judging = { record: draft, before, reason: 'A new record has no "$before"' }
  const parts = followParts(resolution, draft, document, judging)
  if (parts === undefined) return undefined
  const { changed, set, when } = parts
  const paths = [...(when === undefined ? [] : pathsOf(when)), ...set.flatMap((one) => pathsRead(one.value))]
  const reads = new Set([...paths.flatMap(columnsOf), ...(changed ?? []).map(({ column }) => column)])
  const on = USUAL.filter((one) => value.on?.includes(one) ?? true)
  return { ...parts, on: new Set(on), reads, span: place([]) }
}

/** The writes from which it follows where nothing else is said. */
const USUAL = ['create', 'update', 'import'] as const

/**
 * When an entry concerns a record of `judging`, and the values that a record of `holder` gets; undefined with a complaint
 * where something is no such thing. An entry of a part of a table speaks of that part, whichever resource writes.
 */
function followParts(
  resolution: Resolution,
  holder: Draft,
  document: Document<FollowDefinition>,
  judging: Judging,
): Pick<Follow, 'changed' | 'when' | 'set'> | undefined {
  const { value, place } = document
  const { record } = judging
  const own =
    value.when === undefined ? undefined : linkFilter(resolution, record, value.when, under(place, 'when'), judging)
  const changed = fieldsNamed(resolution, record, document)
  const set = Object.entries(value.set).flatMap(([name, written]) => {
    const at = (path: readonly (string | number)[], part?: 'key' | 'value') => place(['set', name, ...path], part)
    const field = settable(resolution, holder, name, at([], 'key'))
    const linked = field && linkValue({ resolution, draft: holder, field, judging }, written, at)
    if (
      linked?.kind === 'record' &&
      holder === record &&
      linked.path.relations.length === 0 &&
      linked.path.field === field
    )
      resolution.report('wrong_rule', `"${name}" has this value already`, at([]), {
        hint: 'name another field, or $before for the value that was stored',
      })
    return field === undefined || linked === undefined ? [] : [{ field, value: linked }]
  })
  if ((value.when !== undefined && own === undefined) || set.length < Object.keys(value.set).length) return undefined
  const scope = record.owner === record.name ? undefined : record.scope
  const both = [scope, own].filter((one) => one !== undefined)
  const when: Filter | undefined = both.length < 2 ? both[0] : { kind: 'and', of: both }
  return { changed, when, set }
}

/** The field or relation that a value goes to; undefined with a complaint where nothing can be set. */
export function settable(resolution: Resolution, draft: Draft, name: string, span: Follow['span']): Field | undefined {
  const field = fieldOf(resolution, draft, name)
  if (
    field !== undefined &&
    isStored(field) &&
    field.stored === undefined &&
    field !== draft.key &&
    field.type.generated?.(field.options, '') === undefined
  )
    return field
  if (field === undefined)
    return reportUnknown(resolution, draft, name, span, [...fieldNames(draft, isStored), ...draft.relations.keys()])
  resolution.report('unknown_field', `"${name}" is given by the database and cannot be set`, span)
  return undefined
}

/** Links what follows in other records, and gives each resource all that writes of its table set off. */
export function relatedFollows(resolution: Resolution): void {
  const byTable = followsOfTables(resolution, (draft, document) =>
    document.value.of === undefined ? undefined : relatedFollowOf(resolution, draft, document.value.of, document),
  )
  for (const { draft } of eachDraft(resolution)) draft.relatedFollows = byTable.get(draft.owner) ?? []
  refuseCircles(resolution, byTable)
}

function relatedFollowOf(
  resolution: Resolution,
  draft: Draft,
  way: string,
  document: Document<FollowDefinition>,
): RelatedFollow | undefined {
  const { value, place } = document
  const access = accessOf(value)
  declarePermissions(resolution, access, draft.name)
  const led = targetOf(resolution, draft, way, document)
  if (led === undefined) return undefined
  // The record is judged when it is stored, so that what was there before is gone.
  const reason = 'With "of" a record is judged when it is written, and nothing of "$before" is left'
  const judging: Judging = { record: draft, before: false, reason }
  const parts = followParts(resolution, led.target, document, judging)
  if (parts === undefined) return undefined
  for (const { field } of parts.set) {
    if (!field.immutable) continue
    const name = Object.keys(value.set).find((one) => one === field.name || one === field.relation) ?? field.name
    resolution.report('wrong_rule', `"${name}" cannot be changed once it is stored`, place(['set', name], 'key'))
  }
  return { ...parts, on: new Set(value.on ?? USUAL), of: led.of, way, target: led.target.name, access, span: place([]) }
}

/** The foreign key at the end of the way, and the resource whose table it leads to; undefined with a complaint. */
function targetOf(
  resolution: Resolution,
  draft: Draft,
  way: string,
  { place }: Document<FollowDefinition>,
): { readonly of: RelatedFollow['of']; readonly target: Draft } | undefined {
  const segments = way.split('.')
  const of = linkPath(resolution, draft, segments, place(['of']))
  if (of === undefined) return undefined
  const holder = resolution.drafts.get(of.relations.at(-1)?.target ?? draft.name)
  const last = segments.at(-1) ?? ''
  const relation = holder && relationOf(resolution, holder, last)
  const named = relation?.kind === 'belongs_to' ? resolution.drafts.get(relation.target) : undefined
  const target = named && resolution.drafts.get(named.owner)
  if (target !== undefined) return { of, target }
  const hint = 'name a belongs_to relation, or several as in conversation.ticket'
  resolution.report('wrong_path', `"${last}" is no relation`, place(['of']), { hint })
  return undefined
}

type Tables = ReadonlyMap<string, readonly RelatedFollow[]>

/** Reports each entry that would be set off again by what it sets. */
function refuseCircles(resolution: Resolution, byTable: Tables): void {
  for (const entries of byTable.values()) {
    for (const entry of entries) {
      const way = wayBack(resolution, byTable, entry, entry, [])
      if (way === undefined) continue
      const circle = [entry, ...way].map(({ span }) => placeOf(span)).join(' → ')
      const message = `What follows here sets itself off again: ${circle}`
      resolution.report('follow_cycle', message, entry.span, { hint: wayOut(entry, way) })
    }
  }
}

/** What ends a circle: an entry that waits for certain fields, where it waits for any; else others of both. */
function wayOut(entry: RelatedFollow, way: readonly RelatedFollow[]): string {
  const circle = [entry, ...way.slice(0, -1)]
  const waiting = circle.find(({ changed }) => changed === undefined)
  if (waiting !== undefined) {
    const where = waiting === entry ? '' : ` in ${placeOf(waiting.span)}`
    return `say with "changed"${where} which fields it waits for, or with "on" for which writes`
  }
  const last = circle.at(-1) ?? entry
  const both = last.set.filter(({ field }) => entry.changed?.some(({ column }) => column === field.column))
  const named = both.map(({ field }) => `"${field.relation ?? field.name}"`).join(', ')
  const why =
    named === ''
      ? 'it waits for what follows from the circle'
      : `it waits for ${named}, which ${placeOf(last.span)} sets`
  return `${why}: let it wait for other fields, or for new records alone with on: [create]`
}

/** The entries by which `from` leads to `goal` again, the last of them the goal. */
function wayBack(
  resolution: Resolution,
  byTable: Tables,
  from: RelatedFollow,
  goal: RelatedFollow,
  seen: readonly RelatedFollow[],
): readonly RelatedFollow[] | undefined {
  const target = resolution.drafts.get(from.target)
  if (target === undefined || seen.includes(from)) return undefined
  const set = from.set.map(({ field }) => field.column)
  const always = target.updateSets.map(({ field }) => field.column)
  const columns = columnsFollowing(target.follows, 'update', [...set, ...always])
  for (const next of byTable.get(from.target) ?? []) {
    if (!concernsUpdate(next, columns)) continue
    if (next === goal) return [goal]
    const rest = wayBack(resolution, byTable, next, goal, [...seen, from])
    if (rest !== undefined) return [next, ...rest]
  }
  return undefined
}

function placeOf({ source, start }: RelatedFollow['span']): string {
  const { line } = position(source, start)
  return `${source.file}:${line}`
}
