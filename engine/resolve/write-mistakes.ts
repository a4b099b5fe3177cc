/** Pass: what is said about writes that nothing could ever make come true. */
import type { Assignment, Clause, Field, Filter } from '../catalog/catalog.ts'
import type { Json } from '../json.ts'
import { fieldOf } from './link-path.ts'
import { conjuncts } from './never.ts'
import { type Draft, eachDraft, type Resolution, type Written } from './resolution.ts'

/** Judges policies, deletion and answers of every resource. */
export function writeMistakes(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    clausesCreate(resolution, written, draft)
    clausesUpdate(resolution, written, draft)
    clausesSetOnce(resolution, written, draft)
    if (draft.owner === draft.name) deletedIsGone(resolution, written, draft)
    answersHaveBodies(resolution, written, draft)
    for (const name of Object.keys(written.document.value.update_sets ?? {}))
      if (draft.owner === draft.name)
        updatesLeave(resolution, draft, name, written.document.place(['update_sets', name], 'key'))
  }
}

/** What an update sets is no field that never changes. */
function updatesLeave(resolution: Resolution, draft: Draft, name: string, span: Draft['span']): void {
  const field = fieldOf(resolution, draft, name)
  if (field?.immutable !== true) return
  resolution.report('wrong_option', `"${name}" is set on create and never changed, so no update can set it`, span, {
    hint: 'leave it out, or take "immutable" away from the field',
  })
}

/** A clause that leaves a required field out lets nobody create anything. */
function clausesCreate(resolution: Resolution, written: Written, draft: Draft): void {
  if (draft.hooks.create.length > 0) return
  const follow = draft.follows.filter(({ on }) => on.has('create')).flatMap(({ set }) => set)
  const paths = draft.nested
    .filter(({ actions }) => actions.includes('create'))
    .map(({ relation }) => relation.field.name)
  for (const [index, clause] of draft.policies.create.entries()) {
    // A name that is unknown is told already, and may well be the one that is missed.
    if (clause.fields === undefined || clause.fields.size < named(written, index)) continue
    const set = new Set([...draft.scopeSets, ...clause.set, ...follow].map(({ field }) => field.column))
    const missing = [...draft.fields.values()].find(
      (field) =>
        field.required &&
        !field.readOnly &&
        !isGiven(draft, clause, field) &&
        !set.has(field.column) &&
        !paths.includes(field.name) &&
        !isBroughtByParent(resolution, draft, field),
    )
    if (missing === undefined) continue
    const name = missing.relation ?? missing.name
    const message = `This clause lets nobody write "${name}", which every "${draft.name}" must have`
    resolution.report('wrong_access', message, placeOf(written, 'create', index, 'fields'), {
      hint: `add "${name}" to its fields, or give it a value with "set"`,
    })
  }
}

function named({ document }: Written, index: number): number {
  return document.value.policies?.create?.[index]?.fields?.length ?? 0
}

function isGiven(draft: Draft, { fields }: Clause, field: Field): boolean {
  if (fields?.has(field.name) === true || field.default !== undefined || field.defaultMoment !== undefined) return true
  const relation = draft.relations.get(field.relation ?? '')
  if (relation?.kind === 'belongs_to' && relation.default !== undefined) return true
  return field.type.name === 'slug' && typeof field.options.own.from === 'string'
}

/** Whether a body of the other record may bring this one along. */
function isBroughtByParent(resolution: Resolution, draft: Draft, field: Field): boolean {
  const relation = draft.relations.get(field.relation ?? '')
  return [...(resolution.drafts.get(relation?.target ?? '')?.relations.values() ?? [])].some(
    (one) => one.kind === 'has_many' && one.withParent && one.target === draft.name,
  )
}

function clausesUpdate(resolution: Resolution, written: Written, draft: Draft): void {
  for (const [index, { fields, set }] of draft.policies.update.entries()) {
    if (fields === undefined) continue
    const span = placeOf(written, 'update', index, 'fields')
    if (written.document.value.policies?.update?.[index]?.fields?.length === 0 && set.length === 0)
      resolution.report('wrong_access', 'This clause lets people change nothing', span, {
        hint: 'name the fields that may be changed, or take the clause away',
      })
    const fixed = [...fields].find((name) => draft.fields.get(name)?.immutable === true)
    if (fixed === undefined) continue
    const message = `"${draft.fields.get(fixed)?.relation ?? fixed}" is set on create and never changed, so no update can write it`
    resolution.report('wrong_access', message, span, { hint: 'leave it out, or take "immutable" away from the field' })
  }
}

/** What a clause sets is not the caller's to write. */
function clausesSetOnce(resolution: Resolution, written: Written, draft: Draft): void {
  for (const policy of ['create', 'update'] as const)
    for (const [index, { fields, set }] of draft.policies[policy].entries()) {
      const both = set.find(({ field }) => fields?.has(field.name) === true)?.field
      if (both !== undefined) {
        const message = `"${both.relation ?? both.name}" always gets what "set" says, so nobody writes it under this clause`
        resolution.report('wrong_access', message, placeOf(written, policy, index, 'fields'), {
          hint: 'leave it out of "fields", or out of "set"',
        })
      }
      const given = set.find(({ field }) => field === draft.key)
      if (given === undefined || !draft.key.readOnly) continue
      resolution.report(
        'wrong_access',
        'The database gives every record its id',
        placeOf(written, policy, index, 'set'),
        {
          hint: 'leave id out',
        },
      )
    }
}

function placeOf({ document }: Written, policy: string, index: number, key: string) {
  return document.place(['policies', policy, index, key])
}

/** What delete sets takes a record out of sight, and what restore sets brings it back. */
function deletedIsGone(resolution: Resolution, { document }: Written, draft: Draft): void {
  const { place, value } = document
  if (value.delete_sets !== undefined && draft.live === undefined) {
    resolution.report('missing_live', 'Nothing tells deleted records from the others', place(['delete_sets'], 'key'), {
      hint: 'add "live", which no longer holds of a deleted record, as live: { deleted_at: null }',
    })
    return
  }
  if (draft.live === undefined) return
  if (value.delete_sets !== undefined && staysAs(draft.live, draft.deleteSets ?? [], true))
    resolution.report('missing_live', 'A record that is deleted stays as "live" wants it', place(['delete_sets']), {
      hint: 'set a field that "live" looks at to another value',
    })
  if (value.restore_sets !== undefined && staysAs(draft.live, draft.restoreSets ?? [], false))
    resolution.report('missing_live', 'A record that is restored is not as "live" wants it', place(['restore_sets']), {
      hint: 'set the fields that "live" looks at as it wants them',
    })
}

/** Whether what is set surely leaves (`holds`) the filter true, or surely makes it false. */
function staysAs(live: Filter, sets: readonly Assignment[], holds: boolean): boolean {
  const parts = conjuncts(live)
  if (parts.length === 0) return false
  const judged = parts.map((part) => {
    const set = sets.find(({ field }) => field === part.path.field && part.path.relations.length === 0)
    // What is not set stays as it was: true of a living record, false of a deleted one.
    if (set === undefined) return holds ? true : undefined
    if (!('operand' in set) || part.operand.kind !== 'literal') return undefined
    const { operand } = set
    if (operand.kind !== 'literal')
      return operand.kind === 'now' || operand.kind === 'today'
        ? fulfils(part.operator, part.operand.value, operand)
        : undefined
    return fulfils(part.operator, part.operand.value, operand.value)
  })
  return holds ? judged.every((one) => one === true) : judged.some((one) => one === false)
}

function fulfils(operator: string, wanted: Json, given: unknown): boolean | undefined {
  if (operator === 'null') return (given === null) === wanted
  if (typeof given === 'object' && given !== null) return undefined
  if (operator === 'eq') return given === wanted
  return operator === 'ne' ? given !== wanted : undefined
}

/** 204 has no body, so an answer that is its record cannot be one. */
function answersHaveBodies(resolution: Resolution, { document }: Written, draft: Draft): void {
  for (const [action, status] of Object.entries(document.value.status_codes ?? {})) {
    const span = document.place(['status_codes', action])
    if (status === 204 && (action === 'list' || action === 'get'))
      resolution.report('wrong_value', `An answer with 204 has no body, so ${action} would show nothing`, span, {
        expected: ['200'],
      })
    if (document.value.actions !== undefined && !offers(draft, action))
      resolution.report(
        'wrong_value',
        `"${draft.name}" has no ${action}`,
        document.place(['status_codes', action], 'key'),
        {
          hint: `add ${action} to "actions", or leave it out here`,
        },
      )
  }
}

function offers(draft: Draft, action: string): boolean {
  return [...draft.actions, ...draft.nested.flatMap(({ actions }) => actions)].includes(action as 'list')
}
