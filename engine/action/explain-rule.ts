/** ⇄ Whether a rule holds of a record, as it is stored or as an update would make it, and which values decide. */
import type { RecordRule, Resource, RulePart } from '../catalog/catalog.ts'
import { withFollowing } from '../catalog/following.ts'
import { meets } from '../catalog/stored.ts'
import { invalid } from '../error.ts'
import type { Id } from '../id.ts'
import type { JsonObject } from '../json.ts'
import { planNothing } from '../plan/write-plan.ts'
import { readLookup } from '../query/lookup.ts'
import { clausesFor } from '../query/policy.ts'
import { compileTold } from '../query/rule-told.ts'
import { currentRecord } from './current.ts'
import { type Execution, runCompiled, scopeOf } from './execution.ts'
import { changedValues, readInput, updatePlan } from './input.ts'
import { valueSlots } from './slots.ts'

/** One key of the rule's conditions, and what it comes to. */
export interface PartTold extends RulePart {
  readonly holds: boolean
  readonly values: readonly { readonly name: string; readonly value: string | null }[]
}

export interface RuleTold {
  readonly id: Id
  readonly parts: readonly PartTold[]
  /** Whether the update is judged by the rule at all; true where there is none. */
  readonly concerned: boolean
  /** The record has to be so. */
  readonly applies: boolean
  readonly holds: boolean
}

/** Looks; nothing is written. `body` is an update as a request would send it. Throws ApiError where it could not be one. */
export async function explainRule(
  around: Execution,
  resource: Resource,
  rule: RecordRule,
  named: string,
  body: JsonObject | undefined,
): Promise<RuleTold> {
  const clauses = clausesFor(resource.policies.update, around.actor)
  const current = await currentRecord(around, resource, clauses, readLookup(resource, named, around.actor), true)
  const { id } = current
  const update = body === undefined ? undefined : updateOf(around, resource, current.record, body)
  const plan = update?.plan ?? around.plans.get(planNothing, { resource })
  const compiled = compileTold(scopeOf(around, resource), rule, plan)
  const [row = []] = await runCompiled(around, compiled, { ...update?.slots, id }, true)
  let column = 0
  const parts = rule.parts.map((part, i): PartTold => {
    const holds = row[column++] === 't'
    const values = compiled.names[i]!.map((name) => ({ name, value: row[column++] ?? null }))
    return { ...part, holds, values }
  })
  const all = (of: RulePart['of']) => parts.every((part) => part.of !== of || part.holds)
  const concerned = update === undefined || (rule.on.has('update') && meets(rule.reads, update.columns))
  return { id, parts, concerned, applies: all('when'), holds: all('must') }
}

/** What an update writes, as it would be written without the hooks of plugins. */
function updateOf(around: Execution, resource: Resource, record: JsonObject, body: JsonObject) {
  const input = readInput(around, resource, [], body)
  if (Object.keys(input.errors).length > 0) throw invalid(input.errors)
  if (input.many.size > 0)
    throw new Error('What other links would make of the record cannot be told before they are written.')
  const values = changedValues(resource, input.values, record)
  const plan = updatePlan(around, { resource, clause: undefined, answer: 'draft' }, values)
  const written = [...plan.given, ...plan.assigned.map(({ field }) => field)].map(({ column }) => column)
  const columns = withFollowing(around.catalog, resource, 'update', written)
  return { plan, columns, slots: valueSlots(resource, values) }
}
