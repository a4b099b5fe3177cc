/** ⇄ An update as one statement, which also finds the record: most of them need nothing else. */
import type { Clause, Resource } from '../catalog/catalog.ts'
import { ApiError, isRefusal } from '../error.ts'
import type { Lookup } from '../query/lookup.ts'
import { allowsOne } from '../query/policy.ts'
import { compileUpdate } from '../query/write-statement.ts'
import type { FieldValues } from '../record/decode.ts'
import { answered } from './answer.ts'
import { allReady } from './cached-tables.ts'
import { type BoundHook, changeSlots, type Execution, noteChange, runCompiled, scopeOf } from './execution.ts'
import { coveredBy, coversPart, isTold, unseenValues, updatePlan, type WriteInput } from './input.ts'
import { looksAtVersion, type Preconditions } from './read-back.ts'
import { refusedByDatabase } from './refusal.ts'
import { keptSlots } from './slots.ts'
import { slugFields } from './slug.ts'

/** What one request asks of a record, decoded. */
export interface AskedUpdate {
  readonly resource: Resource
  readonly lookup: Lookup
  /** The clauses that speak of the caller. */
  readonly clauses: readonly Clause[]
  readonly hooks: readonly BoundHook[]
  readonly input: WriteInput
  readonly preconditions: Preconditions
  /** Values that the program itself says, whatever its caller may write. */
  readonly fixed: Readonly<FieldValues>
}

/**
 * Changes the record by one statement, outside of a transaction, and gives it as JSON text; undefined where that is not
 * possible, and then nothing is written: what is refused, and what changes nothing, is to be judged beside the record
 * that is stored, because a value that is sent as it is stored is no change.
 */
export async function updateDirectly(around: Execution, update: AskedUpdate): Promise<string | undefined> {
  if (!isPlain(around, update)) return undefined
  const { clauses, input, lookup, resource } = update
  const { values } = input
  const { covering } = coveredBy(clauses, around.actor, resource, values, false)
  if (covering.length === 0) return undefined
  const [clause] = covering
  // Of what is sent, perhaps only the values that an earlier clause covers are changes; the record is then changed under that one.
  const earlier = clause === undefined ? [] : clauses.slice(0, clauses.indexOf(clause))
  if (earlier.some((one) => coversPart(one, around.actor, resource, values))) return undefined
  const told = isTold(resource, unseenValues(around.actor, resource, values, true))
  const plan = updatePlan(around, { resource, clause, finds: lookup.field, told, answer: 'record' }, values)
  // What the clause sets itself is not compared with what is stored.
  if (plan.given.length < Object.keys(values).length) return undefined
  const compiled = around.statements.get(compileUpdate, scopeOf(around, resource), plan)
  if (compiled.kept.length > 0) await allReady(compiled.kept)
  const slots = { ...(await keptSlots(around, resource, values)), ...changeSlots(around), lookup: lookup.value }
  try {
    const [row] = await refusedByDatabase(around.actor, resource, () => runCompiled(around, compiled, slots))
    if (row === undefined) return undefined
    const text = await answered(around, resource, compiled, row, true)
    // Another writer was faster: the checks hold, and nothing was written.
    if (row[compiled.checks.length] === null) return undefined
    await noteChange(around, resource)
    return text
  } catch (error) {
    if (error instanceof ApiError && isRefusal(error)) return undefined
    throw error
  }
}

/** Whether nothing but values that are right and may be changed is sent. */
function isPlain({ actor }: Execution, { resource, hooks, input, preconditions, fixed }: AskedUpdate): boolean {
  const { values, extra, many, errors, others, unwritable } = input
  const names = Object.keys(values)
  if (names.length === 0 || hooks.length > 0 || many.size > 0) return false
  if (looksAtVersion(preconditions)) return false
  const beside = [extra, errors, unwritable, fixed, ...(others === undefined ? [] : [others])]
  if (beside.some((part) => Object.keys(part).length > 0)) return false
  const slugs = slugFields(resource)
  return names.every((name) => {
    const field = resource.fields.get(name)
    return field !== undefined && !field.immutable && !slugs.includes(field) && allowsOne(field.write, actor)
  })
}
