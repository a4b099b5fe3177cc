/** ⇄ Creating a record: decode, choose the clause, complete, run hooks around one checked insert, answer. */
import type { Clause, Field, Resource } from '../catalog/catalog.ts'
import { ApiError, invalid } from '../error.ts'
import type { FieldError } from '../field-error.ts'
import type { Id } from '../id.ts'
import type { Json, JsonObject } from '../json.ts'
import { locksOf } from '../plan/write-checks.ts'
import { requireClause } from '../query/policy.ts'
import { compileInsert } from '../query/write-statement.ts'
import { type FieldValues, mistake } from '../record/decode.ts'
import { afterMiss } from './answer.ts'
import { allReady } from './cached-tables.ts'
import { type Children, createChildren, splitBody } from './children.ts'
import { followRelated, takeOver } from './consequences.ts'
import {
  type BoundHook,
  changeSlots,
  type Execution,
  hooksOf,
  noteChange,
  runCompiled,
  scopeOf,
  type Within,
} from './execution.ts'
import { type DraftRecord, drafts, runHooks, type Written } from './hooks.ts'
import {
  assignedValues,
  coveringClauses,
  givenForSure,
  insertPlan,
  missingErrors,
  readInput,
  refuseGuarded,
  underClause,
  type WriteInput,
  wanted,
  withId,
} from './input.ts'
import { judgedLater, refuseBrokenLinks, tablesOf, writeMany } from './links.ts'
import { type KnownValues, lockRead, underLocks, without, withoutYes } from './locks.ts'
import { type Parent, parentId } from './parent.ts'
import { contradictions } from './present-names.ts'
import { countCreated } from './quota.ts'
import { isCounted, needsTransaction, readBack } from './read-back.ts'
import { furtherErrors, refusedByDatabase, written } from './refusal.ts'
import { keptSlots } from './slots.ts'
import { freeSlug, slugFields } from './slug.ts'
import { refusedOnCreate } from './unwritable.ts'

/**
 * How often a slug is made before a create gives up, when other requests take the same slug first. From the second time on
 * they wait for each other; each newcomer's first time, which waits for nobody, may still take the slug of one that waits.
 */
const SLUG_TRIES = 20

const NONE: Readonly<FieldValues> = Object.freeze({})
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
  /** What is told of it; its single shape if absent. */
  readonly told?: 'id'
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
  return insertWithSlugs(around, await decodeNew(around, resource, body, parent, fixed))
}

/** Creates a record in the open transaction as `createRecord` does, and gives its id alone: it is not read back. */
export async function createId(
  inner: Within,
  resource: Resource,
  body: JsonObject,
  fixed: Readonly<FieldValues> = NONE,
): Promise<Id> {
  const record: NewRecord = { ...(await decodeNew(inner, resource, body, undefined, fixed)), told: 'id' }
  return (JSON.parse(await insertWithSlugs(inner, record)) as { readonly id: Id }).id
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
  const errors = { ...errorsOf(around, resource, clauses[0], input), ...misplaced }
  if (Object.keys(errors).length > 0)
    throw invalid({ ...(await furtherErrors(around, resource, chosen, input.many, undefined)), ...errors })
  return { resource, input, clauses, hooks, parent, children, fixed }
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

/** The clauses under which the caller may send these values; throws forbidden when a field stands in the way. */
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

/** What is wrong with the body before the database is asked. */
function errorsOf(
  around: Execution,
  resource: Resource,
  clause: Clause | undefined,
  input: WriteInput,
): Record<string, FieldError[]> {
  const { actor, catalog } = around
  const { assigned } = insertPlan(around, { resource, clause, answer: 'record' }, input.values)
  return {
    ...input.errors,
    ...(input.others && contradictions(resource, Object.keys(input.others))),
    ...missingErrors(actor, resource, input, assigned),
    ...refusedOnCreate(catalog, resource, input.unwritable, assignedValues(assigned, actor)),
  }
}

/** Inserts the record; starts over when another request took the slug that was made for it. */
async function insertWithSlugs(around: Execution, record: NewRecord): Promise<string> {
  const { children, hooks, input, resource } = record
  const known = isCounted(resource) ? sureOf(record) : undefined
  const links = tablesOf(input.many)
  const never = withoutYes(resource, known ?? {})
  const locks = locksOf(around.catalog, { resource, action: 'create', columns: undefined, links, never })
  const elsewhere = resource.relatedFollows.length > 0 || children.size > 0 || around.actor.quota !== undefined
  const transactional = locks.length > 0 || elsewhere || needsTransaction(around.catalog, resource, hooks, input.many)
  for (let tries = 1; ; tries++) {
    try {
      if (transactional || tries > 1 || around.transaction !== undefined)
        return await underLocks(around, {
          locks,
          records: async () => known && [known],
          work: (inner) => createInside(inner, record),
        })
      return await createAlone(around, record)
    } catch (error) {
      if (around.transaction !== undefined || tries === SLUG_TRIES || !slugTaken(record, error)) throw error
    }
  }
}

/** The values that the record will have for sure; undefined where a hook may name any. */
function sureOf({ clauses, fixed, hooks, input, resource }: NewRecord): KnownValues | undefined {
  return hooks.length > 0 ? undefined : givenForSure(resource, { ...input.values, ...fixed }, clauses)
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

/** Creates by one statement, without a transaction. */
async function createAlone(around: Execution, record: NewRecord): Promise<string> {
  const { resource, hooks } = record
  const write = startWrite(around, record)
  const work = (): Promise<string> => insert(around, record, write.input, 'record')
  const answer = hooks.length === 0 ? await work() : await runHooks(around, resource, 'create', hooks, write, work)
  await noteChange(around, resource)
  return answer ?? ''
}

/** Creates inside the open transaction, and reads the answer back when hooks and links are done. */
async function createInside(inner: Within, record: NewRecord): Promise<string> {
  const { children, resource, input, hooks, told } = record
  await countCreated(inner, [input.values])
  const write = startWrite(inner, record)
  const id = await runHooks(inner, resource, 'create', hooks, write, async () => {
    const stored = JSON.parse(await insert(inner, record, write.input, 'stored')) as Record<string, Json>
    write.result = stored
    await takeOver(inner, { resource, action: 'create', columns: undefined }, stored)
    const id = stored.id as Id
    const moved = await writeMany(inner, resource, id, input.many)
    await refuseBrokenLinks(inner, { resource, action: 'create', id, moved, columns: new Set() })
    if (resource.relatedFollows.length > 0)
      await followRelated(inner, resource, { by: inner.bulk ? 'import' : 'create', after: stored })
    if (children.size > 0) await createChildren(inner, resource, id, children, createRecord)
    await noteChange(inner, resource)
    return id
  })
  return told === 'id' ? JSON.stringify({ id }) : readBack(inner, resource, id!, true)
}

/** What hooks find before anything is written; the draft is made when a hook asks, which few do. */
function startWrite(around: Execution, { clauses, fixed, input, resource }: NewRecord): Written {
  const values = { ...input.values, ...fixed }
  let asked: (() => Promise<DraftRecord>) | undefined
  const draft = (): Promise<DraftRecord> => {
    asked ??= drafts(around, values, {
      resource,
      id: undefined,
      clauses,
      values: () => withSlugs(around, resource, values),
      plan: (complete, clause) => insertPlan(around, { resource, clause, answer: 'draft' }, complete),
    })
    return asked()
  }
  return { input: values, extra: input.extra, record: undefined, result: undefined, draft }
}

async function insert(
  around: Execution,
  record: NewRecord,
  values: Readonly<FieldValues>,
  answer: 'record' | 'stored',
): Promise<string> {
  const complete = withId(record.resource, await withSlugs(around, record.resource, values), around.now())
  return underClause(record.clauses, (clause) => insertOnce(around, record, complete, clause, answer))
}

/** The values with the slugs that nobody named. */
async function withSlugs(around: Execution, resource: Resource, values: Readonly<FieldValues>): Promise<FieldValues> {
  const complete = { ...values }
  for (const field of madeSlugs(resource, values))
    complete[field.name] = await freeSlug(around, resource, field, complete)
  return complete
}

async function insertOnce(
  around: Execution,
  { input, parent, resource }: NewRecord,
  values: Readonly<FieldValues>,
  clause: Clause | undefined,
  answer: 'record' | 'stored',
): Promise<string> {
  const trusted = parent === undefined ? [] : [parent.relation.field.name]
  const links = judgedLater(resource, input.many)
  const plan = insertPlan(around, { resource, clause, answer, trusted, links }, values)
  const compiled = around.statements.get(compileInsert, scopeOf(around, resource), plan)
  if (resource.relatedFollows.length > 0) await lockRead(around, plan, values)
  if (compiled.kept.length > 0) await allReady(compiled.kept)
  const slots = { ...(await keptSlots(around, resource, values)), ...changeSlots(around) }
  const [row] = await refusedByDatabase(around.actor, resource, () => runCompiled(around, compiled, slots))
  try {
    return written(around, resource, compiled, row!)
  } catch (error) {
    return afterMiss(error, around, resource, compiled, row!)
  }
}
