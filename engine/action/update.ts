/** ⇄ Updating a record: read it with its policy, see what really changes, run hooks around one checked update, answer. */
import type { Assignment, Clause, Resource } from '../catalog/catalog.ts'
import { invalid } from '../error.ts'
import type { Json, JsonObject } from '../json.ts'
import { type Lookup, notFound } from '../query/lookup.ts'
import { actorClass, clausesFor, refusal } from '../query/policy.ts'
import type { WriteShape } from '../query/write-shape.ts'
import { compileUpdate } from '../query/write-statement.ts'
import { sentence } from '../record/decode.ts'
import { type Current, currentRecord } from './current.ts'
import { drafts } from './draft.ts'
import { type Execution, inTransaction, noteChange } from './execution.ts'
import { hooksOf, runHooks, type Written } from './hook-chain.ts'
import {
  changedValues,
  coveringClauses,
  errorsOfChanged,
  readInput,
  refuseGuarded,
  underClause,
  type Values,
  valueSlots,
  wanted,
} from './input.ts'
import { changedLinks, writeMany } from './many.ts'
import { furtherErrors, refusedByDatabase, written as writtenRecord } from './outcome.ts'
import { runCompiled } from './read.ts'
import { looksAtItself, readBack, requireVersion } from './read-back.ts'
import { followsFrom, freeSlug, slugFields } from './slug.ts'
import { refusedOnUpdate } from './unwritable.ts'

/** How often an update that lost a race against another writer starts over before it takes the row's lock. */
const TRIES = 2

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
  const transactional =
    hooks.some((hook) => hook.transaction) || input.many.size > 0 || looksAtItself(around.catalog, resource)
  const attempt = (inner: Execution): Promise<string> => updateOnce(inner, resource, lookup, clauses, input, ifMatch)
  if (transactional || around.transaction !== undefined) return inTransaction(around, attempt)
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(around)
    } catch (error) {
      if (!(error instanceof LostRace)) throw error
      if (tries === TRIES) return inTransaction(around, attempt)
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
  await remakeSlugs(around, resource, changed, current.record)
  const links = await changedLinks(around, current.id, input.many)
  const wrong = errorsOfChanged(resource, input, current.record)
  const attempted = wanted(resource, changed, { many: links, errors: wrong })
  const covering = coveringClauses(current.clauses, around.actor, resource, attempted, false)
  refuseGuarded(around.actor, resource, attempted, false)
  const differing = await refusedOnUpdate(around, resource, input.unwritable, current)
  const errors = { ...wrong, ...immutable(resource, changed), ...differing }
  if (Object.keys(errors).length > 0)
    throw invalid({ ...(await furtherErrors(around, resource, changed, links, current.id)), ...errors })
  await requireVersion(around, resource, current.id, ifMatch)
  if (Object.keys(changed).length === 0 && Object.keys(input.extra).length === 0 && links.size === 0) {
    return readBack(around, resource, current.id)
  }
  const written = begun(around, resource, current, covering, changed, input.extra)
  let answer: string | undefined
  await runHooks(around, resource, 'update', hooksOf(around, resource, 'update'), written, async () => {
    const returning = around.transaction === undefined ? 'answer' : 'stored'
    const values = changedValues(resource, written.input, current.record)
    const text =
      Object.keys(values).length === 0 && links.size === 0
        ? undefined
        : await underClause(covering, (clause) => change(around, resource, current, values, clause, returning))
    if (returning === 'answer') answer = text
    else written.result = text === undefined ? current.record : (JSON.parse(text) as Record<string, Json>)
    await writeMany(around, current.id, links)
    if (text !== undefined) await noteChange(around, resource.table)
  })
  return answer ?? readBack(around, resource, current.id)
}

/** What hooks find before anything is written. */
function begun(
  around: Execution,
  resource: Resource,
  current: Current,
  clauses: readonly (Clause | undefined)[],
  changed: Readonly<Values>,
  extra: Readonly<Values>,
): Written {
  const input = { ...changed }
  const draft = drafts(around, input, {
    resource,
    action: 'update',
    id: current.id,
    clauses,
    values: () => changedValues(resource, input, current.record),
    shape: (values, clause) => ({ ...updateShape(resource, values, clause), clause }),
  })
  return { input, extra, record: current.record, result: undefined, draft }
}

/** What an update takes from the values, and what rules set beside them. */
function updateShape(
  resource: Resource,
  values: Readonly<Values>,
  clause: Clause | undefined,
): Pick<WriteShape, 'given' | 'assigned'> {
  const set: readonly Assignment[] = clause?.set ?? []
  const fixed = new Set(set.map((assignment) => assignment.field.name))
  const given = [...resource.fields.values()].filter(
    (field) => Object.hasOwn(values, field.name) && !fixed.has(field.name),
  )
  const further = resource.updateSets.filter(
    ({ field }) => !Object.hasOwn(values, field.name) && !fixed.has(field.name),
  )
  return { given, assigned: [...set, ...further] }
}

/** A slug that is cleared is made again; one that already follows from its source stays. */
async function remakeSlugs(
  around: Execution,
  resource: Resource,
  changed: Values,
  record: Readonly<Record<string, Json>>,
): Promise<void> {
  for (const field of slugFields(resource)) {
    if (changed[field.name] !== null) continue
    const values = { ...record, ...changed }
    if (followsFrom(resource, field, values, record[field.name] ?? null)) delete changed[field.name]
    else changed[field.name] = await freeSlug(around, resource, field, values)
  }
}

function immutable(resource: Resource, changed: Readonly<Values>): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  for (const name of Object.keys(changed)) {
    const field = resource.fields.get(name)
    if (field?.immutable) errors[name] = [sentence(field, 'cannot be changed')]
  }
  return errors
}

/** Writes the changed values and what every update sets, as JSON text; undefined when there is no column to write. */
async function change(
  around: Execution,
  resource: Resource,
  current: { readonly id: number; readonly version: string },
  values: Values,
  clause: Clause | undefined,
  returning: WriteShape['returning'],
): Promise<string | undefined> {
  const { given, assigned } = updateShape(resource, values, clause)
  if (given.length + assigned.length === 0) return undefined
  const names = given.map((field) => field.name).join(',')
  const key = `update ${returning} ${resource.name} ${clause?.span.start ?? ''} ${names} ${actorClass(around.actor)}`
  const shape: WriteShape = { given, trusted: new Set(), assigned, clause, returning }
  const compiled = around.statements.get(key, () => compileUpdate(around.catalog, resource, around.actor, shape))
  const slots = { ...valueSlots(resource, values), id: current.id, version: current.version }
  const [row] = await refusedByDatabase(resource, () => runCompiled(around, compiled, slots))
  // A locked row can only be gone because a hook of this very action removed it.
  if (row === undefined) throw around.transaction === undefined ? new LostRace() : notFound(resource)
  const text = writtenRecord(compiled, row)
  if (row[compiled.checks.length] === null) throw new LostRace()
  return text
}
