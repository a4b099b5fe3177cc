/** Pass: what follows from a write, linked: when, from which changes, and which values go where. */
import type { Field, Filter, Follow } from '../catalog/catalog.ts'
import { isStored } from '../catalog/stored.ts'
import type { Document, FollowDefinition } from '../definition/definition.ts'
import { under } from './conditions.ts'
import { linkFilter } from './link.ts'
import { fieldOf, isBroken } from './link-path.ts'
import { fieldsNamed } from './record-rules.ts'
import { type Draft, eachDraft, type Resolution, suggest } from './resolution.ts'
import { columnsOf, pathsOf } from './rule-paths.ts'
import { linkValue, pathsRead } from './values.ts'
import { inside } from './written.ts'

/** Links what follows, and gives each resource all that concerns records of its table, the owner's first. */
export function follows(resolution: Resolution): void {
  const byTable = new Map<string, Follow[]>()
  const drafts = eachDraft(resolution)
  const owners = drafts.filter(({ draft }) => draft.owner === draft.name)
  for (const { written, draft } of [...owners, ...drafts.filter(({ draft }) => draft.owner !== draft.name)]) {
    const { document } = written
    const found = (document.value.follows ?? []).flatMap(
      (value, index) => followOf(resolution, draft, inside(document, ['follows', index], value)) ?? [],
    )
    byTable.set(draft.owner, [...(byTable.get(draft.owner) ?? []), ...found.map((one) => within(draft, one))])
  }
  for (const { draft } of drafts) draft.follows = byTable.get(draft.owner) ?? []
}

/** What a part of a table says follows for that part, whichever resource writes. */
function within(draft: Draft, follow: Follow): Follow {
  const { scope } = draft
  if (draft.owner === draft.name || scope === undefined) return follow
  const when: Filter = follow.when === undefined ? scope : { kind: 'and', of: [scope, follow.when] }
  return { ...follow, when, reads: new Set([...follow.reads, ...pathsOf(scope).flatMap(columnsOf)]) }
}

function followOf(resolution: Resolution, draft: Draft, document: Document<FollowDefinition>): Follow | undefined {
  const { value, place } = document
  const on = new Set(value.on ?? (['create', 'update', 'import'] as const))
  const judging = { record: draft, before: on.has('update'), reason: 'A new record has no "$before"' }
  const when =
    value.when === undefined ? undefined : linkFilter(resolution, draft, value.when, under(place, 'when'), judging)
  const changed = fieldsNamed(resolution, draft, document)
  const set = Object.entries(value.set).flatMap(([name, written]) => {
    const at = (path: readonly (string | number)[], part?: 'key' | 'value') => place(['set', name, ...path], part)
    const field = settable(resolution, draft, name, at([], 'key'))
    const linked = field && linkValue({ resolution, draft, field, judging }, written, at)
    return field === undefined || linked === undefined ? [] : [{ field, value: linked }]
  })
  if ((value.when !== undefined && when === undefined) || set.length < Object.keys(value.set).length) return undefined
  const paths = [...(when === undefined ? [] : pathsOf(when)), ...set.flatMap((one) => pathsRead(one.value))]
  const reads = new Set([...paths.flatMap(columnsOf), ...(changed ?? []).map(({ column }) => column)])
  return { on, changed, when, set, reads, span: place([]) }
}

/** The field or relation that a value goes to; undefined with a complaint where nothing can be set. */
export function settable(resolution: Resolution, draft: Draft, name: string, span: Follow['span']): Field | undefined {
  const field = fieldOf(resolution, draft, name)
  if (
    field !== undefined &&
    isStored(field) &&
    field !== draft.key &&
    field.type.generated?.(field.options, '') === undefined
  )
    return field
  if (field === undefined && isBroken(resolution, draft, name)) return undefined
  const known = field === undefined ? [...draft.fields.values()].filter(isStored).map((one) => one.name) : []
  const message =
    field === undefined
      ? `"${draft.name}" has no field or relation "${name}"`
      : `"${name}" is given by the database and can not be set`
  resolution.report(
    'unknown_field',
    message,
    span,
    field === undefined ? suggest(name, [...known, ...draft.relations.keys()]) : {},
  )
  return undefined
}
