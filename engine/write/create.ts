/** ⇄ Creating a record: what is sent, decoded and allowed, and the slugs that are made for it. */
import type { Actor } from '../actor.ts'
import { requireClause } from '../ask/policy.ts'
import type { Assignment, Clause, Field, Resource } from '../catalog/catalog.ts'
import { slugFields } from '../catalog/stored.ts'
import { ApiError, invalid } from '../error.ts'
import type { FieldError } from '../field-error.ts'
import type { Id } from '../id.ts'
import type { JsonObject } from '../json.ts'
import { memo } from '../memo.ts'
import { assignments } from '../plan/write-plan.ts'
import type { WritePlan } from '../plan/write-shape.ts'
import { type FieldValues, isWritable, mistake } from '../record/decode.ts'
import { type BoundHook, type Execution, hooksOf, type Within } from '../run/execution.ts'
import { type Parent, parentId } from '../run/parent.ts'
import { type Children, createChildren, splitBody } from './children.ts'
import {
  assignedValues,
  coveringClauses,
  haveSameNames,
  insertPlan,
  namesIn,
  readInput,
  refuseGuarded,
  tablesOf,
  tellable,
  type WriteInput,
  wanted,
} from './input.ts'
import { type KnownValues, without, withoutYes } from './locks.ts'
import { contradictions } from './present-names.ts'
import { countCreated } from './quota.ts'
import { furtherErrors } from './refusal.ts'
import { freeSlug } from './slug.ts'
import { refusedOnCreate } from './unwritable.ts'
import { type Change, type WriteRequest, write } from './write.ts'

/**
 * How often a slug is made before a create gives up, when other requests take the same slug first. From the second time on
 * they wait for each other; each newcomer's first time, which waits for nobody, may still take the slug of one that waits.
 */
const SLUG_TRIES = 20

const NONE: Readonly<FieldValues> = Object.freeze({})
const NOWHERE: ReadonlySet<string> = new Set()
const NO_CHILDREN: Children = new Map()

/** A record to come, decoded and allowed. */
export interface NewRecord {
  readonly resource: Resource
  readonly input: WriteInput
  readonly clauses: readonly (Clause | undefined)[]
  readonly hooks: readonly BoundHook[]
  readonly parent: Parent | undefined
  /** What is created with it. */
  readonly children: Children
  readonly fixed: Readonly<FieldValues>
  /** What is asked for, under the first clause. */
  readonly plan: WritePlan
  /** The columns in which it has no yes for sure. */
  readonly never: ReadonlySet<string>
}

/**
 * Creates a record and gives it as JSON text in its single shape; throws ApiError forbidden, validation_failed, conflict.
 * `fixed` are decoded values of fields that callers cannot write, which the program itself has to say.
 */
export async function createRecord(
  around: Execution,
  resource: Resource,
  body: JsonObject,
  parent?: Parent,
  fixed: Readonly<FieldValues> = NONE,
): Promise<string> {
  return createNew(around, await decodeNew(around, resource, body, parent, fixed))
}

/** Creates a record in the open transaction as `createRecord` does, and gives its id alone: it is not read back. */
export async function createId(
  inner: Within,
  resource: Resource,
  body: JsonObject,
  fixed: Readonly<FieldValues> = NONE,
): Promise<Id> {
  const record = await decodeNew(inner, resource, body, undefined, fixed)
  return (JSON.parse(await createNew(inner, record, 'id')) as { readonly id: Id }).id
}

/** A record to come, decoded and allowed; throws as creating does for what is known before the database is asked. */
export async function decodeNew(
  around: Execution,
  resource: Resource,
  body: JsonObject,
  parent?: Parent,
  fixed: Readonly<FieldValues> = NONE,
): Promise<NewRecord> {
  const speaking = requireClause(resource.policies.create, around.actor)
  const hooks = hooksOf(around, resource, 'create')
  const above = parent === undefined ? undefined : await parentId(around, parent)
  const {
    children,
    errors: misplaced,
    own,
  } = takesChildren(resource) ? splitBody(resource, body) : { children: NO_CHILDREN, errors: {}, own: body }
  const sent = readInput(around, resource, hooks, own)
  const input = parent === undefined ? sent : below(sent, parent.relation.field, above)
  // Writing the foreign key that the path fixes needs no right of its own.
  const chosen = parent === undefined ? sent.values : without(sent.values, new Set([parent.relation.field.name]))
  const clauses = allowedClauses(around, resource, speaking, wanted(resource, chosen, input))
  const never =
    hooks.length > 0 || resource.soles.length === 0
      ? NOWHERE
      : withoutYes(resource, givenForSure(resource, { ...input.values, ...fixed }, clauses))
  const plan = askedPlan(around, { resource, input, clauses, hooks, parent, children, never })
  const errors = { ...errorsOf(around, plan, input), ...misplaced }
  if (Object.keys(errors).length > 0)
    throw invalid({ ...(await furtherErrors(around, resource, chosen, input.many, undefined)), ...errors })
  return { resource, input, clauses, hooks, parent, children, fixed, plan, never }
}

function takesChildren({ relations }: Resource): boolean {
  return [...relations.values()].some((relation) => relation.kind === 'has_many' && relation.withParent)
}

/** The input of a record below another: its foreign key is the path's, and a body that says otherwise is refused. */
function below(input: WriteInput, field: Field, above: Id | undefined): WriteInput {
  const said = Object.hasOwn(input.values, field.name) ? input.values[field.name] : undefined
  const errors = { ...input.errors }
  if (said !== undefined && said !== above)
    errors[field.name] = [mistake(field, 'invalid_selection', 'must be the record of the path')]
  return { ...input, values: { ...input.values, [field.name]: above ?? null }, errors }
}

/** The clauses under which the caller may send these values; throws forbidden when a field is not allowed. */
function allowedClauses(
  { actor }: Execution,
  resource: Resource,
  speaking: readonly Clause[],
  attempted: Readonly<FieldValues>,
): readonly (Clause | undefined)[] {
  const clauses = coveringClauses(speaking, actor, resource, attempted, true)
  refuseGuarded(actor, resource, attempted, true)
  return clauses
}

/** The plan of creating the record as it is sent. */
function askedPlan(
  around: Execution,
  { children, clauses, hooks, input, never, parent, resource }: Omit<NewRecord, 'fixed' | 'plan'>,
): WritePlan {
  const within = children.size > 0 || around.actor.quota !== undefined || hooks.some((hook) => hook.transaction)
  const hooked = hooks.length > 0
  const parts = { trusted: trustedNames(parent), links: tablesOf(input.many), never, hooked, within }
  return insertPlan(around, { resource, clause: clauses[0], answer: 'record', ...parts }, input.values)
}

/** The fields that the path decides. */
function trustedNames(parent: Parent | undefined): readonly string[] {
  return parent === undefined ? [] : [parent.relation.field.name]
}

/** What is wrong with the body before the database is asked. */
function errorsOf(
  { actor, catalog }: Execution,
  { assigned, resource }: WritePlan,
  input: WriteInput,
): Record<string, FieldError[]> {
  return {
    ...input.errors,
    ...(input.others && contradictions(resource, Object.keys(input.others))),
    ...missingErrors(actor, resource, input, assigned),
    ...(Object.keys(input.unwritable).length > 0 &&
      refusedOnCreate(catalog, resource, input.unwritable, assignedValues(assigned, actor))),
  }
}

/** Creates the record; starts over when another request took the slug that was made for it. */
async function createNew(around: Execution, record: NewRecord, told?: 'id'): Promise<string> {
  const { clauses, fixed, hooks, input, plan, resource } = record
  const values = { ...input.values, ...fixed }
  const request: WriteRequest = {
    plan,
    hooks,
    told,
    groups: async () => (hooks.length > 0 ? undefined : [givenForSure(resource, values, clauses)]),
    read: (inner) => changeOf(inner, record, values),
  }
  for (let tries = 1; ; tries++) {
    try {
      return await write(around, request, plan.alone && tries === 1)
    } catch (error) {
      if (around.transaction !== undefined || tries === SLUG_TRIES || !slugTaken(record, error)) throw error
    }
  }
}

/** What is to be written: all of the record. */
async function changeOf(
  inner: Execution,
  { children, clauses, input, never, parent, plan, resource }: NewRecord,
  values: Readonly<FieldValues>,
): Promise<Change> {
  const { actor, transaction } = inner
  if (transaction !== undefined) await countCreated({ actor, transaction }, [input.values])
  const parts = { resource, trusted: trustedNames(parent), links: tablesOf(input.many), never }
  return {
    stored: undefined,
    clauses,
    values,
    extra: input.extra,
    links: input.many,
    settle: (left) => withSlugs(inner, resource, left),
    plan: (complete, clause, answer) =>
      plan.alone && clause === plan.clause && answer === plan.answer && haveSameNames(complete, input.values)
        ? plan
        : insertPlan(inner, { ...parts, clause, answer }, complete),
    behind: (within, id) => createChildren(within, resource, id, children, createRecord),
  }
}

/** Whether a record was refused only because another took the slug that was made for it. */
function slugTaken({ resource, input }: NewRecord, error: unknown): boolean {
  if (!(error instanceof ApiError) || error.params.errors === undefined) return false
  const made = madeSlugs(resource, input.values).map((field) => field.name)
  return Object.keys(error.params.errors).every((name) => made.includes(name))
}

/** The fields whose slugs nobody named. */
export function madeSlugs(resource: Resource, values: Readonly<FieldValues>): readonly Field[] {
  return slugFields(resource).filter((field) => !Object.hasOwn(values, field.name) || values[field.name] === null)
}

/** The values with the slugs that nobody named. */
async function withSlugs(around: Execution, resource: Resource, values: Readonly<FieldValues>): Promise<FieldValues> {
  const complete = { ...values }
  for (const field of madeSlugs(resource, values))
    complete[field.name] = await freeSlug(around, resource, field, complete)
  return complete
}

/** The values of a record to come that no rule decides. */
function givenForSure(
  resource: Resource,
  values: Readonly<FieldValues>,
  clauses: readonly (Clause | undefined)[],
): KnownValues {
  const assigned = clauses.flatMap((clause) => assignments(resource, clause, namesIn(values)))
  const follows = resource.follows.flatMap(({ set }) => set)
  const yes = resource.soles.flatMap(({ field: { name } }) => resource.fields.get(name) ?? [])
  const defaults = Object.fromEntries(yes.map((field) => [field.name, field.default ?? null]))
  return without({ ...defaults, ...values }, new Set([...assigned, ...follows].map(({ field }) => field.name)))
}

/** The errors of required fields that neither the caller nor a rule fills. */
function missingErrors(
  actor: Actor,
  resource: Resource,
  { errors, values }: WriteInput,
  assigned: readonly Assignment[],
): Record<string, FieldError[]> {
  const missing: Record<string, FieldError[]> = {}
  for (const field of requiredFields(resource)) {
    const { name } = field
    if (Object.hasOwn(values, name) || Object.hasOwn(errors, name)) continue
    if (assigned.some((one) => one.field.name === name)) continue
    missing[name] = [mistake(field, 'required', 'is required')]
  }
  return Object.keys(missing).length === 0 ? missing : tellable(actor, resource, missing)
}

/** The fields that need a value from the caller: nothing else fills them. */
export const requiredFields = memo(({ fields, relations }: Resource): readonly Field[] =>
  [...fields.values()].filter((field) => {
    if (!field.required || !isWritable(field)) return false
    if (field.default !== undefined || field.defaultMoment !== undefined) return false
    const relation = field.relation === undefined ? undefined : relations.get(field.relation)
    if (relation?.kind === 'belongs_to' && relation.default !== undefined) return false
    return field.type.name !== 'slug' || typeof field.options.own.from !== 'string'
  }),
)
