/** ⇄ Updating a record: read it with its policy, see what really changes, run hooks around one checked update, answer. */
import type { Assignment, Clause, Resource } from '../catalog/catalog.ts'
import { ApiError, invalid } from '../error.ts'
import type { Json, JsonObject } from '../json.ts'
import { sentence } from '../record/decode.ts'
import { refusedByDatabase, written as writtenRecord } from './create.ts'
import { currentRecord } from './current.ts'
import { type Execution, inTransaction, noteChange } from './execution.ts'
import { hooksOf, runHooks, type Written } from './hook-chain.ts'
import { changedValues, chooseClause, readInput, refuseGuarded, type Values, valueSlots } from './input.ts'
import type { Lookup } from './lookup.ts'
import { writeMany } from './many.ts'
import { actorClass, clausesFor, refusal } from './policy.ts'
import { runCompiled } from './read.ts'
import { readBack, requireVersion } from './read-back.ts'
import { compileUpdate, type WriteShape } from './write-statement.ts'

/** How often an update that lost a race against another writer starts over. */
const TRIES = 5

/** The row was changed by another writer between reading and writing it. */
class LostRace extends Error {}

/**
 * Changes a record (PUT and PATCH alike) and gives it as JSON text in its single shape.
 * Throws ApiError record_not_found, forbidden, validation_failed, conflict, stale_version.
 */
export async function updateRecord(
  around: Execution,
  resource: Resource,
  lookup: Lookup,
  body: JsonObject,
  ifMatch?: string,
): Promise<string> {
  const clauses = clausesFor(resource.policies.update, around.actor)
  if (clauses.length === 0 && around.actor.kind !== 'system') throw refusal(resource.policies.update, around.actor)
  const hooks = hooksOf(around, resource, 'update')
  const input = readInput(around, resource, hooks, body)
  const transactional = hooks.some((hook) => hook.transaction) || input.many.size > 0
  const attempt = (inner: Execution): Promise<string> => updateOnce(inner, resource, lookup, clauses, input, ifMatch)
  if (transactional || around.transaction !== undefined) return inTransaction(around, attempt)
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(around)
    } catch (error) {
      if (!(error instanceof LostRace)) throw error
      if (tries === TRIES) throw new ApiError('unavailable', { retryAfter: 1, cause: error })
    }
  }
}

async function updateOnce(
  around: Execution,
  resource: Resource,
  lookup: Lookup,
  clauses: readonly Clause[],
  input: ReturnType<typeof readInput>,
  ifMatch: string | undefined,
): Promise<string> {
  const current = await currentRecord(around, resource, clauses, lookup)
  const changed = changedValues(resource, input.values, current.record)
  const clause = chooseClause(current.clauses, around.actor, resource, changed)
  refuseGuarded(around.actor, resource, changed, false)
  const errors = { ...input.errors, ...immutable(resource, changed) }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  await requireVersion(around, resource, current.id, ifMatch)
  if (Object.keys(changed).length === 0 && Object.keys(input.extra).length === 0 && input.many.size === 0) {
    return readBack(around, resource, current.id)
  }
  const written: Written = { input: { ...changed }, extra: input.extra, record: current.record, result: undefined }
  let answer: string | undefined
  await runHooks(around, resource, 'update', hooksOf(around, resource, 'update'), written, async () => {
    const returning = around.transaction === undefined ? 'answer' : 'stored'
    const values = changedValues(resource, written.input, current.record)
    const text = await change(around, resource, current, values, clause, returning)
    if (returning === 'answer') answer = text
    else written.result = text === undefined ? current.record : (JSON.parse(text) as Record<string, Json>)
    await writeMany(around, current.id, input.many)
    if (text !== undefined) await noteChange(around, resource.table)
  })
  return answer ?? readBack(around, resource, current.id)
}

function immutable(resource: Resource, changed: Readonly<Values>): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  for (const name of Object.keys(changed)) {
    const field = resource.fields.get(name)
    if (field?.immutable) errors[name] = [sentence(field, 'cannot be changed')]
  }
  return errors
}

/** Writes the changed values; undefined when nothing is left to change. */
async function change(
  around: Execution,
  resource: Resource,
  current: { readonly id: number; readonly version: string },
  values: Values,
  clause: Clause | undefined,
  returning: WriteShape['returning'],
): Promise<string | undefined> {
  if (Object.keys(values).length === 0) return undefined
  const set: readonly Assignment[] = clause?.set ?? []
  const fixed = new Set(set.map((assignment) => assignment.field.name))
  const given = [...resource.fields.values()].filter((field) => field.name in values && !fixed.has(field.name))
  const assigned = [
    ...set,
    ...resource.updateSets.filter(({ field }) => !(field.name in values) && !fixed.has(field.name)),
  ]
  const names = given.map((field) => field.name).join(',')
  const key = `update ${returning} ${resource.name} ${clause?.span.start ?? ''} ${names} ${actorClass(around.actor)}`
  const shape: WriteShape = { given, trusted: new Set(), assigned, clause, returning }
  const compiled = around.statements.get(key, () => compileUpdate(around.catalog, resource, around.actor, shape))
  const slots = { ...valueSlots(resource, values), id: current.id, version: current.version }
  const [row] = await refusedByDatabase(resource, () => runCompiled(around, compiled, slots))
  if (row === undefined) throw new LostRace()
  const text = writtenRecord(compiled, row)
  if (row[compiled.checks.length] === null) throw new LostRace()
  return text
}
