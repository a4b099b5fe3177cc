/** One route as an operation: what it takes, what it answers, how it refuses. */
import type { Catalog, Field, Resource } from '../catalog/catalog.ts'
import type { BoundRoute } from '../http/parts.ts'
import { isLocated } from '../http/resource-routes.ts'
import { needsToken } from '../http/route.ts'
import type { JsonSchema } from '../json.ts'
import { accessSentence, isResourceRoute } from './access-sentence.ts'
import { COUNTED, headerRefs, NOT_MODIFIED, refusalRef, successSchema } from './answers.ts'
import {
  choiceParameters,
  listParameters,
  type Parameter,
  pathParameter,
  queryParameters,
  recordParameter,
} from './parameters.ts'
import { fieldsSchema } from './record-schema.ts'
import { listOf, schemaRef } from './schema.ts'
import type { TypeNames } from './type-name.ts'

/** An operation of the document. */
export type Operation = { readonly [key: string]: unknown }

/** What operations are made from. */
export interface Outline {
  readonly catalog: Catalog
  readonly names: ReadonlyMap<string, TypeNames>
  readonly operationId: (route: BoundRoute) => string
  readonly tagOf: (route: BoundRoute) => string
}

/** The operation of a route. */
export function operationOf(outline: Outline, route: BoundRoute): Operation {
  const body = requestBody(outline, route)
  const description = [route.description, accessSentence(route)].filter((part) => part !== undefined).join('\n\n')
  return {
    operationId: outline.operationId(route),
    tags: [outline.tagOf(route)],
    summary: route.summary,
    description,
    ...(needsToken(route) ? {} : { security: [{}, { bearer: [] }] }),
    parameters: parametersOf(outline, route),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responsesOf(outline, route),
  }
}

function bodyKind(route: BoundRoute): 'none' | 'json' | 'multipart' {
  return route.body ?? (route.method === 'GET' || route.method === 'DELETE' ? 'none' : 'json')
}

function isTagged(route: BoundRoute): boolean {
  return route.tagged === true || (isResourceRoute(route) && route.method !== 'DELETE')
}

function parametersOf({ catalog, names }: Outline, route: BoundRoute): readonly Parameter[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
  const headers: readonly string[] = [
    ...(route.method === 'GET' && isTagged(route) ? ['IfNoneMatch'] : []),
    ...(isResourceRoute(route) && (route.action === 'update' || route.action === 'delete') ? ['IfMatch'] : []),
    ...(route.method === 'POST' && route.bucket !== 'auth' ? ['IdempotencyKey'] : []),
  ]
  const sent = headers.map((name) => ({ $ref: `#/components/parameters/${name}` }))
  if (!isResourceRoute(route)) {
    const chosen = route.filters === undefined ? undefined : catalog.resources.get(route.filters)
    const choice = chosen === undefined ? [] : choiceParameters(catalog, chosen, names.get(chosen.name)!.filters)
    return [...inPath.map(pathParameter), ...queryParameters(route.queryFields ?? []), ...choice, ...sent]
  }
  const { resource, parent, action } = route
  return [
    ...inPath.map(() => recordParameter(parent ?? resource)),
    ...(action === 'list' ? listParameters(catalog, resource, names.get(resource.name)!.filters) : []),
    ...sent,
  ]
}

function requestBody(outline: Outline, route: BoundRoute): Operation | undefined {
  const kind = bodyKind(route)
  if (kind === 'none') return undefined
  if (isResourceRoute(route)) {
    const { resource, action, parent } = route
    const { update } = outline.names.get(resource.name)!
    const name = action === 'create' ? createName(resource, parent?.name, outline.names) : update
    return { required: action === 'create', content: json(schemaRef(name)) }
  }
  const { inputFields } = route
  const partial = route.method === 'PUT' || route.method === 'PATCH'
  const fields = inputFields === undefined ? { type: 'object' } : fieldsSchema(inputFields, partial)
  if (kind === 'json') return { required: requiresAny(inputFields, partial), content: json(fields) }
  return { required: true, content: { 'multipart/form-data': { schema: partsSchema(inputFields ?? [], partial) } } }
}

/** The parts of an upload: the file, and fields beside it. */
function partsSchema(fields: readonly Field[], partial: boolean): JsonSchema {
  const file = { type: 'string', format: 'binary', description: 'The file.' }
  const { properties = {}, required = [] } = fieldsSchema(fields, partial)
  const names: readonly string[] = Array.isArray(required) ? required : []
  return { type: 'object', properties: { file, ...Object(properties) }, required: ['file', ...names] }
}

function requiresAny(fields: readonly Field[] | undefined, partial: boolean): boolean {
  return !partial && (fields ?? []).some((field) => field.required && field.default === undefined)
}

function json(schema: JsonSchema): Operation {
  return { 'application/json': { schema } }
}

function responsesOf(outline: Outline, route: BoundRoute): Operation {
  const status = route.status ?? 200
  const responses: Record<string, unknown> = { [status]: success(outline, route, status) }
  if (!isResourceRoute(route) && route.accepted !== undefined)
    responses[202] = success(outline, { ...route, output: route.accepted }, 202)
  if (route.method === 'GET' && isTagged(route)) responses[304] = NOT_MODIFIED
  for (const refusal of refusalsOf(route)) responses[refusal] = refusalRef(refusal)
  return responses
}

/** How a route may refuse, in the order of the checks. */
function refusalsOf(route: BoundRoute): readonly number[] {
  const closed = needsToken(route) || route.bucket === 'auth' || isResourceRoute(route)
  const body = bodyKind(route) !== 'none'
  // What a plugin answers may depend on a state too: a report that is not ready, a feature that is switched off.
  const stateful = route.method !== 'GET' || (!isResourceRoute(route) && needsToken(route))
  const versioned = isResourceRoute(route) && (route.action === 'update' || route.action === 'delete')
  return [
    400,
    ...(closed ? [401, 403] : []),
    ...(route.path.includes('{') ? [404] : []),
    ...(stateful ? [409] : []),
    ...(versioned ? [412] : []),
    ...(body ? [413, 415] : []),
    422,
    429,
    500,
    503,
  ]
}

function success(outline: Outline, route: BoundRoute, status: number): Operation {
  const headers = {
    ...headerRefs(...COUNTED, ...(isTagged(route) ? ['ETag'] : [])),
    ...(isResourceRoute(route) && route.action === 'create' && isLocated(route.resource) ? headerRefs('Location') : {}),
    ...(route.method === 'POST' && route.bucket !== 'auth' ? headerRefs('Idempotency-Replayed') : {}),
  }
  if (status === 204) return { description: 'Done; there is nothing to say.', headers }
  const content: Record<string, unknown> = {}
  if (route.produces === undefined || route.output !== undefined || isResourceRoute(route)) {
    content['application/json'] = { schema: envelopeOf(outline, route) }
  }
  for (const type of route.produces ?? []) content[type] = { schema: rawSchema(type) }
  const files = route.produces === undefined ? {} : headerRefs('Content-Disposition')
  return { description: described(route, status), headers: { ...headers, ...files }, content }
}

/** What a body without an envelope is: JSON of its own, text, or bytes. */
function rawSchema(type: string): JsonSchema {
  if (type.endsWith('json')) return { type: 'object' }
  return type.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' }
}

function described(route: BoundRoute, status: number): string {
  if (isResourceRoute(route)) {
    const label = route.resource.label.toLowerCase()
    return route.action === 'list'
      ? `A page of ${label} records.`
      : `The ${label}${status === 201 ? ' as created' : ''}.`
  }
  if (status === 202) return 'Accepted: a job goes on with it.'
  return status === 201 ? 'Created.' : 'Done.'
}

function envelopeOf({ names }: Outline, route: BoundRoute): JsonSchema {
  if (isResourceRoute(route)) {
    const { single, list } = names.get(route.resource.name)!
    if (route.action === 'list') return successSchema(listOf(schemaRef(list)), { list: true })
    return successSchema(route.action === 'delete' ? { type: 'null' } : schemaRef(single))
  }
  return successSchema(route.output ?? { type: 'null' }, { message: true, meta: route.meta ?? {} })
}

/** What the body of a create below a record of `parent` is called: a name of its own where there are other ways to create. */
export function createName(
  resource: Resource,
  parent: string | undefined,
  names: ReadonlyMap<string, TypeNames>,
): string {
  const { create } = names.get(resource.name)!
  const below = resource.nested.filter(({ actions }) => actions.includes('create'))
  if (parent === undefined || (below.length === 1 && !resource.actions.has('create'))) return create
  return `${create}In${names.get(parent)!.single}`
}
