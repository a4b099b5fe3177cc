/** Applies a macro to a record as its caller: nothing is done where one of its steps would be refused. */
import {
  ApiError,
  type Id,
  type Json,
  type JsonObject,
  type Reply,
  type Resource,
  type RouteContext,
  type Transaction,
} from '../../engine/index.ts'
import { templateBudget } from '../templates/budget.ts'
import { childAt, objectOf } from './check.ts'
import { ACTOR, type Fill, filler, unfilled } from './template.ts'

type Applying = RouteContext & { readonly transaction: Transaction }

/** `POST /<path>/{id}/macros/{name}` */
export function apply({ once }: RouteContext, resource: Resource): Promise<Reply> {
  return once(async (context) => {
    const { headers, params, records } = context
    const macro = await records('macros').get(params.name ?? '')
    if (macro.resource !== resource.name || macro.is_active !== true)
      throw new ApiError('record_not_found', { label: 'Macro' })
    const record = await records(resource.name).get(params.id ?? '')
    const data = { ...record, actor: await callerOf(context) }
    const fill = filler(data, templateBudget(context.catalog.limits))
    const done = await applied(context, { resource, record, macro, fill, ifMatch: headers['if-match'] })
    return { data: done, message: `${macro.name} was applied` }
  })
}

/** A macro that is being applied to a record. */
interface Application {
  readonly resource: Resource
  readonly record: JsonObject
  readonly macro: JsonObject
  readonly fill: Fill
  readonly ifMatch?: string | undefined
}

/** Does the steps of the macro and returns the record; rejects with the first refusal. */
async function applied(
  { catalog, records }: Applying,
  { fill, ifMatch, macro, record, resource }: Application,
): Promise<JsonObject> {
  const target = records(resource.name)
  const id = record.id as Id
  // Before anything is created below the record, which may change how it is read.
  if (ifMatch !== undefined) await target.update(id, {}, { ifMatch })
  for (const [path, body] of Object.entries(objectOf(macro.create))) {
    const child = childAt(catalog, resource, path)
    if (child === undefined) throw new ApiError('conflict', { message: `Nothing is created at ${path} any more` })
    const input = objectOf(fill(body ?? null, `create.${path}`))
    await within(`create.${path}`, () =>
      records(child.resource.name).create(input, {}, { relation: child.relation, id }),
    )
  }
  const set = objectOf(fill(objectOf(macro.set), 'set'))
  if (Object.keys(set).length === 0) return target.get(id)
  const updated = await within('set', () => target.update(id, set))
  return target.get(id).catch((error: unknown) => {
    // The caller may no longer see the record; the answer has it all the same, as that of an update does.
    if (error instanceof ApiError && (error.code === 'forbidden' || error.code === 'record_not_found')) return updated
    throw error
  })
}

/** Adds the place in the macro to a refused value. */
async function within<T>(place: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof ApiError) || error.params.errors === undefined) throw error
    const errors = Object.entries(error.params.errors).map(([name, said]) => [`${place}.${name}`, said] as const)
    throw new ApiError(error.code, { ...error.params, errors: Object.fromEntries(errors) })
  }
}

async function callerOf({ actor, records }: Applying): Promise<JsonObject> {
  const account = await records('users', 'system').get(Number(actor.id))
  return Object.fromEntries(ACTOR.map((name) => [name, account[name] ?? null] as [string, Json]))
}

/** Ends the transaction of a trial. */
class Tried extends Error {}

/** `GET /<path>/{id}/macros`: tries each macro without filling in its texts, and undoes that. */
export async function applicable(context: RouteContext, resource: Resource): Promise<Reply> {
  const { catalog, params, records } = context
  const record = await records(resource.name).get(params.id ?? '')
  const query = { resource: resource.name, is_active: 'true', per_page: String(catalog.limits.perPageMax) }
  const { data: macros } = await records('macros').list(query)
  const usable: JsonObject[] = []
  for (const macro of macros) if (await works(context, resource, record, macro)) usable.push(macro)
  return { data: usable }
}

/** Each in its own transaction, so that a writer of the record waits for at most one. */
async function works(
  context: RouteContext,
  resource: Resource,
  record: JsonObject,
  macro: JsonObject,
): Promise<boolean> {
  const trial = context.transaction(async (inner) => {
    await applied(inner, { resource, record, macro, fill: unfilled })
    throw new Tried()
  })
  return trial.catch((error: unknown) => {
    if (error instanceof Tried) return true
    if (error instanceof ApiError && error.status < 500) return false
    throw error
  })
}
