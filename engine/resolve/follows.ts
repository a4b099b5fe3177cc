/** Pass: what follows from a write, linked: when, from which changes, and which values go where. */
import type { Field, Filter, Follow } from '../catalog/catalog.ts'
import { isStored } from '../catalog/stored.ts'
import type { Document, FollowDefinition } from '../definition/definition.ts'
import { under } from './conditions.ts'
import { linkFilter } from './link.ts'
import { fieldOf, isBroken } from './link-path.ts'
import type { Judging } from './record-operand.ts'
import { fieldsNamed } from './record-rules.ts'
import { type Draft, eachDraft, type Resolution, suggest } from './resolution.ts'
import { columnsOf, pathsOf } from './rule-paths.ts'
import { linkValue, pathsRead } from './values.ts'
import { inside } from './written.ts'

/** Links what follows in the written record itself, and gives each resource all that concerns records of its table. */
export function follows(resolution: Resolution): void {
  const byTable = followsOfTables(resolution, (draft, document) =>
    document.value.of === undefined ? followOf(resolution, draft, document) : undefined,
  )
  for (const { draft } of eachDraft(resolution)) draft.follows = byTable.get(draft.owner) ?? []
}

/** The entries that `link` makes, by the owner of the table, the owner's own first. */
export function followsOfTables<F>(
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
        hint: 'what follows in the record itself follows whoever writes it',
      })
  for (const [index, one] of (value.on ?? []).entries())
    if (one === 'delete' || one === 'restore')
      resolution.report('wrong_rule', `"${one}" goes with "of" alone`, place(['on', index]), {
        hint: `what a ${one} sets in the record itself stands under ${one}_sets`,
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
export const USUAL = ['create', 'update', 'import'] as const

/**
 * When an entry concerns a record of `judging`, and the values that a record of `holder` gets; undefined with a complaint
 * where something is no such thing. An entry of a part of a table speaks of that part, whichever resource writes.
 */
export function followParts(
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
  if (field === undefined && isBroken(resolution, draft, name)) return undefined
  const known = field === undefined ? [...draft.fields.values()].filter(isStored).map((one) => one.name) : []
  const message =
    field === undefined
      ? `"${draft.name}" has no field or relation "${name}"`
      : `"${name}" is given by the database and cannot be set`
  resolution.report(
    'unknown_field',
    message,
    span,
    field === undefined ? suggest(name, [...known, ...draft.relations.keys()]) : {},
  )
  return undefined
}
