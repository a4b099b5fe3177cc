/** ⇄ Creating a record: decode, choose the clause, complete, run hooks around one checked insert, answer. */

import type { Assignment, Catalog, Clause, Field, Resource } from '../catalog/catalog.ts'
import { tableFields } from '../catalog/stored.ts'
import { ApiError, invalid } from '../error.ts'
import type { Json, JsonObject } from '../json.ts'
import { actorClass, clausesFor, refusal } from '../query/policy.ts'
import type { WriteShape } from '../query/write-shape.ts'
import { compileInsert } from '../query/write-statement.ts'
import { isWritable, sentence } from '../record/decode.ts'
import { drafts } from './draft.ts'
import { type BoundHook, type Execution, inTransaction, noteChange } from './execution.ts'
import { hooksOf, runHooks, type Written } from './hook-chain.ts'
import {
  assignedValues,
  coveringClauses,
  type Input,
  readInput,
  refuseGuarded,
  underClause,
  type Values,
  valueSlots,
  wanted,
} from './input.ts'
import { writeMany } from './many.ts'
import { furtherErrors, refusedByDatabase, written } from './outcome.ts'
import { type Parent, parentId, runCompiled } from './read.ts'
import { looksAtItself, readBack } from './read-back.ts'
import { freeSlug, slugFields } from './slug.ts'
import { refusedOnCreate } from './unwritable.ts'

/** How often a made slug that another request took meanwhile is made again; after the first time makers wait for each other. */
const SLUG_TRIES = 4

const NONE: Readonly<Values> = Object.freeze({})

/** What one creation starts from, decoded and allowed. */
interface Creation {
  readonly resource: Resource
  readonly input: Input
  readonly clauses: readonly (Clause | undefined)[]
  readonly hooks: readonly BoundHook[]
  readonly parent: Parent | undefined
  readonly fixed: Readonly<Values>
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
  fixed: Readonly<Values> = NONE,
): Promise<string> {
  const speaking = clausesFor(resource.policies.create, around.actor)
  if (speaking.length === 0 && around.actor.kind !== 'system') throw refusal(resource.policies.create, around.actor)
  const hooks = hooksOf(around, resource, 'create')
  const above = parent === undefined ? undefined : await parentId(around, parent)
  const read = readInput(around, resource, hooks, body)
  const input = parent === undefined ? read : below(read, parent.relation.field, above)
  const own = parent === undefined ? input.values : without(input.values, parent.relation.field.name)
  const clauses = coveringClauses(speaking, around.actor, resource, wanted(resource, own, input), true)
  refuseGuarded(around.actor, resource, wanted(resource, own, input), true)
  const assigned = assignments(resource, clauses[0], input.values)
  const errors = {
    ...input.errors,
    ...missing(resource, input, assigned),
    ...refusedOnCreate(around.catalog, resource, input.unwritable, assignedValues(assigned, around.actor)),
  }
  if (Object.keys(errors).length > 0)
    throw invalid({ ...(await furtherErrors(around, resource, own, input.many, undefined)), ...errors })
  const creation: Creation = { resource, input, clauses, hooks, parent, fixed }
  const transactional =
    hooks.some((hook) => hook.transaction) || input.many.size > 0 || looksAtItself(around.catalog, resource)
  for (let attempt = 1; ; attempt++) {
    try {
      if (transactional || attempt > 1 || around.transaction !== undefined)
        return await inTransaction(around, (inner) => createInside(inner, creation))
      return await createAlone(around, creation)
    } catch (error) {
      if (around.transaction !== undefined || attempt === SLUG_TRIES || !slugTaken(creation, error)) throw error
    }
  }
}

/** The input of a record below another: its foreign key is the path's, and a body that says otherwise is refused. */
function below(input: Input, field: Field, id: number | undefined): Input {
  const said = Object.hasOwn(input.values, field.name) ? input.values[field.name] : undefined
  const errors = { ...input.errors }
  if (said !== undefined && said !== id) errors[field.name] = [sentence(field, 'must be the record of the path')]
  return { ...input, values: { ...input.values, [field.name]: id ?? null }, errors }
}

function without(values: Readonly<Values>, name: string): Values {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== name))
}

/** What hooks find before anything is written. */
function begun(around: Execution, creation: Creation): Written {
  const { clauses, fixed, resource } = creation
  const input = { ...creation.input.values, ...fixed }
  const draft = drafts(around, input, {
    resource,
    action: 'create',
    id: undefined,
    clauses,
    values: () => withSlugs(around, resource, input),
    shape: (values, clause) => {
      const { given, assigned } = insertShape(around.catalog, resource, values, clause)
      return { given, assigned: [...assigned, ...moments(resource, values, assigned)], clause }
    },
  })
  return { input, extra: creation.input.extra, record: undefined, result: undefined, draft }
}

/** The moments that the database itself will give. */
function moments(resource: Resource, values: Readonly<Values>, assigned: readonly Assignment[]): readonly Assignment[] {
  return [...resource.fields.values()].flatMap((field) => {
    const filled = Object.hasOwn(values, field.name) || assigned.some((assignment) => assignment.field === field)
    return field.defaultMoment === undefined || filled ? [] : [{ field, operand: { kind: field.defaultMoment } }]
  })
}

async function createAlone(around: Execution, creation: Creation): Promise<string> {
  const { resource, hooks } = creation
  const written = begun(around, creation)
  let answer = ''
  await runHooks(around, resource, 'create', hooks, written, async () => {
    answer = await insert(around, creation, written.input, 'answer')
  })
  await noteChange(around, resource.table)
  return answer
}

async function createInside(inner: Execution, creation: Creation): Promise<string> {
  const { resource, input, hooks } = creation
  const written = begun(inner, creation)
  let id = 0
  await runHooks(inner, resource, 'create', hooks, written, async () => {
    const stored = JSON.parse(await insert(inner, creation, written.input, 'stored')) as Record<string, Json>
    id = Number(stored.id)
    written.result = stored
    await writeMany(inner, id, input.many)
    await noteChange(inner, resource.table)
  })
  return readBack(inner, resource, id)
}

/** Whether a creation failed only because another took the slug that was made for it. */
function slugTaken({ resource, input }: Creation, error: unknown): boolean {
  if (!(error instanceof ApiError) || error.params.errors === undefined) return false
  const made = madeSlugs(resource, input.values).map((field) => field.name)
  return Object.keys(error.params.errors).every((name) => made.includes(name))
}

function madeSlugs(resource: Resource, values: Readonly<Values>): readonly Field[] {
  return slugFields(resource).filter((field) => !Object.hasOwn(values, field.name) || values[field.name] === null)
}

/** What rules write beside the caller's values; a field of the scope that the caller names is checked instead. */
function assignments(resource: Resource, clause: Clause | undefined, values: Readonly<Values>): readonly Assignment[] {
  return [...resource.scopeSets.filter(({ field }) => !Object.hasOwn(values, field.name)), ...(clause?.set ?? [])]
}

/** Required fields that neither the caller nor a rule fills. */
function missing(resource: Resource, input: Input, assigned: readonly Assignment[]): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  const filled = new Set(assigned.map((assignment) => assignment.field.name))
  for (const field of resource.fields.values()) {
    if (
      !field.required ||
      !isWritable(field) ||
      Object.hasOwn(input.values, field.name) ||
      Object.hasOwn(input.errors, field.name)
    )
      continue
    if (filled.has(field.name) || field.default !== undefined || field.defaultMoment !== undefined) continue
    const relation = field.relation === undefined ? undefined : resource.relations.get(field.relation)
    if (relation?.kind === 'belongs_to' && relation.default !== undefined) continue
    if (field.type.name === 'slug' && typeof field.options.own.from === 'string') continue
    errors[field.name] = [sentence(field, 'is required')]
  }
  return errors
}

async function insert(
  around: Execution,
  { resource, clauses, parent }: Creation,
  values: Readonly<Values>,
  returning: 'answer' | 'stored',
): Promise<string> {
  const complete = await withSlugs(around, resource, values)
  return underClause(clauses, (clause) => insertOnce(around, resource, complete, clause, parent, returning))
}

/** The values with the slugs that nobody named. */
async function withSlugs(around: Execution, resource: Resource, values: Readonly<Values>): Promise<Values> {
  const complete = { ...values }
  for (const field of madeSlugs(resource, values))
    complete[field.name] = await freeSlug(around, resource, field, complete)
  return complete
}

/** What an insert takes from the values, and what rules and defaults put beside them. */
function insertShape(
  catalog: Catalog,
  resource: Resource,
  values: Readonly<Values>,
  clause: Clause | undefined,
): Pick<WriteShape, 'given' | 'assigned'> {
  const assigned = assignments(resource, clause, values)
  const fixed = new Set(assigned.map((assignment) => assignment.field.name))
  const given = [...resource.fields.values()].filter(
    (field) => Object.hasOwn(values, field.name) && !fixed.has(field.name),
  )
  return { given, assigned: [...assigned, ...defaultAssignments(catalog, resource, values, fixed)] }
}

async function insertOnce(
  around: Execution,
  resource: Resource,
  values: Values,
  clause: Clause | undefined,
  parent: Parent | undefined,
  returning: 'answer' | 'stored',
): Promise<string> {
  const trusted = new Set(parent === undefined ? [] : [parent.relation.field.name])
  const { given, assigned } = insertShape(around.catalog, resource, values, clause)
  const names = given.map((field) => field.name).join(',')
  const key = `insert ${returning} ${resource.name} ${clause?.span.start ?? ''} ${[...trusted].join()} ${names} ${actorClass(around.actor)}`
  const compiled = around.statements.get(key, () =>
    compileInsert(around.catalog, resource, around.actor, {
      given,
      trusted,
      assigned,
      clause,
      returning,
    }),
  )
  const [row] = await refusedByDatabase(resource, () => runCompiled(around, compiled, valueSlots(resource, values)))
  return written(compiled, row!)
}

/** Defaults of absent fields: literals, and records that stand in by condition. */
function defaultAssignments(
  catalog: Catalog,
  resource: Resource,
  values: Readonly<Values>,
  fixed: ReadonlySet<string>,
): readonly Assignment[] {
  const found: Assignment[] = []
  const owner = catalog.resources.get(resource.owner) ?? resource
  for (const field of tableFields(catalog, resource)) {
    if (Object.hasOwn(values, field.name) || fixed.has(field.name)) continue
    const holder = resource.fields.has(field.name) ? resource : owner
    const relation = field.relation === undefined ? undefined : holder.relations.get(field.relation)
    if (relation?.kind === 'belongs_to' && relation.default !== undefined) {
      found.push({ field, selection: { resource: relation.target, where: relation.default } })
    } else if (field.default !== undefined) {
      found.push({ field, operand: { kind: 'literal', value: field.default } })
    }
  }
  return found
}
