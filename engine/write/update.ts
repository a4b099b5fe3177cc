/** ⇄ Updating a record: what is asked for, and what of it really changes the stored record. */
import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../actor.ts'
import type { Lookup } from '../ask/lookup.ts'
import { allowsOne, readable, requireClause } from '../ask/policy.ts'
import type { Clause, Field, Resource } from '../catalog/catalog.ts'
import { computedFields, slugFields } from '../catalog/stored.ts'
import { invalid } from '../error.ts'
import type { FieldError } from '../field-error.ts'
import type { Json, JsonObject } from '../json.ts'
import type { WritePlan } from '../plan/write-shape.ts'
import { type FieldValues, mistake } from '../record/decode.ts'
import { type BoundHook, type Execution, hooksOf } from '../run/execution.ts'
import { looksAtVersion, type Preconditions, readBack, requireVersion } from '../run/read-back.ts'
import { type StoredRecord, storedRecord } from '../run/stored-record.ts'
import { isLogged } from '../statement/change-log.ts'
import { leaveRelated, leavingKeys } from './consequences.ts'
import {
  coveredBy,
  coveringClauses,
  coversPart,
  type Links,
  namesOf,
  readInput,
  refuseGuarded,
  tablesOf,
  updatePlan,
  type WriteInput,
  wanted,
} from './input.ts'
import { changedLinks } from './links.ts'
import { type KnownValues, without, withoutYes } from './locks.ts'
import { contradictions, settled } from './present-names.ts'
import { furtherErrors } from './refusal.ts'
import { remakeSlugs } from './slug.ts'
import { refusedOnUpdate } from './unwritable.ts'
import { type Change, write } from './write.ts'

const NONE: Readonly<FieldValues> = Object.freeze({})
const NOWHERE: ReadonlySet<string> = new Set()

/** What one request asks of a record, decoded. */
interface Update {
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

/** What really changes of the stored record, and the clauses under which the caller may change it. */
interface Difference {
  readonly stored: StoredRecord
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
  const update: Update = { resource, lookup, clauses, hooks, input, preconditions, fixed }
  const { covering } = coveredBy(clauses, around.actor, resource, input.values, false)
  const plan = askedPlan(around, update, covering[0])
  const isDirect = isPlain(around, update) && covering.length > 0 && coversAll(around, update, plan)
  return write(around, {
    plan,
    hooks,
    direct: isDirect ? { values: input.values, lookup: lookup.value } : undefined,
    groups: (inner) => groupsOf(inner, update, plan),
    read: (inner) => readUpdate(inner, update),
  })
}

/** The plan of changing all that is sent, by a statement that finds the record itself. */
function askedPlan(
  around: Execution,
  { clauses, fixed, hooks, input, lookup, resource }: Update,
  clause: Clause | undefined,
): WritePlan {
  const values = { ...input.values, ...fixed }
  return updatePlan(
    around,
    {
      resource,
      clause,
      answer: 'record',
      finds: lookup.field,
      told: isTold(resource, unseenValues(around.actor, resource, values, true)),
      links: tablesOf(input.many),
      among: clauses,
      hooked: hooks.length > 0,
      within: hooks.some((hook) => hook.transaction),
      // Of a value that is sent under two names it is not known which one is meant.
      never: yesless(resource, input.others === undefined ? values : {}, clauses),
    },
    values,
  )
}

/** Whether nothing but values that are right and may be changed is sent. */
function isPlain({ actor }: Execution, { resource, hooks, input, preconditions, fixed }: Update): boolean {
  const { values, extra, many, errors, others, unwritable } = input
  const names = Object.keys(values)
  if (names.length === 0 || hooks.length > 0 || many.size > 0) return false
  const isConditional = Object.values(preconditions).some((header) => header !== undefined)
  if (isConditional && looksAtVersion(preconditions)) return false
  const further = [extra, errors, unwritable, fixed, ...(others === undefined ? [] : [others])]
  if (further.some((part) => Object.keys(part).length > 0)) return false
  const slugs = slugFields(resource)
  return names.every((name) => {
    const field = resource.fields.get(name)
    return field !== undefined && !field.immutable && !slugs.includes(field) && allowsOne(field.write, actor)
  })
}

/**
 * Whether all that is sent is compared with what is stored, which the clause's own values are not, and no earlier clause
 * covers a part of it: perhaps only that part is a change, and the record is then changed under the earlier one.
 */
function coversAll({ actor }: Execution, { clauses, input, resource }: Update, { clause, given }: WritePlan): boolean {
  const earlier = clause === undefined ? [] : clauses.slice(0, clauses.indexOf(clause))
  if (earlier.some((one) => coversPart(one, actor, resource, input.values))) return false
  return given.length === Object.keys(input.values).length
}

/** The names of fields that get other values than the caller's. */
function decidedBy({ follows, updateSets }: Resource, clauses: readonly Clause[]): ReadonlySet<string> {
  const set = [...updateSets, ...clauses.flatMap((clause) => clause.set)]
  const following = follows.flatMap((follow) => follow.set)
  return new Set([...set, ...following].map(({ field }) => field.name))
}

/** The columns in which the record has no yes for sure, once these values are written under the clauses. */
function yesless(resource: Resource, values: Readonly<FieldValues>, clauses: readonly Clause[]): ReadonlySet<string> {
  return resource.soles.length === 0 ? NOWHERE : withoutYes(resource, without(values, decidedBy(resource, clauses)))
}

/** The record before and after the update, as far as the body alone decides it; undefined where a hook may. */
async function groupsOf(
  inner: Execution,
  { clauses, fixed, hooks, input, lookup, resource }: Update,
  { may }: WritePlan,
): Promise<readonly KnownValues[] | undefined> {
  if (hooks.length > 0) return undefined
  const { record } = await storedRecord({ ...inner, transaction: undefined }, resource, clauses, lookup)
  const computed = computedFields(inner.catalog, resource).filter(({ column }) => may.has(column))
  const decided = new Set([...decidedBy(resource, clauses), ...computed.map(({ name }) => name)])
  return [record, without({ ...record, ...settled(input, record, () => false).values, ...fixed }, decided)]
}

/** What is to be changed of the stored record; the text of the answer where that is nothing. */
async function readUpdate(inner: Execution, update: Update): Promise<Change | string> {
  const { input, resource } = update
  const difference = await differenceOf(inner, update)
  const { clauses, links, stored, unseen, values } = difference
  await refuseInvalid(inner, update, difference)
  await requireVersion(inner, resource, stored, update.preconditions)
  const { extra } = input
  if (Object.keys(values).length === 0 && Object.keys(extra).length === 0 && links.size === 0)
    return readBack(inner, resource, stored.id, stored.seen)
  const leaving = leavingKeys(inner, resource, stored.record)
  const isNothing = (some: Readonly<FieldValues>): boolean => Object.keys(some).length === 0 && links.size === 0
  return {
    stored,
    clauses,
    values,
    extra,
    links,
    settle: (left) => ({ ...pick(left, unseen), ...changedValues(resource, left, stored.record) }),
    plan: (some, clause, answer) => {
      const told = isTold(resource, pick(some, unseen))
      const never = yesless(resource, some, clause === undefined ? [] : [clause])
      const parts = { told, leaving, links: tablesOf(links), linked: namesOf(links), never }
      const plan = updatePlan(inner, { resource, clause, answer, ...parts }, some)
      return answer !== 'draft' && (isNothing(some) || plan.columns.size === 0) ? undefined : plan
    },
    before: async (within, some, draft) =>
      isNothing(some) ? undefined : leaveRelated(within, resource, stored, some, draft),
  }
}

/** Those of the values whose names are among others. */
function pick(values: Readonly<FieldValues>, others: Readonly<FieldValues>): FieldValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(others, name)))
}

/** Compares the input with the stored record; throws forbidden when a field that changes is not allowed. */
async function differenceOf(
  around: Execution,
  { resource, lookup, clauses, input, fixed }: Update,
): Promise<Difference> {
  const stored = await storedRecord(around, resource, clauses, lookup)
  const hidden = unseenValues(around.actor, resource, input.others ?? NONE, stored.seen)
  const sent = settled(input, stored.record, (name) => Object.hasOwn(hidden, name))
  const values = changedValues(resource, sent.values, stored.record)
  await remakeSlugs(around, resource, values, stored.record)
  const links = await changedLinks(around, resource, stored, input.many)
  const unseen = unseenValues(around.actor, resource, sent.values, stored.seen)
  const mistaken = errorsOfChanged(around.actor, resource, input, stored)
  const errors = { ...mistaken, ...contradictions(resource, sent.contradicting) }
  const attempted = wanted(resource, { ...unseen, ...values }, { many: links, errors })
  const covering = coveringClauses(stored.clauses, around.actor, resource, attempted, false)
  refuseGuarded(around.actor, resource, attempted, false)
  return {
    stored,
    // Written even where they are stored already: that nothing was written would show in `updated_at`.
    values: { ...unseen, ...values, ...changedValues(resource, fixed, stored.record) },
    unseen,
    links,
    clauses: covering,
    errors,
  }
}

/** Throws validation_failed with all that is wrong with the body. */
async function refuseInvalid(
  around: Execution,
  { resource, input, fixed }: Update,
  { errors: mistaken, links, stored, unseen, values }: Difference,
): Promise<void> {
  const isWhole = Object.keys(input.unwritable).length === 0
  const differing = isWhole ? {} : await refusedOnUpdate(around, resource, input.unwritable, stored)
  const errors = { ...mistaken, ...immutable(resource, { ...unseen, ...values }, fixed), ...differing }
  if (Object.keys(errors).length === 0) return
  throw invalid({ ...(await furtherErrors(around, resource, values, links, stored.id)), ...errors })
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

/** The part of `values` that differs from the stored record; equal values are no change, however they were written. */
export function changedValues(
  resource: Resource,
  values: Readonly<FieldValues>,
  stored: Readonly<Record<string, Json>>,
): FieldValues {
  const changed: FieldValues = {}
  for (const [name, value] of Object.entries(values)) {
    const field = resource.fields.get(name)
    if (field !== undefined && !same(field, value, stored[name] ?? null)) changed[name] = value
  }
  return changed
}

/** The errors without those of values that are sent back as they are stored: a rule that was added later does not refuse an older value. */
function errorsOfChanged(
  actor: Actor,
  resource: Resource,
  { body, errors }: Pick<WriteInput, 'body' | 'errors'>,
  { record: stored, seen }: { readonly record: Readonly<Record<string, Json>>; readonly seen: boolean },
): Record<string, FieldError[]> {
  const left = Object.entries(errors).filter(([key]) => {
    const name = key.replace(/\.\d+.*$/, '')
    const field = resource.fields.get(name)
    return field === undefined || !seen || !isSeen(actor, field) || !isDeepStrictEqual(body[name], stored[name])
  })
  return Object.fromEntries(left)
}

/**
 * The values that answers never show the caller, by their field, or all where it may not view the record. Nobody sends
 * them back, so they count as changes: where a stored one passed and another was refused, a caller would learn of each
 * guess whether it is right.
 */
function unseenValues(actor: Actor, resource: Resource, values: Readonly<FieldValues>, seen: boolean): FieldValues {
  const unseen = Object.entries(values).filter(([name]) => {
    const field = resource.fields.get(name)
    return field !== undefined && !(seen && isSeen(actor, field))
  })
  return Object.fromEntries(unseen)
}

/** Whether the log has an entry for any update to these values: an entry for changes alone would answer a guess. */
function isTold(resource: Resource, unseen: Readonly<FieldValues>): boolean {
  return Object.keys(unseen).some((name) => isLogged(resource, resource.fields.get(name)!))
}

function isSeen(actor: Actor, field: Field): boolean {
  return actor.kind === 'system' || (readable(field, actor) && field.show !== 'never')
}

function same(field: Field, value: Json, stored: Json): boolean {
  if (value === null || stored === null) return value === stored
  if (isDeepStrictEqual(value, stored)) return true
  const canonical = field.type.decode(stored, field.options)
  return 'value' in canonical && isDeepStrictEqual(value, canonical.value)
}
