/** ⇄ One write from top to bottom: locks, what is stored, hooks around one checked statement, what is written behind it, and the answer. */
import { notFound } from '../ask/lookup.ts'
import type { Clause, Resource } from '../catalog/catalog.ts'
import { idOf, idSql, idType, protectedFields } from '../catalog/stored.ts'
import type { Row } from '../database/database.ts'
import type { ApiError } from '../error.ts'
import { quoted, slot, sql } from '../filter/sql.ts'
import type { Id } from '../id.ts'
import type { Json } from '../json.ts'
import type { Lock, WriteAnswer, WritePlan } from '../plan/write-shape.ts'
import type { FieldValues } from '../record/decode.ts'
import { allReady, KeptEmbedMiss } from '../run/cached-tables.ts'
import {
  type BoundHook,
  changeSlots,
  type Execution,
  inTransaction,
  noteChange,
  runCompiled,
  scopeOf,
} from '../run/execution.ts'
import { readBack } from '../run/read-back.ts'
import type { StoredRecord } from '../run/stored-record.ts'
import { protectedSecret } from '../seal.ts'
import { compiled, valueSlots } from '../statement/compiled.ts'
import { compileWrite } from '../statement/write.ts'
import { followRelated, takeOver } from './consequences.ts'
import { type Drafting, type DraftRecord, drafts, runHooks, type Written } from './hooks.ts'
import { type Links, namesOf, withId } from './input.ts'
import { refuseBrokenLinks, writeMany } from './links.ts'
import { hasMoved, type KnownValues, lockRead, takeLocks } from './locks.ts'
import { logLinks } from './log-writes.ts'
import { refusalOf, refusedByDatabase, undone } from './refusal.ts'

/** How often an update that lost a race against another writer starts over before it takes the row's lock. */
const TRIES = 2

/** A request to write a record, decoded and allowed as far as its body decides that. */
export interface WriteRequest {
  /** What it asks for; an update may turn out to be a smaller one. */
  readonly plan: WritePlan
  readonly hooks: readonly BoundHook[]
  /** The values of an update that its plan finds the record for; undefined: the record has to be read first. */
  readonly direct?: { readonly values: Readonly<FieldValues>; readonly lookup: Json } | undefined
  /** The record before and after the write, read without a lock; undefined where that is not known beforehand. */
  readonly groups: (inner: Execution) => Promise<readonly KnownValues[] | undefined>
  /** Reads what is stored and gives what is to be written; the text of the answer where that is nothing. */
  readonly read: (inner: Execution) => Promise<Change | string>
  /** What is answered of a creation; its single shape if absent. */
  readonly told?: 'id' | undefined
}

/** What is to be written of one record. */
export interface Change {
  /** The stored record; undefined: it is to come. */
  readonly stored: StoredRecord | undefined
  /** The clauses under which it may be written, in order. */
  readonly clauses: readonly (Clause | undefined)[]
  /** The values that hooks find and may change. */
  readonly values: Readonly<FieldValues>
  /** The values that only hooks know. */
  readonly extra: Readonly<FieldValues>
  readonly links: Links
  /** The values of the statement, by those that hooks have left. */
  readonly settle: (input: Readonly<FieldValues>) => Promise<Readonly<FieldValues>> | Readonly<FieldValues>
  /** The plan of the statement; undefined where there is no column to write. */
  readonly plan: (
    values: Readonly<FieldValues>,
    clause: Clause | undefined,
    answer: WriteAnswer,
  ) => WritePlan | undefined
  /** Writes what has to be written before the statement. */
  readonly before?: (
    inner: Execution,
    values: Readonly<FieldValues>,
    draft: () => Promise<DraftRecord>,
  ) => Promise<void>
  /** Writes what belongs to the record, behind it. */
  readonly behind?: (inner: Execution, id: Id) => Promise<void>
}

/** Thrown through the hooks of a write whose record another writer has changed since it was read. */
class LostRace extends Error {}

/** Writes what a request asks for, all of it or nothing, and gives the record as JSON text. Throws what refuses it. */
export async function write(around: Execution, request: WriteRequest, alone = request.plan.alone): Promise<string> {
  const { locks } = request.plan
  const isWithin = around.transaction !== undefined
  for (let tries = 1; alone && !isWithin && tries <= TRIES; tries++) {
    const text = (tries === 1 ? await writeDirectly(around, request) : undefined) ?? (await perform(around, request))
    if (text !== undefined) return text
  }
  // A transaction of several writes would come to take groups in any order, and two of them might wait for each other.
  const isGrouped = !isWithin && locks.some(({ per }) => per.length > 0)
  const text = isGrouped ? await performLocked(around, request, request.groups) : undefined
  return text ?? (await performLocked(around, request))!
}

/** Writes in a transaction under the locks of the plan; undefined where the record has moved to another group meanwhile. */
function performLocked(
  around: Execution,
  request: WriteRequest,
  groupsOf?: WriteRequest['groups'],
): Promise<string | undefined> {
  return inTransaction(around, async (inner) => {
    const groups = await groupsOf?.(inner)
    await takeLocks(inner, request.plan.locks, groups)
    return perform(inner, request, groups)
  })
}

/**
 * Writes by the statement of the plan, which finds the record itself; undefined where it wrote nothing: what is refused,
 * and what changes nothing, is judged together with the stored record, because a value that is sent as it is stored is no
 * change.
 */
async function writeDirectly(around: Execution, { direct, plan }: WriteRequest): Promise<string | undefined> {
  if (direct === undefined) return undefined
  const { lookup, values } = direct
  const outcome = await runPlan(around, plan, values, { lookup }, true)
  if (outcome === undefined || 'refusal' in outcome) return undefined
  await noteChange(around, plan.resource)
  return outcome.text
}

/** Reads what is stored, writes and answers; undefined where another writer was faster, and then nothing is written. */
async function perform(
  around: Execution,
  request: WriteRequest,
  groups?: readonly KnownValues[],
): Promise<string | undefined> {
  const { hooks, plan } = request
  const change = await request.read(around)
  if (typeof change === 'string') return change
  if (change.stored !== undefined && hasMoved(plan.locks, groups?.[0], change.stored.record)) return undefined
  const written = startWrite(around, plan, change)
  try {
    const work = () => store(around, request, change, written)
    const text =
      hooks.length === 0 ? await work() : await runHooks(around, plan.resource, plan.action, hooks, written, work)
    return await answer(around, request, change, written, text)
  } catch (error) {
    if (!(error instanceof LostRace)) throw error
    return undefined
  }
}

/** What hooks find before anything is written; the draft is made when a hook asks, which few do. */
function startWrite(around: Execution, { resource }: WritePlan, change: Change): Written {
  const { clauses, extra, stored } = change
  const input = { ...change.values }
  const drafting: Drafting = {
    resource,
    id: stored?.id,
    clauses,
    values: () => change.settle(input),
    plan: (values, clause) => change.plan(values, clause, 'draft')!,
  }
  let asked: (() => Promise<DraftRecord>) | undefined
  const draft = (): Promise<DraftRecord> => {
    asked ??= drafts(around, input, drafting)
    return asked()
  }
  return { input, extra, record: stored?.record, result: undefined, draft }
}

/** Writes what hooks have left, and all that belongs to it; gives the text of the statement, undefined where it was none. */
async function store(
  around: Execution,
  request: WriteRequest,
  change: Change,
  written: Written,
): Promise<string | undefined> {
  const { action, resource } = request.plan
  const values = await change.settle(written.input)
  await change.before?.(around, values, written.draft)
  const text = await runStatement(around, request.plan, change, values)
  if (around.transaction !== undefined) {
    const remains = action !== 'delete' || resource.deleteSets !== undefined
    if (text !== undefined && remains) written.result = JSON.parse(text) as Record<string, Json>
    await writeBehind(around, request, change, written, text !== undefined)
  }
  if (text !== undefined) await noteChange(around, resource)
  return text
}

/** Runs the statement under the first clause that admits what is written; undefined where there is no column to write. */
async function runStatement(
  around: Execution,
  { action, locks: taken, resource }: WritePlan,
  { clauses, plan, stored }: Change,
  values: Readonly<FieldValues>,
): Promise<string | undefined> {
  const answer = around.transaction === undefined ? 'record' : 'stored'
  const places = clauses.length === 0 ? [undefined] : clauses
  const complete = action === 'create' ? withId(resource, values, around.now()) : values
  for (const [at, clause] of places.entries()) {
    const planned = plan(complete, clause, answer)
    if (planned === undefined) return undefined
    await lockLate(around, planned, taken, complete, stored?.id)
    const found = { id: stored?.id, version: stored?.version }
    const outcome = await runPlan(around, planned, complete, found, stored?.seen ?? true)
    if (outcome === undefined) return lost(around, resource, action, stored)
    if ('text' in outcome) return outcome.text
    if (outcome.refusal.code !== 'forbidden' || at === places.length - 1) throw outcome.refusal
  }
}

/** Ends a write whose statement found its row changed by another writer, or removed by a hook of this very write, or wrote nothing. */
async function lost(
  around: Execution,
  resource: Resource,
  action: WritePlan['action'],
  stored: StoredRecord | undefined,
): Promise<undefined> {
  if (around.transaction === undefined) throw new LostRace()
  const id = sql`${idSql(resource, 't')} = ${slot('id')}::${idType(resource)}`
  const there = compiled(sql`select 1 from ${quoted(resource.table)} t where ${id}`)
  if ((await runCompiled(around, there, { id: stored?.id })).length > 0) throw undone()
  if (action === 'update') throw notFound(resource)
}

/** Takes the locks that only the final values show to be needed, a hook having named more than was asked for. */
async function lockLate(
  around: Execution,
  plan: WritePlan,
  taken: readonly Lock[],
  values: Readonly<FieldValues>,
  id: Id | undefined,
): Promise<void> {
  if (around.transaction === undefined) return
  const late = plan.locks.filter(({ name }) => !taken.some((one) => one.name === name))
  await takeLocks(around, late)
  if (plan.action !== 'delete') await lockRead(around, plan, values, id)
}

/** What came of a statement: the record as JSON text, or why nothing was written. */
type Outcome = { readonly text: string } | { readonly refusal: ApiError }

/** Runs the statement of a plan; undefined where there is no row to write any more. `found` says which row that is. */
async function runPlan(
  around: Execution,
  plan: WritePlan,
  values: Readonly<FieldValues>,
  found: Readonly<Record<string, unknown>>,
  seen: boolean,
): Promise<Outcome | undefined> {
  const { resource } = plan
  const compiled = around.statements.get(compileWrite, scopeOf(around, resource), plan)
  if (compiled.kept.length > 0) await allReady(compiled.kept)
  const hasSecrets = protectedFields(around.catalog, resource).length > 0
  const kept = hasSecrets ? await withProtected(around, resource, values) : values
  const slots = { ...valueSlots(resource, kept), ...changeSlots(around), ...found }
  let row: Row | undefined
  try {
    ;[row] = await runCompiled(around, compiled, slots)
  } catch (error) {
    const refusal = refusedByDatabase(around.actor, plan, error)
    if (refusal === undefined) throw error
    return { refusal }
  }
  if (row === undefined) return undefined
  const { checks } = compiled
  const refusal = checks.every((_, i) => row[i] === 't') ? undefined : refusalOf(around, plan, compiled, row, seen)
  if (refusal !== undefined) return { refusal }
  const id = row[checks.length] ?? null
  if (id === null && plan.action === 'create') return { refusal: undone() }
  // The checks hold, and another writer was faster, or the database wrote nothing.
  if (id === null && (plan.action === 'update' || checks.length > 0)) return undefined
  try {
    return { text: compiled.serialize(row) }
  } catch (error) {
    // The row names a record younger than what is kept in the process.
    if (!(error instanceof KeptEmbedMiss)) throw error
    return { text: await readBack(around, resource, idOf(resource, id), true) }
  }
}

/** Writes what follows from a statement in the same transaction: the only yes, links, values of other records, children. */
async function writeBehind(
  around: Execution,
  { hooks, plan }: WriteRequest,
  { behind, links, stored }: Change,
  written: Written,
  isWritten: boolean,
): Promise<void> {
  const { action, may, resource } = plan
  if (action === 'delete') return
  if (action === 'restore') return followRelated(around, resource, { by: action, after: stored!.record })
  const after = written.result ?? stored!.record
  const id = after.id as Id
  const isNew = action === 'create'
  written.result = after
  if (isWritten)
    await takeOver(around, { resource, action, columns: isNew || hooks.length > 0 ? undefined : may }, after)
  const moved = await writeMany(around, resource, id, links)
  await refuseBrokenLinks(around, { resource, action, id, moved, columns: may })
  const by = isNew && around.bulk ? 'import' : action
  if (isWritten) await followRelated(around, resource, { by, before: stored?.record, after })
  else if (links.size > 0) await logLinks(around, resource, id, namesOf(links))
  await behind?.(around, id)
}

/** The record as its caller may see it: of the statement, or read again where that could not show all that was written. */
function answer(
  around: Execution,
  { plan, told }: WriteRequest,
  { stored }: Change,
  { result }: Written,
  text: string | undefined,
): Promise<string> | string {
  if (plan.action === 'delete') return ''
  const seen = stored?.seen ?? true
  if (around.transaction === undefined && seen && (text !== undefined || stored === undefined)) return text ?? ''
  const id = stored?.id ?? (result?.id as Id)
  return told === 'id' ? JSON.stringify({ id }) : readBack(around, plan.resource, id, seen)
}

/** Whether values of the resource must be protected before they are written. */
export function hasProtected({ catalog }: Pick<Execution, 'catalog'>, resource: Resource): boolean {
  return protectedFields(catalog, resource).length > 0
}

/** The values with each secret sealed or hashed. */
export async function withProtected(
  { catalog, settings }: Pick<Execution, 'catalog' | 'settings'>,
  resource: Resource,
  values: Readonly<FieldValues>,
): Promise<Readonly<FieldValues>> {
  const changed: Record<string, Json> = {}
  for (const { field, how } of protectedFields(catalog, resource)) {
    const value = values[field.name]
    if (typeof value === 'string') changed[field.name] = await protectedSecret(settings, how, value)
  }
  return { ...values, ...changed }
}
