/** ⇄ Creating a record: decode, choose the clause, complete, run hooks around one checked insert, answer. */
import type { Assignment, Clause, Resource } from '../catalog/catalog.ts'
import type { Row } from '../database/database.ts'
import { violation } from '../database/failure.ts'
import { ApiError, invalid } from '../error.ts'
import type { Json, JsonObject } from '../json.ts'
import { invalidSelection, isWritable, sentence } from '../record/decode.ts'
import { type Execution, inTransaction, noteChange } from './execution.ts'
import { hooksOf, runHooks, type Written } from './hook-chain.ts'
import { chooseClause, type Input, readInput, refuseGuarded, type Values, valueSlots } from './input.ts'
import { writeMany } from './many.ts'
import { actorClass, clausesFor, refusal } from './policy.ts'
import { type Parent, parentId, runCompiled } from './read.ts'
import { readBack } from './read-back.ts'
import { freeSlug, slugFields } from './slug.ts'
import { type CompiledWrite, compileInsert, type WriteShape } from './write-statement.ts'

/** How often a made slug that another request took meanwhile is made again. */
const SLUG_TRIES = 3

/** Creates a record and gives it as JSON text in its single shape; throws ApiError forbidden, validation_failed, conflict. */
export async function createRecord(
  around: Execution,
  resource: Resource,
  body: JsonObject,
  parent?: Parent,
): Promise<string> {
  const clauses = clausesFor(resource.policies.create, around.actor)
  if (clauses.length === 0 && around.actor.kind !== 'system') throw refusal(resource.policies.create, around.actor)
  const hooks = hooksOf(around, resource, 'create')
  const above = parent === undefined ? undefined : await parentId(around, parent)
  const input = readInput(around, resource, hooks, body)
  const clause = chooseClause(clauses, around.actor, resource, input.values)
  refuseGuarded(around.actor, resource, input.values, true)
  if (parent !== undefined && above !== undefined) input.values[parent.relation.field.name] = above
  const assigned = assignments(resource, clause)
  const errors = { ...input.errors, ...missing(resource, input, assigned) }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  const transactional = hooks.some((hook) => hook.transaction) || input.many.size > 0
  if (!transactional && around.transaction === undefined) {
    const written: Written = { input: input.values, extra: input.extra, record: undefined, result: undefined }
    let answer = ''
    await runHooks(around, resource, 'create', hooks, written, async () => {
      answer = await insert(around, resource, input.values, clause, assigned, parent, 'answer')
    })
    await noteChange(around, resource.table)
    return answer
  }
  return inTransaction(around, async (inner) => {
    const written: Written = { input: { ...input.values }, extra: input.extra, record: undefined, result: undefined }
    let id = 0
    await runHooks(inner, resource, 'create', hooks, written, async () => {
      const stored = JSON.parse(
        await insert(inner, resource, written.input, clause, assigned, parent, 'stored'),
      ) as Record<string, Json>
      id = Number(stored.id)
      written.result = stored
      await writeMany(inner, id, input.many)
      await noteChange(inner, resource.table)
    })
    return readBack(inner, resource, id)
  })
}

/** What rules write beside the caller's values; what is given or assigned earlier wins. */
function assignments(resource: Resource, clause: Clause | undefined): readonly Assignment[] {
  return [...resource.scopeSets, ...(clause?.set ?? [])]
}

/** Required fields that neither the caller nor a rule fills. */
function missing(resource: Resource, input: Input, assigned: readonly Assignment[]): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  const filled = new Set(assigned.map((assignment) => assignment.field.name))
  for (const field of resource.fields.values()) {
    if (!field.required || !isWritable(field) || field.name in input.values || field.name in input.errors) continue
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
  resource: Resource,
  values: Values,
  clause: Clause | undefined,
  assigned: readonly Assignment[],
  parent: Parent | undefined,
  returning: WriteShape['returning'],
): Promise<string> {
  const madeSlugs = slugFields(resource).filter((field) => (values[field.name] ?? null) === null)
  for (let attempt = 1; ; attempt++) {
    const complete = { ...values }
    for (const field of madeSlugs) complete[field.name] = await freeSlug(around, resource, field, complete)
    try {
      return await insertOnce(around, resource, complete, clause, assigned, parent, returning)
    } catch (error) {
      const taken =
        error instanceof ApiError && madeSlugs.some((field) => error.params.errors?.[field.name] !== undefined)
      // Inside a transaction a unique violation has ended it; the check before the insert has not.
      if (!taken || attempt === SLUG_TRIES || violation(error) !== undefined) throw error
    }
  }
}

async function insertOnce(
  around: Execution,
  resource: Resource,
  values: Values,
  clause: Clause | undefined,
  assigned: readonly Assignment[],
  parent: Parent | undefined,
  returning: WriteShape['returning'],
): Promise<string> {
  const trusted = new Set(parent === undefined ? [] : [parent.relation.field.name])
  const fixed = new Set(assigned.map((assignment) => assignment.field.name))
  const given = [...resource.fields.values()].filter((field) => field.name in values && !fixed.has(field.name))
  const defaults = defaultAssignments(resource, values, fixed)
  const names = given.map((field) => field.name).join(',')
  const key = `insert ${returning} ${resource.name} ${clause?.span.start ?? ''} ${[...trusted].join()} ${names} ${actorClass(around.actor)}`
  const compiled = around.statements.get(key, () =>
    compileInsert(around.catalog, resource, around.actor, {
      given,
      trusted,
      assigned: [...assigned, ...defaults],
      clause,
      returning,
    }),
  )
  const [row] = await refusedByDatabase(resource, () => runCompiled(around, compiled, valueSlots(resource, values)))
  return written(compiled, row!)
}

/** Defaults of absent fields: literals, and records that stand in by condition. */
function defaultAssignments(resource: Resource, values: Values, fixed: ReadonlySet<string>): readonly Assignment[] {
  const found: Assignment[] = []
  for (const field of resource.fields.values()) {
    if (field.name in values || fixed.has(field.name)) continue
    const relation = field.relation === undefined ? undefined : resource.relations.get(field.relation)
    if (relation?.kind === 'belongs_to' && relation.default !== undefined) {
      found.push({ field, selection: { resource: relation.target, where: relation.default } })
    } else if (field.default !== undefined && field.computed === undefined && field.count === undefined) {
      found.push({ field, operand: { kind: 'literal', value: field.default } })
    }
  }
  return found
}

/** The record of a write's row, or the refusal that its failed checks stand for. */
export function written(compiled: CompiledWrite, row: Row): string {
  const errors: Record<string, string[]> = {}
  compiled.checks.forEach((check, i) => {
    if (row[i] === 't') return
    if (check.kind === 'policy') throw new ApiError('forbidden', { message: 'Forbidden' })
    if (check.kind === 'reference')
      errors[check.relation.field.name] = [invalidSelection(check.relation.field, check.relation.label)]
    else if (check.kind === 'missing') errors[check.field.name] = [sentence(check.field, 'is required')]
    else errors[check.field.name] = [`The ${check.field.name.replaceAll('_', ' ')} has already been taken`]
  })
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return compiled.serialize(row)
}

/** Runs a write; a violation that slipped between check and write is answered by field name. */
export async function refusedByDatabase<T>(resource: Resource, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const found = violation(error)
    if (found === undefined || found.kind === 'in_use') throw error
    const index = resource.indexes.find(
      ({ unique, fields }) => unique && fields.some((field) => found.columns.includes(field.column)),
    )
    const field =
      index?.fields[0] ?? [...resource.fields.values()].find((candidate) => found.columns.includes(candidate.column))
    if (field === undefined) throw error
    const words = field.name.replace(/_id$/, '').replaceAll('_', ' ')
    const said =
      found.kind === 'unique'
        ? `The ${words} has already been taken`
        : found.kind === 'foreign_key'
          ? `The selected ${words} is invalid`
          : sentence(field, 'is invalid')
    throw new ApiError('validation_failed', { errors: { [field.name]: [said] }, cause: error })
  }
}
