/** The routes of a resource's actions, on its own path and below other records. */

import type { Actor } from '../actor.ts'
import { parametersOf } from '../ask/list.ts'
import { type Lookup, readLookup } from '../ask/lookup.ts'
import { forbiddenBy, readable, requireClause, shown } from '../ask/policy.ts'
import { readRecordQuery } from '../ask/projection.ts'
import type { Access, BelongsTo, Catalog, Clause, Field, Nested, Resource } from '../catalog/catalog.ts'
import { inSentence } from '../catalog/name.ts'
import { targetOf } from '../catalog/stored.ts'
import type { ActionName, PolicyName } from '../definition/definition.ts'
import { FIELD_TYPES } from '../field/index.ts'
import { entityTag, idAtStart, type JsonObject, JsonText } from '../json.ts'
import { memo } from '../memo.ts'
import { type Can, canOf } from '../reader/can.ts'
import { resolveFields } from '../resolve/fields.ts'
import type { ListResult } from '../run/context.ts'
import type { Execution } from '../run/execution.ts'
import type { Parent } from '../run/parent.ts'
import { listRecords, openMoves, readVisible } from '../run/read.ts'
import { createRecord } from '../write/create.ts'
import { deleteRecord, restoreRecord } from '../write/remove.ts'
import { updateRecord } from '../write/update.ts'
import type { BoundRoute, EngineRoute, RequestInput } from './bound-route.ts'
import type { Method, Reply } from './route.ts'
import { preconditionsOf } from './send.ts'

/** Hook name → the keys of a body that it takes in addition to the fields of the resource. */
export type HookInputs = ReadonlyMap<string, { readonly input: readonly Field[] }>

/** The resource, the action and the parent of a route. */
export interface ResourceRoute extends EngineRoute {
  readonly resource: Resource
  readonly action: ActionName
  readonly parent: Resource | undefined
}

/** Whether a route is an action of a resource. */
export function isResourceRoute(route: BoundRoute): route is ResourceRoute {
  return 'resource' in route && 'action' in route
}

type Run = EngineRoute['run']

/** The query of a route whose work may be tried. */
export const DRY_RUN: readonly Field[] =
  resolveFields(
    {
      dry_run: {
        type: 'boolean',
        description: 'Only says what would come of it: 200 with `meta.dry_run`, or the refusal.',
      },
    },
    new Map(FIELD_TYPES.map((type) => [type.name, type])),
  ).value ?? []

/** The routes of all resources. */
export function resourceRoutes(catalog: Catalog, hooks: HookInputs): readonly ResourceRoute[] {
  const routes = [...catalog.resources.values()].flatMap((resource) => [
    ...[...resource.actions].flatMap((action) => ownRoutes(resource, action)),
    ...resource.nested.flatMap((nested) =>
      nested.actions.flatMap((action) => nestedRoutes(catalog, resource, nested, action)),
    ),
  ])
  return routes.map((route) => ({ ...route, secretKeys: secretKeys(route.resource, [route.action], hooks) }))
}

/** The keys of a body with secrets: hidden fields, and the input of hooks. */
export function secretKeys(resource: Resource, actions: readonly ActionName[], hooks: HookInputs): readonly string[] {
  const extra = actions.flatMap((action) => (action === 'list' || action === 'get' ? [] : resource.hooks[action]))
  const given = extra.flatMap((name) => hooks.get(name)?.input ?? [])
  return [...hiddenFields(resource), ...given.filter(isHidden)].map(({ name }) => name)
}

/** The secrets of a resource, for which each of its routes asks. */
const hiddenFields = memo(({ fields }: Resource): readonly Field[] => [...fields.values()].filter(isHidden))

function isHidden({ type }: Field): boolean {
  return type.hidden === true
}

const METHODS: Readonly<Record<ActionName, readonly Method[]>> = {
  list: ['GET'],
  get: ['GET'],
  create: ['POST'],
  update: ['PUT', 'PATCH'],
  delete: ['DELETE'],
  restore: ['POST'],
}

function ownRoutes(resource: Resource, action: ActionName): readonly ResourceRoute[] {
  const base = `/${resource.path}`
  const path =
    action === 'list' || action === 'create' ? base : action === 'restore' ? `${base}/{id}/restore` : `${base}/{id}`
  const run = runs(resource)[action]
  const routes = METHODS[action].map((method) => route(resource, action, method, path, undefined, run))
  return action === 'list' ? [...routes, queryRoute(resource, base, undefined, () => undefined)] : routes
}

/** A list with its parameters in a body: a query may be longer than an address. */
function queryRoute(
  resource: Resource,
  path: string,
  parent: Resource | undefined,
  above: (execution: Execution, input: RequestInput) => Parent | undefined,
): ResourceRoute {
  const run: Run = (execution, input) =>
    pageReply(execution, resource, input, parametersOf(resource, input.body), above(execution, input))
  return {
    ...route(resource, 'list', 'POST', `${path}/query`, parent, run),
    description: 'The list, with its parameters in the body.',
    queryFields: [],
    reads: true,
  }
}

function nestedRoutes(
  catalog: Catalog,
  resource: Resource,
  nested: Nested,
  action: 'list' | 'create',
): readonly ResourceRoute[] {
  const { relation } = nested
  const parent = targetOf(catalog, relation)
  const path = `/${parent.path}/{id}/${nested.path}`
  const above = (execution: Execution, input: RequestInput) => ({
    relation,
    resource: parent,
    lookup: named(execution, parent, input),
  })
  const list: Run = (execution, input) => pageReply(execution, resource, input, input.query, above(execution, input))
  const create: Run = async (execution, input) =>
    createdReply(execution, resource, await createRecord(execution, resource, input.body, above(execution, input)))
  if (action === 'create') return [route(resource, action, 'POST', path, parent, create)]
  const routes = [route(resource, action, 'GET', path, parent, list), queryRoute(resource, path, parent, above)]
  return routes.map((one) => ({ ...one, admit: (actor) => admitBelow(resource, relation, actor) }))
}

/** A nested list reveals the parent of each record, so a caller who may not read that foreign key is refused. */
function admitBelow(resource: Resource, { field, read = [] }: BelongsTo, actor: Actor): readonly Clause[] {
  const clauses = requireClause(resource.policies.view, actor)
  if (!readable(field, actor)) throw forbiddenBy(read, actor)
  return clauses
}

/** The record that a path names. */
function named({ actor }: Execution, resource: Resource, { params }: RequestInput): Lookup {
  return readLookup(resource, params.id ?? '', actor)
}

/** The work of each action; `admit` has asked before whether the caller may do it at all. */
function runs(resource: Resource): Readonly<Record<ActionName, Run>> {
  const codes = resource.statusCodes
  return {
    list: (execution, input) => pageReply(execution, resource, input, input.query),
    get: async (execution, input) => {
      const { actor, catalog } = execution
      const projection = input.query.size === 0 ? undefined : readRecordQuery(catalog, resource, actor, input.query)
      const lookup = named(execution, resource, input)
      const can = canFor(execution, resource, input)
      const found = await readVisible(execution, resource, lookup, projection, can?.shape)
      const reply = await recordReply(execution, resource, found.text, codes.get)
      if (can === undefined) return reply
      return { ...reply, headers: CAN_TOLD, meta: { ...reply.meta, can: can.read(found.can) } }
    },
    create: async (execution, { body }) =>
      createdReply(execution, resource, await createRecord(execution, resource, body)),
    update: async (execution, input) => {
      const lookup = named(execution, resource, input)
      const text = await updateRecord(execution, resource, lookup, input.body, preconditionsOf(input.headers))
      return recordReply(execution, resource, text, codes.update)
    },
    delete: async (execution, input) => {
      await deleteRecord(execution, resource, named(execution, resource, input), preconditionsOf(input.headers))
      return { status: codes.delete }
    },
    restore: async (execution, input) =>
      recordReply(
        execution,
        resource,
        await restoreRecord(execution, resource, named(execution, resource, input)),
        codes.restore,
      ),
  }
}

/** The reply with one record. */
export async function recordReply(around: Execution, resource: Resource, text: string, status: number): Promise<Reply> {
  const reply = { status, data: new JsonText(text), etag: entityTag(text) }
  if (!resource.moves.some(({ shown }) => shown)) return reply
  const moves = await openMoves(around, resource, text)
  return moves === undefined ? reply : { ...reply, meta: { moves } }
}

/** The reply to a creation, with the path of the new record where it has one. */
export async function createdReply(around: Execution, resource: Resource, text: string): Promise<Reply> {
  const { catalog } = around
  const reply = await recordReply(around, resource, text, resource.statusCodes.create)
  const name = isLocated(resource) ? nameIn(resource, text) : undefined
  if (name === undefined) return reply
  return { ...reply, headers: { Location: `${catalog.prefix}/${resource.path}/${encodeURIComponent(name)}` } }
}

/** Whether the answer to a creation has the path of the new record. */
export function isLocated(resource: Resource): boolean {
  return resource.statusCodes.create === 201 && resource.actions.has('get') && addressField(resource) !== undefined
}

/** The lookup by which a new record is found whatever its values are, and for each reader: the id, or another that all answers have. */
function addressField({ key, lookup }: Resource): Field | undefined {
  if (lookup.includes(key)) return key
  return lookup.find(({ nullable, read, show }) => !nullable && read === undefined && shown(show, 'single'))
}

/** The name of a record in a path, from its answer; undefined where the caller sees nothing of it. */
function nameIn(resource: Resource, text: string): string | number | undefined {
  const field = addressField(resource)
  if (field === resource.key || field === undefined) return idAtStart(text)
  const record = JSON.parse(text) as JsonObject
  const value = record[field.name]
  if (value === undefined || value === null) return undefined
  // The first lookup that takes a text has it, and a text before a colon may be a name.
  return field === resource.lookup[0] && !String(value).includes(':') ? String(value) : `${field.name}:${String(value)}`
}

/** The header of answers that say what the caller may do (RFC 7240, section 3). */
const CAN_TOLD = { 'Preference-Applied': 'can' }

/** What to ask of each record, where the caller wants to know what it may do: `Prefer: can`. */
function canFor({ actor, catalog }: Execution, resource: Resource, { headers }: RequestInput): Can | undefined {
  const { prefer } = headers
  return prefer !== undefined && /(?:^|,)\s*can\s*(?:$|[,;])/i.test(prefer)
    ? canOf(catalog, resource, actor)
    : undefined
}

/** The reply with one page of a list, and with what the caller may do to each record if the request asks for that. */
async function pageReply(
  execution: Execution,
  resource: Resource,
  input: RequestInput,
  query: Iterable<readonly [string, string]>,
  parent?: Parent,
): Promise<Reply> {
  const can = canFor(execution, resource, input)
  const page = await listRecords(execution, resource, query, parent, can && { can: can.shape })
  return listReply(page, resource.statusCodes.list, can)
}

/** The reply with a page of a list. */
export function listReply(result: ListResult, status: number, can?: Can): Reply {
  const data = `[${result.items.join(',')}]`
  const bytes = Buffer.from(data)
  const pagination = JSON.stringify(result.pagination)
  const search = result.search && JSON.stringify(result.search)
  const rights =
    can && JSON.stringify(Object.fromEntries((result.can ?? []).map(([id, ...asked]) => [id, can.read(asked)])))
  return {
    status,
    data: new JsonText(data, bytes),
    meta: {
      pagination: new JsonText(pagination),
      ...(search === undefined ? {} : { search: new JsonText(search) }),
      ...(rights === undefined ? {} : { can: new JsonText(rights) }),
    },
    ...(rights === undefined ? {} : { headers: CAN_TOLD }),
    etag: entityTag(bytes, `${pagination}${search ?? ''}${rights ?? ''}`),
  }
}

function route(
  resource: Resource,
  action: ActionName,
  method: Method,
  path: string,
  parent: Resource | undefined,
  run: Run,
): ResourceRoute {
  const dries = action === 'create' || action === 'update'
  return {
    method,
    path,
    summary: summary(resource, action, parent, method),
    tag: (parent ?? resource).name,
    access: routeAccess(resource, action),
    status: resource.statusCodes[action],
    body: method === 'GET' || method === 'DELETE' || action === 'restore' ? 'none' : 'json',
    plugin: 'engine',
    options: {},
    inputFields: undefined,
    queryFields: action === 'list' || action === 'get' ? undefined : dries ? DRY_RUN : [],
    ...(dries ? { dryRun: true } : {}),
    versioned: action === 'update' || action === 'delete',
    resource,
    action,
    parent,
    admit: (actor) => requireClause(resource.policies[policyOf(action)], actor),
    run,
  }
}

/** Public where a clause is for anyone; the clauses themselves are judged with the record. */
export function routeAccess(resource: Resource, action: ActionName): 'public' | readonly Access[] {
  const open = resource.policies[policyOf(action)].some((clause) =>
    clause.access.every((access) => access.kind === 'anyone'),
  )
  return open ? 'public' : [{ kind: 'signed_in' }]
}

function policyOf(action: ActionName): PolicyName {
  return action === 'list' || action === 'get' ? 'view' : action
}

function summary(resource: Resource, action: ActionName, parent: Resource | undefined, method: Method): string {
  const label = inSentence(resource.label)
  const of = parent === undefined ? '' : ` of the ${inSentence(parent.label)}`
  const verbs: Record<ActionName, string> = {
    list: `${method === 'POST' ? 'Query' : 'List'} the ${label} records${of}`,
    get: `Read one ${label}`,
    create: `Create a ${label}${of}`,
    update: `Change a ${label}`,
    delete: `Delete a ${label}`,
    restore: `Restore a deleted ${label}`,
  }
  return verbs[action]
}
