/** The routes that the catalog gives: every action of every resource, on its own path and below others. */
import { createRecord } from '../action/create.ts'
import type { BoundHook, Execution } from '../action/execution.ts'
import type { ListResult } from '../action/list-result.ts'
import { getRecord, listRecords } from '../action/read.ts'
import { entityTag } from '../action/read-back.ts'
import { deleteRecord, restoreRecord } from '../action/remove.ts'
import { updateRecord } from '../action/update.ts'
import type { Access, Catalog, Nested, Resource } from '../catalog/catalog.ts'
import type { ActionName, PolicyName } from '../definition/definition.ts'
import { JsonText } from '../json.ts'
import { type Lookup, readLookup } from '../query/lookup.ts'
import { requireClause } from '../query/policy.ts'
import type { BoundRoute } from './parts.ts'
import type { Method, Reply, RouteContext } from './route.ts'

/** Which resource, action and parent a resource's route stands for, for the reference and for explain. */
export interface ResourceRoute extends BoundRoute {
  readonly resource: Resource
  readonly action: ActionName
  readonly parent: Resource | undefined
}

type ExecutionOf = (context: RouteContext) => Execution

/** Every route that the catalog's resources have. */
export function resourceRoutes(
  catalog: Catalog,
  executionOf: ExecutionOf,
  hooks: ReadonlyMap<string, BoundHook> = new Map(),
): readonly ResourceRoute[] {
  const routes = [...catalog.resources.values()].flatMap((resource) => [
    ...[...resource.actions].flatMap((action) => ownRoutes(catalog, resource, action, executionOf)),
    ...resource.nested.flatMap((nested) =>
      nested.actions.map((action) => nestedRoute(catalog, resource, nested, action, executionOf)),
    ),
  ])
  return routes.map((route) => ({ ...route, secretKeys: secretKeys(route, hooks) }))
}

/** The keys of a body that hold secrets: fields that never leave, and what hooks take. */
function secretKeys({ action, resource }: ResourceRoute, hooks: ReadonlyMap<string, BoundHook>): readonly string[] {
  const extra = action === 'list' || action === 'get' ? [] : resource.hooks[action]
  const fields = [...resource.fields.values(), ...extra.flatMap((name) => hooks.get(name)?.input ?? [])]
  return fields.filter(({ type }) => type.hidden === true).map(({ name }) => name)
}

const METHODS: Readonly<Record<ActionName, readonly Method[]>> = {
  list: ['GET'],
  get: ['GET'],
  create: ['POST'],
  update: ['PUT', 'PATCH'],
  delete: ['DELETE'],
  restore: ['POST'],
}

function ownRoutes(
  catalog: Catalog,
  resource: Resource,
  action: ActionName,
  executionOf: ExecutionOf,
): readonly ResourceRoute[] {
  const base = `/${resource.path}`
  const path =
    action === 'list' || action === 'create' ? base : action === 'restore' ? `${base}/{id}/restore` : `${base}/{id}`
  const handle = handlers(catalog, resource, executionOf)[action]
  return METHODS[action].map((method) => route(resource, action, method, path, undefined, handle))
}

function nestedRoute(
  catalog: Catalog,
  resource: Resource,
  nested: Nested,
  action: 'list' | 'create',
  executionOf: ExecutionOf,
): ResourceRoute {
  const parent = catalog.resources.get(nested.relation.target)!
  const path = `/${parent.path}/{id}/${nested.path}`
  const handle = async (context: RouteContext): Promise<Reply> => {
    const execution = executionOf(context)
    requireClause(resource.policies[action === 'list' ? 'view' : 'create'], execution.actor)
    const above = {
      relation: nested.relation,
      resource: parent,
      lookup: readLookup(parent, context.params.id ?? ''),
    }
    if (action === 'list')
      return listReply(await listRecords(execution, resource, context.query, above), resource.statusCodes.list)
    return createdReply(catalog, resource, await createRecord(execution, resource, context.body, above))
  }
  return route(resource, action, action === 'list' ? 'GET' : 'POST', path, parent, handle)
}

function handlers(
  catalog: Catalog,
  resource: Resource,
  executionOf: ExecutionOf,
): Readonly<Record<ActionName, (context: RouteContext) => Promise<Reply>>> {
  // Who may not do this at all hears so, whatever the path names.
  const named = (execution: Execution, policy: PolicyName, context: RouteContext): Lookup => {
    requireClause(resource.policies[policy], execution.actor)
    return readLookup(resource, context.params.id ?? '')
  }
  const codes = resource.statusCodes
  return {
    list: async (context) => listReply(await listRecords(executionOf(context), resource, context.query), codes.list),
    get: async (context) =>
      recordReply(await getRecord(executionOf(context), resource, context.params.id ?? ''), codes.get),
    create: async (context) =>
      createdReply(catalog, resource, await createRecord(executionOf(context), resource, context.body)),
    update: async (context) => {
      const execution = executionOf(context)
      const lookup = named(execution, 'update', context)
      return recordReply(
        await updateRecord(execution, resource, lookup, context.body, context.headers['if-match']),
        codes.update,
      )
    },
    delete: async (context) => {
      const execution = executionOf(context)
      await deleteRecord(execution, resource, named(execution, 'delete', context), context.headers['if-match'])
      return { status: codes.delete }
    },
    restore: async (context) => {
      const execution = executionOf(context)
      return recordReply(await restoreRecord(execution, resource, named(execution, 'restore', context)), codes.restore)
    },
  }
}

function recordReply(text: string, status: number): Reply {
  return { status, data: new JsonText(text), etag: entityTag(text) }
}

/** The reply to a creation, with where the record is to be read where that is a path. */
function createdReply(catalog: Catalog, resource: Resource, text: string): Reply {
  const reply = recordReply(text, resource.statusCodes.create)
  // Every record begins with its id.
  const id = /^\{"id":(\d+)/.exec(text)?.[1]
  if (!isLocated(resource) || id === undefined) return reply
  return { ...reply, headers: { Location: `${catalog.prefix}/${resource.path}/${id}` } }
}

/** Whether the answer to a creation says where the new record is. */
export function isLocated(resource: Resource): boolean {
  return resource.statusCodes.create === 201 && resource.actions.has('get') && resource.lookup.includes(resource.key)
}

function listReply(result: ListResult, status: number): Reply {
  const data = `[${result.items.join(',')}]`
  const bytes = Buffer.from(data)
  const pagination = JSON.stringify(result.pagination)
  return {
    status,
    data: new JsonText(data, bytes),
    meta: { pagination: new JsonText(pagination) },
    etag: entityTag(bytes, pagination),
  }
}

function route(
  resource: Resource,
  action: ActionName,
  method: Method,
  path: string,
  parent: Resource | undefined,
  handle: (context: RouteContext) => Promise<Reply>,
): ResourceRoute {
  return {
    method,
    path,
    summary: summary(resource, action, parent),
    tag: (parent ?? resource).name,
    access: routeAccess(resource, action),
    status: resource.statusCodes[action],
    body: method === 'GET' || method === 'DELETE' || action === 'restore' ? 'none' : 'json',
    plugin: 'engine',
    options: {},
    inputFields: undefined,
    queryFields: action === 'list' ? undefined : [],
    resource,
    action,
    parent,
    admit: (actor) => requireClause(resource.policies[policyOf(action)], actor),
    handle,
  }
}

/** Public where a clause speaks of anyone; the clauses themselves are judged with the record. */
function routeAccess(resource: Resource, action: ActionName): 'public' | readonly Access[] {
  const open = resource.policies[policyOf(action)].some((clause) =>
    clause.access.every((access) => access.kind === 'anyone'),
  )
  return open ? 'public' : [{ kind: 'signed_in' }]
}

function policyOf(action: ActionName): PolicyName {
  return action === 'list' || action === 'get' ? 'view' : action
}

function summary(resource: Resource, action: ActionName, parent: Resource | undefined): string {
  const label = resource.label.toLowerCase()
  const of = parent === undefined ? '' : ` of the ${parent.label.toLowerCase()}`
  const verbs: Record<ActionName, string> = {
    list: `List the ${label} records${of}`,
    get: `Read one ${label}`,
    create: `Create a ${label}${of}`,
    update: `Change a ${label}`,
    delete: `Delete a ${label}`,
    restore: `Restore a deleted ${label}`,
  }
  return verbs[action]
}
