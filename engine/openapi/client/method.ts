/**
 * Methods of a client for routes of plugins: the values in the path, the body, the query and the options, in this
 * order.
 */
import type { Field } from '../../catalog/catalog.ts'
import type { BoundRoute } from '../../http/bound-route.ts'
import { bodyKind } from '../../http/route.ts'
import { EVENT_STREAM } from '../../http/stream-route.ts'
import { parametersIn } from '../../http/table.ts'
import type { JsonSchema } from '../../json.ts'
import { partsSchema, requiresAny } from '../operation.ts'
import { fieldsSchema } from '../record-schema.ts'
import { linked } from '../reference.ts'
import { objectOf } from '../schema.ts'
import { comment, typeOf, union } from '../types.ts'
import { isJoinedStream } from './offer.ts'
import { type ClientNames, metaType, partedFilters } from './types.ts'

/** The word for the runtime by which it encodes each kind of body. */
const BODY_TRAITS = { json: 'body', form: 'form', multipart: 'files', raw: 'bytes' } as const
const RAW_TYPE = 'string | Blob | Uint8Array<ArrayBuffer>'

interface Argument {
  readonly name: string
  readonly type: string
  readonly required: boolean
}

/** The declaration of a route's method. */
export function routeMethod(given: ClientNames, name: string, route: BoundRoute): string {
  if (isJoinedStream(route))
    return `${comment(`${route.summary}.`, '  ')}  ${name}(lists: readonly FollowedList<Lists>[], options?: StreamOptions): AsyncGenerator<FollowedEvent<Lists>, void, undefined>\n`
  const taken = argumentsOf(given, route)
  const text = taken.map(({ name, required, type }, at) => {
    // Only the last arguments may be left out.
    const optional = taken.slice(at).every((one) => !one.required)
    return `${name}${optional ? '?' : ''}: ${type}${required || optional ? '' : ' | undefined'}`
  })
  return `${comment(`${route.summary}.`, '  ')}  ${name}(${text.join(', ')}): ${resultOf(given, route)}\n`
}

/** A route for the runtime: method, path, and words for its input and output. */
export function routeEntry({ catalog }: ClientNames, name: string, route: BoundRoute): string {
  const kind = bodyKind(route)
  const traits = [
    ...(kind === 'none' ? [] : [BODY_TRAITS[kind]]),
    ...(takesQuery(route) ? ['query'] : []),
    ...(isKeyed(route) ? ['key'] : []),
    ...(route.reads === true ? ['reads'] : []),
    ...answerTraits(route),
  ]
  const filtered = route.filters === undefined ? undefined : catalog.resources.get(route.filters)
  const parted = filtered === undefined ? [] : partedFilters(filtered)
  const entry = [route.method, catalog.prefix + route.path, traits.join(' '), ...parted]
  return `  ${name}: [${entry.map((text) => JSON.stringify(text)).join(', ')}],\n`
}

function isKeyed({ bucket, method, reads }: BoundRoute): boolean {
  return method === 'POST' && reads !== true && bucket !== 'auth'
}

function takesQuery({ filters, queryFields = [] }: BoundRoute): boolean {
  return filters !== undefined || queryFields.length > 0
}

function answerTraits(route: BoundRoute): readonly string[] {
  const { output, produces, status } = route
  if (isJoinedStream(route)) return ['joined']
  if (produces?.includes(EVENT_STREAM) === true) return ['stream']
  if (produces !== undefined) return [output === undefined ? 'file' : 'either']
  return status === 204 ? ['nothing'] : []
}

function argumentsOf({ names, types }: ClientNames, route: BoundRoute): readonly Argument[] {
  const { filters, inputFields, method, path, queryFields = [] } = route
  const kind = bodyKind(route)
  const inPath = parametersIn(path).map((name) => ({ name, type: 'Id', required: true }))
  const typed = (schema: JsonSchema): string => typeOf(linked(names, schema), '  ')
  const partial = method === 'PUT' || method === 'PATCH'
  const fields =
    kind === 'json' && inputFields === undefined ? { type: 'object' } : fieldsSchema(inputFields ?? [], partial)
  const body = kind === 'multipart' ? partsSchema(inputFields ?? [], partial) : fields
  const query = querySchema(queryFields)
  const chosen = filters === undefined ? undefined : types.get(filters)
  const choice = chosen === undefined ? [] : [`Choice<${chosen}>`, `Sorted<${chosen}>`]
  const needed = kind === 'multipart' || kind === 'raw' || requiresAny(inputFields, partial)
  const options =
    route.produces?.includes(EVENT_STREAM) === true ? 'StreamOptions' : isKeyed(route) ? 'PostOptions' : 'Options'
  return [
    ...inPath,
    ...(kind === 'none' ? [] : [{ name: 'body', type: kind === 'raw' ? RAW_TYPE : typed(body), required: needed }]),
    ...(takesQuery(route)
      ? [
          {
            name: 'query',
            type: [...choice, ...(queryFields.length === 0 ? [] : [typed(query)])].join(' & '),
            required: requiresAny(queryFields, false),
          },
        ]
      : []),
    { name: 'options', type: options, required: false },
  ]
}

/** Clients leave out a parameter that they do not want, so none may be null. */
function querySchema(fields: readonly Field[]): JsonSchema {
  return objectOf(
    fields.map((field) => ({
      name: field.name,
      schema: field.type.input?.(field.options) ?? field.type.schema(field.options),
      required: field.required && field.default === undefined,
    })),
  )
}

function resultOf({ names }: ClientNames, route: BoundRoute): string {
  const [trait] = answerTraits(route)
  if (trait === 'stream') return 'AsyncGenerator<StreamEvent<unknown>, void, undefined>'
  if (trait === 'file') return 'Promise<Download>'
  if (trait === 'nothing') return 'Promise<void>'
  const { accepted, meta = {}, output = { type: 'null' } } = route
  const data = union(
    [output, ...(accepted === undefined ? [] : [accepted])].map((schema) => typeOf(linked(names, schema), '  ')),
  )
  const beside = metaType(linked(names, meta))
  const answer = `Answer<${data}${beside === 'AnswerMeta' ? '' : `, ${beside}`}>`
  return trait === 'either' ? `Promise<${answer} | Download>` : `Promise<${answer}>`
}
