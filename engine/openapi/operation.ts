/** A route as an operation: its parameters, its body, its answers and its refusals. */

import type { Catalog, Field, Resource } from '../catalog/catalog.ts'
import { inSentence } from '../catalog/name.ts'
import { FORM_TYPE } from '../http/body.ts'
import type { BoundRoute } from '../http/bound-route.ts'
import { isLocated, isResourceRoute } from '../http/resource-routes.ts'
import { bodyKind, needsToken } from '../http/route.ts'
import { EVENT_STREAM } from '../http/stream-route.ts'
import { parametersIn } from '../http/table.ts'
import type { JsonSchema } from '../json.ts'
import { headerRefs, successSchema } from './answers.ts'
import { asAction, batchAnswer, batchBody, foundAnswer, isBatchRoute } from './batch.ts'
import type { Node, PathItem } from './openapi-document.ts'
import {
  choiceParameters,
  listParameters,
  listQuery,
  type Parameter,
  pathParameter,
  projectionParameters,
  queryParameters,
  recordParameter,
} from './parameters.ts'
import { fieldsSchema } from './record-schema.ts'
import { listOf, schemaRef } from './schema.ts'
import { accessSentence, ruleSentences } from './sentences.ts'
import type { Names } from './share.ts'
import { pascal, type TypeNames } from './type-name.ts'

/** The parts that operations are made from. */
export interface Outline {
  readonly catalog: Catalog
  readonly names: ReadonlyMap<string, TypeNames>
  readonly operationId: (route: BoundRoute) => string
  readonly tagOf: (route: BoundRoute) => string
  /** The alternatives by which callers present themselves; empty where no plugin knows any. */
  readonly security: readonly Node[]
}

/** A parameter, a body or the schema of an answer, with the names for its component. */
export interface Part {
  readonly node: Node
  readonly names: Names
}

/** An operation with its parts in place; references stay references. */
export interface OperationDraft {
  readonly head: Node
  readonly parameters: readonly Part[]
  readonly requestBody: Part | undefined
  /** Status → answer. */
  readonly responses: Readonly<Record<string, Part>>
}

/** The operations of a path without the parameters of the path; `names` learns the names of their parts. */
export function pathItem(methods: Readonly<Record<string, OperationDraft>>, names: Map<unknown, Names>): PathItem {
  const placed = (part: Part): Node => {
    if (!('$ref' in part.node)) names.set(part.node, part.names)
    return part.node
  }
  const answered = (part: Part): Node => {
    const content: Readonly<Record<string, Node>> = Object(part.node.content)
    for (const { schema } of Object.values(content)) if (schema !== undefined) names.set(schema, part.names)
    return part.node
  }
  const listed = (parts: readonly Part[]): Node => (parts.length === 0 ? {} : { parameters: parts.map(placed) })
  const isOfPath = ({ node }: Part): boolean => node.in === 'path'
  const [{ parameters = [] } = {}] = Object.values(methods)
  const operations = Object.entries(methods).map(([method, draft]) => {
    const answers = Object.entries(draft.responses).map(([status, part]) => [status, answered(part)])
    const own = listed(draft.parameters.filter((part) => !isOfPath(part)))
    const body = draft.requestBody === undefined ? {} : { requestBody: placed(draft.requestBody) }
    return [method, { ...draft.head, ...own, ...body, responses: Object.fromEntries(answers) }]
  })
  return { ...listed(parameters.filter(isOfPath)), ...Object.fromEntries(operations) } as PathItem
}

/** A reference to a component that every document has. */
function referred(kind: 'parameters' | 'responses', name: string): Part {
  return { node: { $ref: `#/components/${kind}/${name}` }, names: [name, name] }
}

/** The operation of a route. */
export function operationOf(outline: Outline, route: BoundRoute): OperationDraft {
  const operationId = outline.operationId(route)
  return {
    head: {
      operationId,
      tags: [outline.tagOf(route)],
      summary: route.summary,
      description: describe(route),
      ...(route.earlier === undefined ? {} : { deprecated: true }),
      ...(needsToken(route) ? {} : { security: [{}, ...outline.security] }),
    },
    parameters: parametersOf(outline, route, pascal(operationId)),
    requestBody: requestBody(outline, route, pascal(operationId)),
    responses: responsesOf(outline, route, pascal(operationId)),
  }
}

/**
 * The description of a route, and who may call it. PUT does the same as PATCH, and a query the same as the list, so
 * they only say that.
 */
function describe(route: BoundRoute): string {
  if (isResourceRoute(route) && route.action === 'update' && route.method === 'PUT') return 'The same as PATCH.'
  if (isResourceRoute(route) && route.action === 'list' && route.reads === true && route.description !== undefined)
    return route.description
  const parts = [earlierPath(route), route.description, accessSentence(route), ruleSentences(route)]
  return parts.filter((part) => part !== undefined).join('\n\n')
}

function earlierPath({ earlier }: BoundRoute): string | undefined {
  if (earlier === undefined) return undefined
  const until = earlier.until === undefined ? '' : `, which may be used until ${earlier.until}`
  return `The earlier path${until}.`
}

function isTagged(route: BoundRoute): boolean {
  return route.tagged === true || (isResourceRoute(route) && route.method !== 'DELETE')
}

function parametersOf({ catalog, names }: Outline, route: BoundRoute, id: string): readonly Part[] {
  const inPath = parametersIn(route.path)
  const headers: readonly string[] = [
    ...(route.method === 'GET' && isTagged(route) ? ['IfNoneMatch'] : []),
    ...(isResourceRoute(route) && (route.action === 'get' || route.action === 'list') ? ['Prefer'] : []),
    ...(route.produces?.includes(EVENT_STREAM) === true ? ['LastEventId'] : []),
    ...(route.versioned === true ? ['IfMatch'] : []),
    ...(isBatchRoute(route) && route.way === 'unique' ? ['OnlyNew'] : []),
    ...(route.method === 'POST' && route.reads !== true && route.bucket !== 'auth' ? ['IdempotencyKey'] : []),
  ]
  const sent = headers.map((name) => referred('parameters', name))
  const of =
    (owner: string) =>
    (node: Parameter): Part => {
      const name = pascal(String(node.name))
      return { node, names: [name, `${owner}${name}`] }
    }
  if (!isResourceRoute(route)) {
    const chosen = route.filters === undefined ? undefined : catalog.resources.get(route.filters)
    const { single = id, filters = '' } = (chosen && names.get(chosen.name)) ?? {}
    const all = chosen === undefined ? [] : choiceParameters(catalog, chosen, filters)
    // The list describes every filter; other operations would repeat them, and double the document.
    const choice = route.brief === true ? all.filter(({ name }) => name === 'operators' || name === 'where') : all
    const words = (name: string) =>
      isBatchRoute(route) && name === 'field' ? route.by.map((field) => field.name) : undefined
    const own = [...inPath.map((name) => pathParameter(name, words(name))), ...queryParameters(route.queryFields ?? [])]
    return [...own.map(of('')), ...choice.map(of(single)), ...sent]
  }
  const { resource, parent, action } = route
  const { single, filters } = names.get(resource.name)!
  const above = names.get((parent ?? resource).name)!
  return [
    ...inPath.map(() => of(above.single)(recordParameter(parent ?? resource))),
    ...(action === 'list' && route.reads !== true ? listParameters(catalog, resource, filters).map(of(single)) : []),
    ...(action === 'get' ? projectionParameters(resource).map(of(single)) : []),
    ...queryParameters(route.queryFields ?? []).map(of('')),
    ...sent,
  ]
}

function requestBody(outline: Outline, route: BoundRoute, id: string): Part | undefined {
  const kind = bodyKind(route)
  if (kind === 'none') return undefined
  if (isBatchRoute(route)) {
    if (route.way !== 'batch') return requestBody(outline, asAction(route, 'update'), id)
    const node = { required: true, content: json(batchBody(route, outline.names.get(route.writes.name)!)) }
    return { node, names: [`${id}Body`, `${id}Body`] }
  }
  if (isResourceRoute(route)) {
    const { resource, action, parent } = route
    if (action === 'list') return { node: { content: json(listQuery(resource)) }, names: ['ListQuery', `${id}Body`] }
    const { update } = outline.names.get(resource.name)!
    const name = action === 'create' ? createName(resource, parent?.name, outline.names) : update
    const node = { ...(action === 'create' ? { required: true } : {}), content: json(schemaRef(name)) }
    return { node, names: [name, `${name}Body`] }
  }
  const { inputFields } = route
  const partial = route.method === 'PUT' || route.method === 'PATCH'
  const fields = inputFields === undefined ? { type: 'object' } : fieldsSchema(inputFields, partial)
  const required = requiresAny(inputFields, partial)
  const node = {
    json: { required, content: json(fields) },
    form: { required, content: { [FORM_TYPE]: { schema: fields } } },
    multipart: {
      required: true,
      content: { 'multipart/form-data': { schema: partsSchema(inputFields ?? [], partial) } },
    },
    raw: { required: true, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } },
  }[kind]
  return { node, names: [`${id}Body`, `${id}Body`] }
}

/** The parts of an upload: the file, and fields with it. */
export function partsSchema(fields: readonly Field[], partial: boolean): JsonSchema {
  const file = { type: 'string', format: 'binary', description: 'The file.' }
  const { properties = {}, required = [] } = fieldsSchema(fields, partial)
  const names: readonly string[] = Array.isArray(required) ? required : []
  return { type: 'object', properties: { file, ...Object(properties) }, required: ['file', ...names] }
}

/** Whether a route needs a body. */
export function requiresAny(fields: readonly Field[] | undefined, partial: boolean): boolean {
  return !partial && (fields ?? []).some((field) => field.required && field.default === undefined)
}

function json(schema: JsonSchema): Node {
  return { 'application/json': { schema } }
}

function responsesOf(outline: Outline, route: BoundRoute, id: string): Readonly<Record<string, Part>> {
  const status = route.status ?? 200
  const answer = (of: BoundRoute, code: number): Part => {
    return { node: success(outline, of, code), names: answerNames(outline, of, code, id) }
  }
  const unique = isBatchRoute(route) && route.way === 'unique'
  const responses: Record<string, Part> = unique
    ? { 200: answer(asAction(route, 'update'), 200), 201: answer(asAction(route, 'create'), 201) }
    : { [status]: answer(route, status) }
  if (route.dryRun === true && status !== 200) responses[200] = answer(route, 200)
  if (!isResourceRoute(route) && route.accepted !== undefined)
    responses[202] = answer({ ...route, output: route.accepted }, 202)
  if (route.method === 'GET' && isTagged(route)) responses[304] = referred('responses', 'NotModified')
  for (const code of route.refusals ?? [])
    responses[code] = { node: refusedPage(route), names: [`${id}Page`, `${id}Page${code}`] }
  responses.default = referred('responses', 'Refused')
  return responses
}

/** A refusal that a person reads, or a program. */
function refusedPage({ produces = [] }: BoundRoute): Node {
  const content = produces.map((type) => [type, rawContent(type)] as const)
  return {
    description: 'A refusal, for people.',
    content: { ...Object.fromEntries(content), ...json(schemaRef('Refusal')) },
  }
}

/** The names of an answer's component: after its record, else after the operation. */
function answerNames({ names }: Outline, route: BoundRoute, status: number, id: string): Part['names'] {
  if (status === 204) return ['Done', `${id}Done`]
  const way = status === 201 ? 'Created' : status === 202 ? 'Accepted' : 'Answer'
  if (isBatchRoute(route) && route.way === 'found') return ['Matched', `${id}${way}`]
  if (!isResourceRoute(route)) return [`${id}${way}`, `${id}${way}`]
  const { single } = names.get(route.resource.name)!
  if (route.action === 'delete') return ['Deleted', `${single}Deleted`]
  const name = route.action === 'list' ? `${single}Page` : `${single}${way}`
  return [name, `${id}${way}`]
}

function success(outline: Outline, route: BoundRoute, status: number): Node {
  const located = isResourceRoute(route) && route.action === 'create' && isLocated(route.resource)
  const files = route.produces !== undefined && !route.produces.includes(EVENT_STREAM)
  const headers = headerRefs(
    ...(isTagged(route) ? ['ETag'] : []),
    ...(located ? ['Location'] : []),
    ...(files ? ['Content-Disposition'] : []),
  )
  const sent = Object.keys(headers).length === 0 ? {} : { headers }
  if (status === 204) return { description: 'Done. There is no body.', ...sent }
  const content: Record<string, unknown> = {}
  if (route.produces === undefined || route.output !== undefined || isResourceRoute(route)) {
    content['application/json'] = { schema: envelopeOf(outline, route) }
  }
  for (const type of route.produces ?? []) content[type] = rawContent(type)
  return { description: described(route, status), ...sent, content }
}

/** A body without an envelope: JSON of its own, text, or bytes, which have no schema. */
function rawContent(type: string): Node {
  if (type.endsWith('json')) return { schema: { type: 'object' } }
  return type.startsWith('text/') ? { schema: { type: 'string' } } : {}
}

function described(route: BoundRoute, status: number): string {
  if (isResourceRoute(route)) {
    if (route.action === 'delete') return 'Deleted.'
    const label = inSentence(route.resource.label)
    return route.action === 'list'
      ? `A page of ${label} records.`
      : `The ${label}${status === 201 ? ' as created' : ''}.`
  }
  if (status === 202) return 'Accepted. A job does the rest.'
  return status === 201 ? 'Created.' : 'Done.'
}

function envelopeOf({ names }: Outline, route: BoundRoute): JsonSchema {
  if (isResourceRoute(route)) {
    const { answer, list } = names.get(route.resource.name)!
    if (route.action === 'list') return successSchema(listOf(schemaRef(list)), { list: true })
    if (route.action === 'delete') return successSchema({ type: 'null' })
    const isChange = route.action === 'update' || route.action === 'restore'
    return isChange ? orNamed(schemaRef(answer)) : schemaRef(answer)
  }
  if (isBatchRoute(route))
    return successSchema(route.way === 'found' ? foundAnswer(route) : batchAnswer(route, names.get(route.writes.name)!))
  return successSchema(route.output ?? { type: 'null' }, { message: true, meta: route.meta ?? {} })
}

/** The answer, or the id alone where the caller may not see the written record. */
function orNamed(answer: JsonSchema): JsonSchema {
  return { anyOf: [answer, schemaRef('NamedAnswer')] }
}

/** A single record in its envelope. */
export function answerSchema(resource: Resource, single: string): JsonSchema {
  return successSchema(schemaRef(single), { meta: movesMeta(resource) })
}

/** `meta.moves` of a single answer: by field, the values that may follow. */
export function movesMeta({ moves }: Resource): Readonly<Record<string, JsonSchema>> {
  const shown = moves.filter((one) => one.shown)
  if (shown.length === 0) return {}
  const wordsOf = ({ words }: (typeof shown)[number]): JsonSchema =>
    words === undefined ? { type: 'string' } : { enum: [...words] }
  const properties = Object.fromEntries(shown.map((one) => [one.name, { type: 'array', items: wordsOf(one) }]))
  return {
    moves: {
      type: 'object',
      description: 'What may follow, for the caller: by field, the words that it can be moved to.',
      properties,
    },
  }
}

/** The name for the body of a create below a record of `parent`, where there are other ways to create. */
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
