/** Rules about what no record could ever fulfil, and about names that are taken: found by looking, not by the first request. */

import type { BelongsTo, Resource } from '../catalog/catalog.ts'
import { isStored } from '../catalog/stored.ts'
import type { Path } from '../definition/definition.ts'
import { renameOf } from './document-part.ts'
import { type Draft, eachDraft, type Resolution, type Written } from './resolution.ts'

/** Columns that every table of PostgreSQL has of its own. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

/** Judges what one resource says of itself, and the circles that several make together. */
export function contradictions(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    if (draft.owner === draft.name) {
      columnsAreFree(resolution, written, draft)
      columnTypesAreOthers(resolution, written, draft)
      renamesAreFree(resolution, written, draft)
      clearedMayBeEmpty(resolution, written, draft)
      firstRecordCanBe(resolution, written, draft)
    }
    somebodyFills(resolution, written, draft)
  }
}

function columnsAreFree(resolution: Resolution, written: Written, draft: Draft): void {
  for (const field of draft.fields.values()) {
    if (field.computed !== undefined || field.count !== undefined || !SYSTEM_COLUMNS.has(field.column)) continue
    const message = `"${field.column}" is a column of PostgreSQL's own`
    const document = written.fields.get(field.name)
    const span = document?.value.column === undefined ? field.span : document.place(['column'])
    resolution.report('reserved_name', message, span, { hint: 'choose another name, or another "column"' })
  }
}

/** Only a table that is somebody else's has columns of other types than those that the engine gives them. */
function columnTypesAreOthers(resolution: Resolution, written: Written, draft: Draft): void {
  if (draft.existing) return
  for (const [name, { value, place }] of written.fields) {
    if (value.column_type === undefined) continue
    const message = `The column of "${name}" is made by the engine, with the type that ${value.type} has`
    const hint = 'take "column_type" away; it is for tables with "existing: true"'
    resolution.report('wrong_option', message, place(['column_type'], 'key'), { hint })
  }
}

/** What had the name before cannot be there still. */
function renamesAreFree(resolution: Resolution, written: Written, draft: Draft): void {
  const other = resolution.drafts.get(draft.renamedFrom ?? '')
  if (other !== undefined) {
    const message = `"${other.name}" is a resource still, so "${draft.name}" cannot have been called so`
    resolution.report('name_clash', message, written.document.place(['renamed_from']), {
      hint: 'remove the other resource, or take renamed_from away',
    })
  }
  const named = [...written.fields, ...written.relations]
  for (const [name, { value, place }] of named) {
    const earlier = renameOf(value.renamed_from)?.name
    if (earlier === undefined || !(draft.fields.has(earlier) || draft.relations.has(earlier))) continue
    const message = `"${earlier}" is a field or relation of "${draft.name}" still, so "${name}" cannot have been called so`
    resolution.report('name_clash', message, place(['renamed_from']), {
      hint: 'remove the other one, or take renamed_from away',
    })
  }
}

function clearedMayBeEmpty(resolution: Resolution, written: Written, draft: Draft): void {
  for (const relation of requiredRelations(draft)) {
    if (relation.onDelete !== 'set_null') continue
    const span = placeOf(written, relation, ['on_delete'])
    resolution.report('wrong_relation', `"${relation.name}" is required, so nothing can clear it`, span, {
      expected: ['restrict', 'cascade'],
    })
  }
}

/** A record needs the one it belongs to; where that needs this one in turn, none of them can be the first. */
function firstRecordCanBe(resolution: Resolution, written: Written, draft: Draft): void {
  for (const relation of requiredRelations(draft)) {
    const way = wayBack(resolution, resolution.drafts.get(relation.target), draft.name, [])
    if (way === undefined) continue
    const circle = [draft.name, ...way].map((name) => `"${name}"`).join(', which requires ')
    resolution.report(
      'wrong_relation',
      `No first record can be made: ${circle}`,
      placeOf(written, relation, ['required']),
      {
        hint: 'leave one of these relations optional',
      },
    )
  }
}

/** The owners that lead from a resource to `goal` by required relations, `goal` last. */
function wayBack(
  resolution: Resolution,
  from: Draft | undefined,
  goal: string,
  seen: readonly string[],
): string[] | undefined {
  const owner = from && resolution.drafts.get(from.owner)
  if (owner === undefined || seen.includes(owner.name)) return undefined
  if (owner.name === goal) return [goal]
  for (const relation of requiredRelations(owner)) {
    const rest = wayBack(resolution, resolution.drafts.get(relation.target), goal, [...seen, owner.name])
    if (rest !== undefined) return [owner.name, ...rest]
  }
  return undefined
}

/** The key at which it is told that a field gets no value, what is said more, and what to do. */
const UNGIVEN = ['read_only', '', 'give it a default, set it in a clause of "create", or take read_only away'] as const
const OPTIONAL = [
  'nullable',
  ' where its body leaves it out',
  'write required: true instead, or give it a default',
] as const

/** A required value that bodies cannot give must come from a rule, a default or a hook. */
function somebodyFills(resolution: Resolution, written: Written, draft: Draft): void {
  const clauses = draft.policies.create
  if (!creates(draft) || clauses.length === 0 || draft.hooks.create.length > 0) return
  const always = draft.follows.filter(({ on, when }) => on.has('create') && when === undefined)
  const sets = [...draft.scopeSets, ...clauses.flatMap((clause) => clause.set), ...always.flatMap((one) => one.set)]
  const set = new Set(sets.map(({ field }) => field.column))
  const paths = new Set<string>(draft.nested.map((route) => route.relation.field.name))
  for (const field of draft.fields.values()) {
    if (field.required ? !field.readOnly : field.nullable || !isStored(field) || field.stored !== undefined) continue
    if (field === draft.key || set.has(field.column) || paths.has(field.name)) continue
    if (field.default !== undefined || field.defaultMoment !== undefined || field.type.generated !== undefined) continue
    const relation = field.relation === undefined ? undefined : draft.relations.get(field.relation)
    if (relation?.kind === 'belongs_to' && relation.default !== undefined) continue
    if (field.type.name === 'slug' && typeof field.options.own.from === 'string') continue
    const document = relation === undefined ? written.fields.get(field.name) : written.relations.get(relation.name)
    const name = relation?.name ?? field.name
    const what = field.required ? 'is required' : 'is never null'
    const [key, lack, hint] = field.readOnly ? UNGIVEN : OPTIONAL
    const message = `"${name}" ${what}, and nothing gives a new "${draft.name}" its value${lack}`
    resolution.report('wrong_option', message, document?.place([key]) ?? field.span, { hint })
  }
}

function creates(draft: Resource): boolean {
  return draft.actions.has('create') || draft.nested.some((route) => route.actions.includes('create'))
}

function requiredRelations(draft: Draft): readonly BelongsTo[] {
  return [...draft.relations.values()].flatMap((relation) =>
    relation.kind === 'belongs_to' && relation.field.required ? [relation] : [],
  )
}

function placeOf(written: Written, relation: BelongsTo, path: Path) {
  return written.relations.get(relation.name)?.place(path) ?? relation.span
}
