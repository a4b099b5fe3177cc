/** The plan of a request, as it is made before the database is asked. */

import { readListQuery } from '../ask/list.ts'
import { readLookup } from '../ask/lookup.ts'
import { requireClause } from '../ask/policy.ts'
import { readRecordQuery } from '../ask/projection.ts'
import type { WriteAction } from '../catalog/catalog.ts'
import { ApiError } from '../error.ts'
import type { JsonObject } from '../json.ts'
import { describeRead, describeWrite } from '../plan/describe.ts'
import type { ListPlan, RecordPlan } from '../plan/read-plan.ts'
import { planRemoval } from '../plan/write-plan.ts'
import type { WritePlan } from '../plan/write-shape.ts'
import { type Execution, hooksOf } from '../run/execution.ts'
import { recordPlan } from '../run/read.ts'
import { relatedFollowsOf } from '../statement/related-follow.ts'
import { placeOf } from '../text/source.ts'
import { madeSlugs } from '../write/create.ts'
import {
  coveringClauses,
  insertPlan,
  readInput,
  refuseGuarded,
  tablesOf,
  updatePlan,
  wanted,
  withId,
} from '../write/input.ts'
import { type Finding, refusalWords } from './render.ts'
import type { Question } from './request-report.ts'

/**
 * The plan of a request as lines; `body` is what it would send. Of an update this is the plan for all that is sent: values
 * that are stored already are left out once the record is read. Throws ApiError where the request is refused before.
 */
export function explainPlan(around: Execution, question: Question, body: JsonObject = {}): readonly string[] {
  const { action, resource } = question
  if (action === 'list' || action === 'get') return describeRead(readOf(around, question))
  const plan = writeOf(around, { ...question, action }, body)
  const hooks = hooksOf(around, resource, action).map(({ name }) => name)
  return [
    ...describeWrite(plan),
    ...(hooks.length === 0 ? [] : [`  around it: ${hooks.join(', ')}`]),
    ...elsewhere(around, plan),
  ]
}

/** The plan as findings of a report, or the refusal before it was made. */
export function planFindings(around: Execution, question: Question, body: JsonObject | undefined): readonly Finding[] {
  try {
    return explainPlan(around, question, body).map((text) => ({ text }))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return [{ text: `refused before a plan is made: ${refusalWords(error)}` }]
  }
}

function writeOf(
  around: Execution,
  question: Question & { readonly action: WriteAction },
  body: JsonObject,
): WritePlan {
  const { action, parent, resource } = question
  const { actor, plans } = around
  const speaking = requireClause(resource.policies[action], actor)
  if (action === 'delete' || action === 'restore') {
    const leaving = new Set<string>()
    return plans.get(planRemoval, { action, resource, leaving, answer: 'stored' })
  }
  const hooks = hooksOf(around, resource, action)
  const input = readInput(around, resource, hooks, body)
  if (Object.keys(input.errors).length > 0) throw new ApiError('validation_failed', { errors: input.errors })
  const attempted = wanted(resource, input.values, input)
  const creates = action === 'create'
  const values = parent === undefined ? input.values : { ...input.values, [parent.relation.field.name]: null }
  const clause = coveringClauses(speaking, actor, resource, attempted, creates)[0]
  refuseGuarded(actor, resource, attempted, creates)
  const within = hooks.some((hook) => hook.transaction)
  const parts = {
    resource,
    clause,
    answer: 'record',
    links: tablesOf(input.many),
    hooked: hooks.length > 0,
    within,
  } as const
  if (creates) {
    const trusted = parent === undefined ? [] : [parent.relation.field.name]
    const made = madeSlugs(resource, values).map(({ name }) => [name, null] as const)
    const complete = withId(resource, { ...values, ...Object.fromEntries(made) }, around.now())
    return insertPlan(around, { ...parts, trusted }, complete)
  }
  const finds = readLookup(resource, question.named ?? '', actor).field
  return updatePlan(around, { ...parts, finds, among: speaking }, values)
}

function elsewhere({ actor }: Execution, { action, bulk, columns, resource }: WritePlan): readonly string[] {
  const by = action === 'create' && bulk ? 'import' : action
  const follows = relatedFollowsOf(resource, by, actor, columns)
  const lines = follows.map(
    ({ set, span, way }) => `${set.map(({ field }) => field.name).join(', ')} of its ${way} (${placeOf(span)})`,
  )
  return lines.length === 0 ? [] : [`  then: ${lines.join('; ')}`]
}

function readOf(around: Execution, { action, named, parent, query, resource }: Question): ListPlan | RecordPlan {
  const { actor, catalog } = around
  if (action === 'list') return readListQuery(around, resource, query, parent).plan
  const chosen = readRecordQuery(catalog, resource, actor, query)
  const { field } = readLookup(resource, named ?? '', actor)
  return recordPlan(around, resource, { finds: field, gathered: field === resource.key, dead: false }, chosen)
}
