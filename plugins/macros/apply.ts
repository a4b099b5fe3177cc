/** Applies a macro to a record, as its caller: what one may not do alone is refused, and then nothing of it is done. */
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

/** A macro on its way to a record. */
interface Application {
  readonly resource: Resource
  readonly record: JsonObject
  readonly macro: JsonObject
  readonly fill: Fill
  readonly ifMatch?: string | undefined
}

/** Does what the macro says and gives the record as it is then; rejects with the first refusal. */
async function applied(
  { catalog, records }: Applying,
  { fill, ifMatch, macro, record, resource }: Application,
): Promise<JsonObject> {
  const target = records(resource.name)
  const id = record.id as Id
  // Before anything is created below it, which may change how it is read.
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
    // Out of the caller's sight by now, as an update would answer it all the same.
    if (error instanceof ApiError && (error.code === 'forbidden' || error.code === 'record_not_found')) return updated
    throw error
  })
}

/** Says of a refused value where in the macro it stands. */
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

/** Ends a transaction in which a macro was only tried. */
class Tried extends Error {}

/** `GET /<path>/{id}/macros`: each is tried without filling in its texts, and undone. */
export async function applicable(context: RouteContext, resource: Resource): Promise<Reply> {
  const { catalog, params, records } = context
  const record = await records(resource.name).get(params.id ?? '')
  const query = { resource: resource.name, is_active: 'true', per_page: String(catalog.limits.perPageMax) }
  const { data: macros } = await records('macros').list(query)
  const usable: JsonObject[] = []
  for (const macro of macros) if (await works(context, resource, record, macro)) usable.push(macro)
  return { data: usable }
}

/** Each in a transaction of its own, so that nobody who writes the record waits for more than one of them. */
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
