/** Routes that write many records of a resource: a batch of operations, all records of a filter, a unique value. */

import type { Actor } from '../actor.ts'
import { clausesFor, readable, requireClause } from '../ask/policy.ts'
import type { Catalog, Clause, Field, Resource } from '../catalog/catalog.ts'
import { ORDER_PARAMETERS, PAGE_PARAMETERS } from '../catalog/list-parameter.ts'
import { inSentence } from '../catalog/name.ts'
import type { FieldDefinition } from '../definition/definition.ts'
import { ApiError, invalid } from '../error.ts'
import { type FieldErrors, fieldError } from '../field-error.ts'
import type { Id } from '../id.ts'
import { type JsonObject, JsonText } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { isWritable, misfit } from '../record/decode.ts'
import { resolveFields } from '../resolve/fields.ts'
import { type Execution, inTransaction } from '../run/execution.ts'
import { countMatching, lockMatching, readChoice } from '../run/matching.ts'
import { type Operation, runEach, runTogether } from '../write/batch.ts'
import { deleteRecord } from '../write/remove.ts'
import { updateRecord } from '../write/update.ts'
import { type UniqueValue, upsertRecord } from '../write/upsert.ts'
import {
  countOperations,
  doAll,
  doEach,
  foundText,
  OPERATIONS,
  type OperationName,
  readOperations,
} from './batch-body.ts'
import type { EngineRoute, RequestInput } from './bound-route.ts'
import { sentencesFor } from './negotiation.ts'
import { createdReply, type HookInputs, recordReply, routeAccess, secretKeys } from './resource-routes.ts'
import { preconditionsOf } from './send.ts'

/** A route that writes many records; the OpenAPI document describes it by these keys. */
export interface BatchRoute extends EngineRoute {
  readonly writes: Resource
  /**
   * `batch`: a body of operations. `found`: all records of a filter. `unique`: the record with a value of one of the
   * fields `by`.
   */
  readonly way: 'batch' | 'found' | 'unique'
  readonly by: readonly Field[]
  /** The actions that it runs. */
  readonly does: readonly OperationName[]
}

/** The routes of every resource that has an action. */
export function batchRoutes({ resources, fieldTypes }: Catalog, hooks: HookInputs): readonly BatchRoute[] {
  const [partial, max, dryRun] = resolveFields(QUERY, fieldTypes).value ?? []
  const foundFields = [max, dryRun, partial].filter((field) => field !== undefined)
  return [...resources.values()].flatMap((resource) => {
    const does = OPERATIONS.filter((name) => resource.actions.has(name))
    if (!resource.batch || does.length === 0) return []
    const found = does.filter((name) => name === 'update' || name === 'delete')
    const routes = [
      batchRoute(resource, does, partial === undefined ? [] : [partial]),
      ...found.map((name) => foundRoute(resource, name, foundFields)),
      ...uniqueRoutes(resource, uniqueFields(resource)),
    ]
    return routes.map((one) => ({ ...one, secretKeys: secretKeys(resource, one.does, hooks) }))
  })
}

const QUERY: Readonly<Record<string, FieldDefinition>> = {
  partial: { type: 'boolean', default: false, description: 'Does each operation for itself, and answers each.' },
  max: {
    type: 'integer',
    required: true,
    min: 1,
    max: LIMITS.batchOperations,
    description: 'Where more records match, nothing is written.',
  },
  dry_run: { type: 'boolean', default: false, description: 'Only counts the records.' },
}

type Given = Pick<BatchRoute, 'method' | 'path' | 'summary' | 'description' | 'way' | 'does' | 'run'> &
  Partial<BatchRoute>

function route(resource: Resource, given: Given): BatchRoute {
  const { does } = given
  return {
    tag: resource.name,
    access: does.some((name) => routeAccess(resource, name) === 'public') ? 'public' : routeAccess(resource, does[0]!),
    status: 200,
    body: 'json',
    plugin: 'engine',
    options: {},
    inputFields: undefined,
    queryFields: [],
    admit: (actor) => admitted(resource, does, actor),
    writes: resource,
    by: [],
    ...given,
  }
}

/** The clauses of the actions that speak of a caller; throws forbidden for one who may do none of them. */
function admitted(resource: Resource, does: readonly OperationName[], actor: Actor): readonly Clause[] {
  const speaking = does.flatMap((name) => clausesFor(resource.policies[name], actor))
  return speaking.length > 0 ? speaking : requireClause(resource.policies[does[0]!], actor)
}

function batchRoute(resource: Resource, does: readonly OperationName[], queryFields: readonly Field[]): BatchRoute {
  return route(resource, {
    method: 'POST',
    path: `/${resource.path}/batch`,
    summary: `Write several ${inSentence(resource.label)} records`,
    way: 'batch',
    does,
    queryFields,
    units: ({ body }) => unitsOf(countOperations(body)),
    run: async (execution, { body, headers, parameters }) => {
      const operations = readOperations(resource, does, body)
      if (parameters.partial !== true) return { data: new JsonText(await doAll(execution, operations)) }
      return { data: new JsonText(await doEach(execution, operations, sentencesFor(execution.catalog, headers))) }
    },
  })
}

/** A request above the limit is refused, and counts for the rate limit like the largest one allowed. */
function unitsOf(records: number): number {
  return Math.ceil(Math.min(records, LIMITS.batchOperations) / LIMITS.batchUnit)
}

const FOUND_VERBS = { update: ['PATCH', 'Change'], delete: ['DELETE', 'Delete'] } as const

function foundRoute(resource: Resource, name: 'update' | 'delete', queryFields: readonly Field[]): BatchRoute {
  const [method, verb] = FOUND_VERBS[name]
  const own = new Set(queryFields.map((field) => field.name))
  return route(resource, {
    method,
    path: `/${resource.path}`,
    summary: `${verb} all ${inSentence(resource.label)} records that the filters find`,
    body: name === 'update' ? 'json' : 'none',
    way: 'found',
    does: [name],
    filters: resource.name,
    brief: true,
    queryFields,
    units: ({ parameters }) => unitsOf(Number(parameters.max ?? 0)),
    run: async (execution, input) => {
      const chosen = [...input.query].filter(([parameter]) => !own.has(parameter))
      refusePages(chosen)
      const list = readChoice(execution, resource, chosen)
      const { dry_run, max, partial } = input.parameters
      // An empty parameter would count as absent, and all records would be written.
      if (input.query.get('dry_run')?.trim() === '')
        throw invalid({ dry_run: [fieldError('wrong_type', 'The dry_run parameter must be true or false')] })
      // Filters are parameters, and have no bounds of fields.
      if (Number(max) < 1 || Number(max) > LIMITS.batchOperations)
        throw invalid({ max: [fieldError('out_of_range', `The max must be between 1 and ${LIMITS.batchOperations}`)] })
      if (dry_run === true) return { data: { matched: await countMatching(execution, list) } }
      return inTransaction(execution, async (inner) => {
        const ids = await lockMatching(inner, list, Number(max))
        if (ids === undefined) throw tooMany(await countMatching(inner, list), Number(max))
        const changes = ids.map((id) => changeOf(resource, name, id, input.body))
        if (partial === true) {
          const outcomes = await runEach(inner, changes)
          return { data: new JsonText(foundText(ids, outcomes, sentencesFor(inner.catalog, input.headers))) }
        }
        await runTogether(inner, changes)
        return { data: { matched: ids.length, ids } }
      })
    },
  })
}

function changeOf(resource: Resource, name: 'update' | 'delete', id: Id, body: JsonObject): Operation {
  const lookup = { field: resource.key, value: id }
  const run = async (inner: Execution): Promise<string | undefined> => {
    if (name === 'update') return updateRecord(inner, resource, lookup, body)
    await deleteRecord(inner, resource, lookup)
    return undefined
  }
  return { place: String(id), alike: true, run }
}

function tooMany(count: number, max: number): ApiError {
  const message = `${count} records match, more than the ${max} that max allows; nothing was written`
  return new ApiError('conflict', { message })
}

const UNFIT: readonly string[] = [...PAGE_PARAMETERS, ...ORDER_PARAMETERS]

/** Every match is written, so pages and orders are refused. */
function refusePages(query: readonly (readonly [string, string])[]): void {
  const errors: FieldErrors = Object.fromEntries(
    query
      .filter(([name]) => UNFIT.includes(name))
      .map(([name]) => [
        name,
        [fieldError('unknown_parameter', `Unknown parameter "${name}": all records that match are written`)],
      ]),
  )
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

/** The fields by whose value a path can name a record, or create it. */
function uniqueFields({ actions, fields }: Resource): readonly Field[] {
  if (!actions.has('create') || !actions.has('update')) return []
  return [...fields.values()].filter(
    (field) => field.unique && isWritable(field) && field.show !== 'never' && field.type.hidden !== true,
  )
}

function uniqueRoutes(resource: Resource, by: readonly Field[]): readonly BatchRoute[] {
  if (by.length === 0) return []
  const label = inSentence(resource.label)
  const unique = route(resource, {
    method: 'PUT',
    path: `/${resource.path}/by/{field}/{value}`,
    summary: `Change the ${label} with this unique value, or create it`,
    way: 'unique',
    does: ['update', 'create'],
    by,
    versioned: true,
    admit: (actor) => {
      const clauses = (['update', 'create'] as const).flatMap((action) =>
        requireClause(resource.policies[action], actor),
      )
      if (!by.some((field) => readable(field, actor))) throw new ApiError('forbidden')
      return clauses
    },
    run: async (execution, { body, headers, params }) => {
      const named = namedValue(
        resource,
        by.filter((field) => readable(field, execution.actor)),
        params,
      )
      const { text, created } = await upsertRecord(execution, resource, named, body, preconditionsOf(headers))
      return created
        ? createdReply(execution, resource, text)
        : recordReply(execution, resource, text, resource.statusCodes.update)
    },
  })
  return [unique]
}

/** The field and the value that a path names; throws validation_failed. */
function namedValue(
  { earlier }: Resource,
  by: readonly Field[],
  { field: sent = '', ...params }: RequestInput['params'],
): UniqueValue {
  const present = earlier?.keys.get(sent) ?? sent
  const field = by.find(({ name }) => name === present)
  if (field === undefined)
    throw invalid({
      field: [fieldError('not_allowed', `The field must be one of ${by.map(({ name }) => name).join(', ')}`)],
    })
  const parsed = field.type.parse(params.value ?? '', field.options)
  const decoded = 'value' in parsed && parsed.value !== null ? field.type.decode(parsed.value, field.options) : parsed
  if ('error' in decoded) throw invalid({ [sent]: [misfit(field, decoded)] })
  return { field, value: decoded.value }
}
