/** ⇄ Creating a record: decode, choose the clause, complete, run hooks around one checked insert, answer. */
import type { Clause, Field, Resource } from '../catalog/catalog.ts'
import { ApiError, invalid } from '../error.ts'
import type { Json, JsonObject } from '../json.ts'
import { actorClass, requireClause } from '../query/policy.ts'
import { compileInsert } from '../query/write-statement.ts'
import { type FieldValues, sentence } from '../record/decode.ts'
import { drafts } from './draft.ts'
import { type BoundHook, type Execution, inTransaction, noteChange } from './execution.ts'
import { hooksOf, runHooks, type Written } from './hook-chain.ts'
import {
  assignedValues,
  coveringClauses,
  readInput,
  refuseGuarded,
  underClause,
  valueSlots,
  type WriteInput,
  wanted,
} from './input.ts'
import { assignments, defaultMoments, insertShape, missingErrors } from './insert-shape.ts'
import { writeMany } from './many.ts'
import { furtherErrors, refusedByDatabase, written } from './outcome.ts'
import { type Parent, parentId } from './parent.ts'
import { looksAtItself, readBack } from './read-back.ts'
import { runCompiled } from './run-compiled.ts'
import { freeSlug, slugFields } from './slug.ts'
import { refusedOnCreate } from './unwritable.ts'

/** How often a slug is made before a create gives up, when other requests take the same slug first. From the second time on they wait for each other. */
const SLUG_TRIES = 4

const NONE: Readonly<FieldValues> = Object.freeze({})

/** The decoded body of a record to come. */
interface NewInput extends WriteInput {
  /** The values without the foreign key that the path fixes. */
  readonly chosen: Readonly<FieldValues>
}

/** A record to come, decoded and allowed. */
interface NewRecord {
  readonly resource: Resource
  readonly input: NewInput
  readonly clauses: readonly (Clause | undefined)[]
  readonly hooks: readonly BoundHook[]
  readonly parent: Parent | undefined
  readonly fixed: Readonly<FieldValues>
}

/**
 * Creates a record and gives it as JSON text in its single shape; throws ApiError forbidden, validation_failed, conflict.
 * `fixed` are decoded values of fields that callers can't write, which the program itself has to say.
 */
export async function createRecord(
  around: Execution,
  resource: Resource,
  body: JsonObject,
  parent?: Parent,
  fixed: Readonly<FieldValues> = NONE,
): Promise<string> {
  const speaking = requireClause(resource.policies.create, around.actor)
  const hooks = hooksOf(around, resource, 'create')
  const input = await readNewInput(around, resource, hooks, body, parent)
  const clauses = allowedClauses(around, resource, speaking, input)
  await refuseInvalid(around, resource, clauses[0], input)
  return insertWithSlugs(around, { resource, input, clauses, hooks, parent, fixed })
}

async function readNewInput(
  around: Execution,
  resource: Resource,
  hooks: readonly BoundHook[],
  body: JsonObject,
  parent: Parent | undefined,
): Promise<NewInput> {
  if (parent === undefined) {
    const input = readInput(around, resource, hooks, body)
    return { ...input, chosen: input.values }
  }
  const id = await parentId(around, parent)
  return below(readInput(around, resource, hooks, body), parent.relation.field, id)
}

/** The input of a record below another: its foreign key is the path's, and a body that says otherwise is refused. */
function below(input: WriteInput, field: Field, id: number): NewInput {
  const said = Object.hasOwn(input.values, field.name) ? input.values[field.name] : undefined
  const chosen = Object.fromEntries(Object.entries(input.values).filter(([name]) => name !== field.name))
  const errors = { ...input.errors }
  if (said !== undefined && said !== id) errors[field.name] = [sentence(field, 'must be the record of the path')]
  return { ...input, values: { ...input.values, [field.name]: id }, chosen, errors }
}

/** The clauses under which the caller may create this record; throws forbidden when a field stands in the way. */
function allowedClauses(
  { actor }: Execution,
  resource: Resource,
  speaking: readonly Clause[],
  input: NewInput,
): readonly (Clause | undefined)[] {
  const attempted = wanted(resource, input.chosen, input)
  const clauses = coveringClauses(speaking, actor, resource, attempted, true)
  refuseGuarded(actor, resource, attempted, true)
  return clauses
}

/** Throws validation_failed with all that is wrong with the body. */
async function refuseInvalid(
  around: Execution,
  resource: Resource,
  clause: Clause | undefined,
  input: NewInput,
): Promise<void> {
  const assigned = assignments(resource, clause, input.values)
  const errors = {
    ...input.errors,
    ...missingErrors(resource, input, assigned),
    ...refusedOnCreate(around.catalog, resource, input.unwritable, assignedValues(assigned, around.actor)),
  }
  if (Object.keys(errors).length === 0) return
  throw invalid({ ...(await furtherErrors(around, resource, input.chosen, input.many, undefined)), ...errors })
}

/** Inserts the record; starts over when another request took the slug that was made for it. */
async function insertWithSlugs(around: Execution, record: NewRecord): Promise<string> {
  const { hooks, input, resource } = record
  const transactional =
    hooks.some((hook) => hook.transaction) || input.many.size > 0 || looksAtItself(around.catalog, resource)
  for (let tries = 1; ; tries++) {
    try {
      if (transactional || tries > 1 || around.transaction !== undefined)
        return await inTransaction(around, (inner) => createInside(inner, record))
      return await createAlone(around, record)
    } catch (error) {
      if (around.transaction !== undefined || tries === SLUG_TRIES || !slugTaken(record, error)) throw error
    }
  }
}

/** Whether a record was refused only because another took the slug that was made for it. */
function slugTaken({ resource, input }: NewRecord, error: unknown): boolean {
  if (!(error instanceof ApiError) || error.params.errors === undefined) return false
  const made = madeSlugs(resource, input.values).map((field) => field.name)
  return Object.keys(error.params.errors).every((name) => made.includes(name))
}

function madeSlugs(resource: Resource, values: Readonly<FieldValues>): readonly Field[] {
  return slugFields(resource).filter((field) => !Object.hasOwn(values, field.name) || values[field.name] === null)
}

/** Creates by one statement, without a transaction. */
async function createAlone(around: Execution, record: NewRecord): Promise<string> {
  const { resource, hooks } = record
  const write = startWrite(around, record)
  const answer = await runHooks(around, resource, 'create', hooks, write, () =>
    insert(around, record, write.input, 'answer'),
  )
  await noteChange(around, resource.table)
  return answer ?? ''
}

/** Creates inside the open transaction, and reads the answer back when hooks and links are done. */
async function createInside(inner: Execution, record: NewRecord): Promise<string> {
  const { resource, input, hooks } = record
  const write = startWrite(inner, record)
  const id = await runHooks(inner, resource, 'create', hooks, write, async () => {
    const stored = JSON.parse(await insert(inner, record, write.input, 'stored')) as Record<string, Json>
    write.result = stored
    await writeMany(inner, Number(stored.id), input.many)
    await noteChange(inner, resource.table)
    return Number(stored.id)
  })
  return readBack(inner, resource, id ?? 0)
}

/** What hooks find before anything is written. */
function startWrite(around: Execution, { clauses, fixed, input, resource }: NewRecord): Written {
  const values = { ...input.values, ...fixed }
  const draft = drafts(around, values, {
    resource,
    action: 'create',
    id: undefined,
    clauses,
    values: () => withSlugs(around, resource, values),
    shape: (complete, clause) => {
      const { given, assigned } = insertShape(around.catalog, resource, complete, clause)
      return { given, assigned: [...assigned, ...defaultMoments(resource, complete, assigned)], clause }
    },
  })
  return { input: values, extra: input.extra, record: undefined, result: undefined, draft }
}

async function insert(
  around: Execution,
  { resource, clauses, parent }: NewRecord,
  values: Readonly<FieldValues>,
  returning: 'answer' | 'stored',
): Promise<string> {
  const complete = await withSlugs(around, resource, values)
  return underClause(clauses, (clause) => insertOnce(around, resource, complete, clause, parent, returning))
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
  resource: Resource,
  values: FieldValues,
  clause: Clause | undefined,
  parent: Parent | undefined,
  returning: 'answer' | 'stored',
): Promise<string> {
  const trusted = new Set(parent === undefined ? [] : [parent.relation.field.name])
  const { given, assigned } = insertShape(around.catalog, resource, values, clause)
  const names = given.map((field) => field.name).join(',')
  const key = `insert ${returning} ${resource.name} ${clause?.span.start ?? ''} ${[...trusted].join()} ${names} ${actorClass(around.actor)}`
  const compiled = around.statements.get(key, () =>
    compileInsert(around, resource, { given, trusted, assigned, clause, returning }),
  )
  const [row] = await refusedByDatabase(resource, () => runCompiled(around, compiled, valueSlots(resource, values)))
  return written(compiled, row!)
}
