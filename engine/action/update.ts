/** ⇄ Updating a record: read it with its policy, see what really changes, run hooks around one checked update, answer. */
import type { Assignment, Clause, Field, Resource } from '../catalog/catalog.ts'
import { concernsUpdate, withFollowing } from '../catalog/following.ts'
import { computedFields } from '../catalog/stored.ts'
import { invalid } from '../error.ts'
import type { FieldError } from '../field-error.ts'
import type { Json, JsonObject } from '../json.ts'
import { type Lock, locksOf } from '../plan/write-checks.ts'
import { type Lookup, notFound } from '../query/lookup.ts'
import { requireClause } from '../query/policy.ts'
import { compileUpdate } from '../query/write-statement.ts'
import { type FieldValues, mistake } from '../record/decode.ts'
import { answered } from './answer.ts'
import { allReady } from './cached-tables.ts'
import { followRelated, leaveRelated, leavingKeys, takeOver } from './consequences.ts'
import { type Current, currentRecord } from './current.ts'
import { type AskedUpdate, updateDirectly } from './direct-update.ts'
import { changeSlots, type Execution, hooksOf, noteChange, runCompiled, scopeOf } from './execution.ts'
import { drafts, runHooks, type Written } from './hooks.ts'
import type { WriteInput } from './input.ts'
import {
  changedValues,
  coveringClauses,
  errorsOfChanged,
  isTold,
  type Links,
  readInput,
  refuseGuarded,
  underClause,
  unseenValues,
  updatePlan,
  wanted,
} from './input.ts'
import { changedLinks, judgedLater, namesOf, refuseBrokenLinks, tablesOf, writeMany } from './links.ts'
import { type KnownValues, lockRead, takeLocks, underLocks, without, withoutYes } from './locks.ts'
import { logLinks } from './log-writes.ts'
import { contradictions, settled } from './present-names.ts'
import { isCounted, needsTransaction, type Preconditions, readBack, requireVersion } from './read-back.ts'
import { furtherErrors, refusedByDatabase } from './refusal.ts'
import { keptSlots } from './slots.ts'
import { remakeSlugs } from './slug.ts'
import { refusedOnUpdate } from './unwritable.ts'

const NONE: Readonly<FieldValues> = Object.freeze({})

/** How often an update that lost a race against another writer starts over before it takes the row's lock. */
const TRIES = 2

/** The row was changed by another writer between reading and writing it. */
class LostRace extends Error {}

/** An update with what its columns may concern. */
interface Update extends AskedUpdate {
  /** The columns that it may write. */
  readonly columns: ReadonlySet<string>
  /** What is locked before the record is read. */
  readonly locks: readonly Lock[]
}

/** What really changes of the stored record, and the clauses under which the caller may change it. */
interface Change {
  readonly current: Current
  readonly values: FieldValues
  /** The values that the caller may not see, whatever is stored. */
  readonly unseen: Readonly<FieldValues>
  readonly links: Links
  readonly clauses: readonly (Clause | undefined)[]
  /** What is wrong with the values that are not sent back as they are stored. */
  readonly errors: Record<string, FieldError[]>
}

/**
 * Changes a record (PUT and PATCH alike) and gives it as JSON text in its single shape. `fixed` are decoded values of
 * fields that callers cannot write, which the program itself has to say.
 * Throws ApiError record_not_found, forbidden, validation_failed, conflict, stale_version.
 */
export async function updateRecord(
  around: Execution,
  resource: Resource,
  lookup: Lookup,
  body: JsonObject,
  preconditions: Preconditions = {},
  fixed: Readonly<FieldValues> = NONE,
): Promise<string> {
  const clauses = requireClause(resource.policies.update, around.actor)
  const hooks = hooksOf(around, resource, 'update')
  const input = readInput(around, resource, hooks, body)
  const columns = columnsOf(around, resource, clauses, { ...input.values, ...fixed })
  const locks = isCounted(resource) ? updateLocks(around, { resource, clauses, columns, fixed, input }) : []
  const update: Update = { resource, lookup, clauses, hooks, input, preconditions, fixed, columns, locks }
  const locked = (): Promise<string> =>
    underLocks(around, {
      locks,
      records: (inner) => groupsOf(inner, update),
      work: (inner, check) => updateOnce(inner, update, check),
    })
  // A hook may still name a field that such a rule counts by.
  const counted =
    locks.length > 0 ||
    (hooks.length > 0 && locksOf(around.catalog, { resource, action: 'update', columns: undefined }).length > 0)
  // A hook may write any field.
  const writable = hooks.length === 0 ? columns : new Set([...resource.fields.values()].map(({ column }) => column))
  const elsewhere = resource.relatedFollows.some((follow) => concernsUpdate(follow, writable))
  const transactional = counted || elsewhere || needsTransaction(around.catalog, resource, hooks, input.many, writable)
  if (transactional || around.transaction !== undefined) return locked()
  const answer = await updateDirectly(around, update)
  if (answer !== undefined) return answer
  for (let tries = 1; ; tries++) {
    try {
      return await updateOnce(around, update)
    } catch (error) {
      if (!(error instanceof LostRace)) throw error
      if (tries === TRIES) return locked()
    }
  }
}

/** The record before and after the update, as far as the body alone decides it; undefined where a hook may. */
async function groupsOf(
  inner: Execution,
  { clauses, columns, fixed, hooks, input, lookup, resource }: Update,
): Promise<readonly KnownValues[] | undefined> {
  if (hooks.length > 0) return undefined
  const { record } = await currentRecord({ ...inner, transaction: undefined }, resource, clauses, lookup)
  const computed = computedFields(inner.catalog, resource).filter(({ column }) => columns.has(column))
  const decided = new Set([...decidedBy(resource, clauses), ...computed.map(({ name }) => name)])
  return [record, without({ ...record, ...settled(input, record, () => false).values, ...fixed }, decided)]
}

async function updateOnce(
  around: Execution,
  update: Update,
  check: (record: KnownValues) => void = () => undefined,
): Promise<string> {
  const { resource, input } = update
  const change = await readChange(around, update)
  const { current, values, links } = change
  check(current.record)
  await refuseInvalid(around, update, change)
  await requireVersion(around, resource, current, update.preconditions)
  const nothing = Object.keys(values).length === 0 && Object.keys(input.extra).length === 0 && links.size === 0
  return nothing ? readBack(around, resource, current.id, current.seen) : writeChange(around, update, change)
}

/** Compares the input with the stored record; throws forbidden when a field that changes stands in the way. */
async function readChange(around: Execution, { resource, lookup, clauses, input, fixed }: Update): Promise<Change> {
  const current = await currentRecord(around, resource, clauses, lookup)
  const hidden = unseenValues(around.actor, resource, input.others ?? NONE, current.seen)
  const sent = settled(input, current.record, (name) => Object.hasOwn(hidden, name))
  const values = changedValues(resource, sent.values, current.record)
  await remakeSlugs(around, resource, values, current.record)
  const links = await changedLinks(around, resource, current, input.many)
  const unseen = unseenValues(around.actor, resource, sent.values, current.seen)
  const mistaken = errorsOfChanged(around.actor, resource, input, current)
  const errors = { ...mistaken, ...contradictions(resource, sent.contradicting) }
  const attempted = wanted(resource, { ...unseen, ...values }, { many: links, errors })
  const covering = coveringClauses(current.clauses, around.actor, resource, attempted, false)
  refuseGuarded(around.actor, resource, attempted, false)
  return {
    current,
    // Written even where they are stored already: that nothing was written would show in `updated_at`.
    values: { ...unseen, ...values, ...changedValues(resource, fixed, current.record) },
    unseen,
    links,
    clauses: covering,
    errors,
  }
}

/** Throws validation_failed with all that is wrong with the body. */
async function refuseInvalid(around: Execution, { resource, input, fixed }: Update, change: Change): Promise<void> {
  const { current, values, links, unseen } = change
  const differing = await refusedOnUpdate(around, resource, input.unwritable, current)
  const errors = { ...change.errors, ...immutable(resource, { ...unseen, ...values }, fixed), ...differing }
  if (Object.keys(errors).length === 0) return
  throw invalid({ ...(await furtherErrors(around, resource, values, links, current.id)), ...errors })
}

/** Writes a change with its hooks. Inside a transaction hooks see the stored row, and the answer is read back at the end. */
async function writeChange(around: Execution, update: Update, change: Change): Promise<string> {
  const { resource, hooks } = update
  const { current, clauses, links } = change
  const returning = around.transaction === undefined ? 'record' : 'stored'
  const write = startWrite(around, update, change)
  const returned = await runHooks(around, resource, 'update', hooks, write, async () => {
    const values = { ...unseenOf(change, write.input), ...changedValues(resource, write.input, current.record) }
    const changes = Object.keys(values).length > 0 || links.size > 0
    if (changes) await leaveRelated(around, resource, current, values, write.draft)
    const text = changes
      ? await underClause(clauses, (clause) => updateRow(around, update, change, values, clause, returning))
      : undefined
    if (returning === 'stored')
      write.result = text === undefined ? current.record : (JSON.parse(text) as Record<string, Json>)
    const moved = await writeMany(around, resource, current.id, links)
    await refuseBrokenLinks(around, { resource, action: 'update', id: current.id, moved, columns: update.columns })
    if (text === undefined) {
      if (links.size > 0) await logLinks(around, resource, current.id, namesOf(links))
      return undefined
    }
    // A hook may have named any field.
    const columns = hooks.length > 0 ? undefined : update.columns
    if (write.result !== undefined) {
      await takeOver(around, { resource, action: 'update', columns }, write.result)
      await followRelated(around, resource, { by: 'update', before: current.record, after: write.result })
    }
    await noteChange(around, resource)
    return text
  })
  const isAnswer = returning === 'record' && returned !== undefined && current.seen
  return isAnswer ? returned : readBack(around, resource, current.id, current.seen)
}

/** What is left of the values that the caller may not see when hooks have run. */
function unseenOf({ unseen }: Change, input: Readonly<FieldValues>): FieldValues {
  return Object.fromEntries(Object.entries(input).filter(([name]) => Object.hasOwn(unseen, name)))
}

/** What hooks find before anything is written. */
function startWrite(around: Execution, { resource, input: { extra } }: Update, change: Change): Written {
  const { current, clauses } = change
  const input = { ...change.values }
  const draft = drafts(around, input, {
    resource,
    id: current.id,
    clauses,
    values: () => changedValues(resource, input, current.record),
    plan: (values, clause) => updatePlan(around, { resource, clause, answer: 'draft' }, values),
  })
  return { input, extra, record: current.record, result: undefined, draft }
}

function immutable(
  resource: Resource,
  changed: Readonly<FieldValues>,
  fixed: Readonly<FieldValues>,
): Record<string, FieldError[]> {
  const errors: Record<string, FieldError[]> = {}
  for (const name of Object.keys(changed)) {
    const field = resource.fields.get(name)
    // What is removed leaves nothing to stay as it is.
    if (field?.immutable && !(name in fixed && fixed[name] === null))
      errors[name] = [mistake(field, 'not_writable', 'cannot be changed')]
  }
  return errors
}

/** Writes the changed values and what every update sets, as JSON text; undefined when there is no column to write. */
async function updateRow(
  around: Execution,
  { resource, locks }: Update,
  change: Change,
  values: FieldValues,
  clause: Clause | undefined,
  answer: 'record' | 'stored',
): Promise<string | undefined> {
  const { current, links } = change
  const plan = updatePlan(
    around,
    {
      resource,
      clause,
      answer,
      told: isTold(resource, unseenOf(change, values)),
      links: judgedLater(resource, links),
      leaving: leavingKeys(around, resource, current.record),
      linked: namesOf(links),
    },
    values,
  )
  const { assigned, given } = plan
  if (given.length + assigned.length === 0) return undefined
  if (isCounted(resource)) await takeLateLocks(around, { resource, values, given, assigned, taken: locks })
  const compiled = around.statements.get(compileUpdate, scopeOf(around, resource), plan)
  if (around.transaction !== undefined) await lockRead(around, plan, values, current.id)
  if (compiled.kept.length > 0) await allReady(compiled.kept)
  const slots = {
    ...(await keptSlots(around, resource, values)),
    ...changeSlots(around),
    id: current.id,
    version: current.version,
  }
  const [row] = await refusedByDatabase(around.actor, resource, () => runCompiled(around, compiled, slots))
  // A locked row can only be gone because a hook of this very action removed it.
  if (row === undefined) throw around.transaction === undefined ? new LostRace() : notFound(resource)
  const text = await answered(around, resource, compiled, row, current.seen)
  if (row[compiled.checks.length] === null) throw new LostRace()
  return text
}

/** The columns that an update of these values may write. */
function columnsOf(
  { catalog }: Execution,
  resource: Resource,
  clauses: readonly Clause[],
  values: Readonly<FieldValues>,
): ReadonlySet<string> {
  const given = Object.keys(values).flatMap((name) => resource.fields.get(name)?.column ?? [])
  const set = [...resource.updateSets, ...clauses.flatMap((clause) => clause.set)]
  return withFollowing(catalog, resource, 'update', [...given, ...set.map(({ field }) => field.column)])
}

/** The names of fields that get other values than the caller's. */
function decidedBy({ follows, updateSets }: Resource, clauses: readonly Clause[]): ReadonlySet<string> {
  const set = [...updateSets, ...clauses.flatMap((clause) => clause.set)]
  const following = follows.flatMap((follow) => follow.set)
  return new Set([...set, ...following].map(({ field }) => field.name))
}

/** What is locked before the record is read. */
function updateLocks(
  { catalog }: Execution,
  asked: {
    readonly resource: Resource
    readonly clauses: readonly Clause[]
    readonly columns: ReadonlySet<string>
    readonly fixed: Readonly<FieldValues>
    readonly input: WriteInput
  },
): readonly Lock[] {
  const { clauses, columns, fixed, input, resource } = asked
  // Of a value that stands under two names it is not known which one is meant.
  const sure = input.others === undefined ? { ...input.values, ...fixed } : {}
  const known = without(sure, decidedBy(resource, clauses))
  const [links, never] = [tablesOf(input.many), withoutYes(resource, known)]
  return locksOf(catalog, { resource, action: 'update', columns, links, never })
}

/** What an update writes in the end. */
interface Late {
  readonly resource: Resource
  readonly values: Readonly<FieldValues>
  readonly given: readonly Field[]
  readonly assigned: readonly Assignment[]
  /** The locks that are taken already. */
  readonly taken: readonly Lock[]
}

/** What a hook named beside the body may concern rules whose locks are not taken yet. */
async function takeLateLocks(around: Execution, { resource, values, given, assigned, taken }: Late): Promise<void> {
  const named = [...given, ...assigned.map(({ field }) => field)].map(({ column }) => column)
  const columns = withFollowing(around.catalog, resource, 'update', named)
  const decided = new Set([...decidedBy(resource, []), ...assigned.map(({ field }) => field.name)])
  const known = without(values, decided)
  const late = locksOf(around.catalog, { resource, action: 'update', columns, never: withoutYes(resource, known) })
  await takeLocks(
    around,
    late.filter(({ name }) => !taken.some((one) => one.name === name)),
  )
}
