/** Answers: the envelope, the headers that come with it, and every refusal there is, as parts to refer to. */
import { ERRORS as KINDS } from '../error.ts'
import { FIELD_ERRORS } from '../http/field-error.ts'
import type { JsonSchema } from '../json.ts'
import { nullable, objectOf, schemaRef } from './schema.ts'

type Node = { readonly [key: string]: unknown }

const META = [
  {
    name: 'timestamp',
    schema: { type: 'string', format: 'date-time', description: 'When the answer was made, UTC.' },
    required: true,
  },
  { name: 'version', schema: { type: 'string', description: 'The version of this interface.' }, required: true },
] as const

const REQUEST_ID = {
  name: 'request_id',
  schema: { type: 'string', description: 'Only with 5xx: what to tell those who run the server.' },
  required: false,
} as const

const ERRORS: JsonSchema = {
  type: 'object',
  description: 'Field (`tags.0` inside lists) or parameter → sentences.',
  additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
}

const ERROR_CODES: JsonSchema = {
  type: 'object',
  description: 'The same keys as in `errors`: a code for each sentence, in the same order.',
  additionalProperties: { type: 'array', items: { enum: Object.keys(FIELD_ERRORS) }, minItems: 1 },
}

const CODE: JsonSchema = { enum: Object.keys(KINDS), description: 'What is wrong, for programs.' }

const COUNT = { type: 'integer', minimum: 0 } as const
const PLACE = { type: 'integer', minimum: 1 } as const

/** The schemas that every document has. */
export const ENVELOPE_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  AnswerMeta: objectOf(META),
  Refusal: refusalSchema(),
  ValidationRefusal: refusalSchema(ERRORS),
  ListAnswerMeta: objectOf([...META, { name: 'pagination', schema: schemaRef('Pagination'), required: true }]),
  Pagination: objectOf(
    [
      { name: 'current_page', schema: nullable(PLACE), required: true },
      { name: 'per_page', schema: PLACE, required: true },
      { name: 'total', schema: nullable(COUNT), required: true },
      { name: 'last_page', schema: nullable(PLACE), required: true },
      { name: 'from', schema: nullable(PLACE), required: true },
      { name: 'to', schema: nullable(PLACE), required: true },
      { name: 'next_cursor', schema: { type: ['string', 'null'] }, required: true },
      {
        name: 'total_exact',
        schema: { const: false, description: 'Only where the total is an estimate, or at least so many.' },
        required: false,
      },
    ],
    { description: 'Read by cursor, only `per_page` and `next_cursor` are known; the others are null.' },
  ),
}

function refusalSchema(errors?: JsonSchema): JsonSchema {
  return objectOf([
    { name: 'success', schema: { const: false }, required: true },
    { name: 'message', schema: { type: 'string', description: 'What is wrong, for people.' }, required: true },
    { name: 'code', schema: CODE, required: true },
    ...(errors === undefined
      ? []
      : [
          { name: 'errors', schema: errors, required: false },
          { name: 'error_codes', schema: ERROR_CODES, required: false },
        ]),
    { name: 'meta', schema: objectOf([...META, REQUEST_ID]), required: true },
  ])
}

/** The envelope around `data`; plugins' routes may say a message and more in `meta`. */
export function successSchema(
  data: JsonSchema,
  {
    list = false,
    message = false,
    meta = {},
  }: { list?: boolean; message?: boolean; meta?: Readonly<Record<string, JsonSchema>> } = {},
): JsonSchema {
  const more = Object.entries(meta).map(([name, schema]) => ({ name, schema, required: false }))
  const metaSchema = list
    ? schemaRef('ListAnswerMeta')
    : more.length === 0
      ? schemaRef('AnswerMeta')
      : objectOf([...META, ...more])
  return objectOf([
    { name: 'success', schema: { const: true }, required: true },
    { name: 'data', schema: data, required: true },
    ...(message ? [{ name: 'message', schema: { type: 'string' }, required: false }] : []),
    { name: 'meta', schema: metaSchema, required: true },
  ])
}

export const HEADERS: Readonly<Record<string, Node>> = {
  'X-Request-Id': header('Names this request in the log.', { type: 'string' }, true),
  'X-RateLimit-Limit': header('Requests that the caller has in a minute.', COUNT, true),
  'X-RateLimit-Remaining': header('How many of them are left.', COUNT, true),
  'Retry-After': header('Seconds to wait before the next attempt.', PLACE, true),
  'WWW-Authenticate': header('How to present a token.', { type: 'string' }, true),
  Allow: header('The methods that the path knows.', { type: 'string' }, true),
  ETag: header('The version of what was answered, for If-None-Match and If-Match.', { type: 'string' }, true),
  Location: header('The path of the new record.', { type: 'string' }, true),
  'Idempotency-Replayed': header('Present where an earlier answer was given again.', { const: 'true' }, false),
  'Content-Disposition': header('The name under which to save the file.', { type: 'string' }, false),
}

function header(description: string, schema: JsonSchema, required: boolean): Node {
  return { description, required, schema }
}

/** References to headers by name, for an answer. */
export function headerRefs(...names: readonly string[]): Node {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** What every answer of a counted route carries. */
export const COUNTED = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining'] as const

function refused(description: string, schema: string, ...headers: readonly string[]): Node {
  return {
    description,
    headers: headerRefs(...COUNTED, ...headers),
    content: { 'application/json': { schema: schemaRef(schema) } },
  }
}

/** Status → what the refusal is called among the components. */
export const REFUSALS: Readonly<Record<number, { readonly name: string; readonly response: Node }>> = {
  400: {
    name: 'BadRequest',
    response: refused('The request can not be understood: broken JSON, query string or Idempotency-Key.', 'Refusal'),
  },
  401: {
    name: 'Unauthenticated',
    response: refused('A token is needed, or the one presented is not good any more.', 'Refusal', 'WWW-Authenticate'),
  },
  403: {
    name: 'Forbidden',
    response: refused('The caller may not do this; the message says what is missing.', 'Refusal'),
  },
  404: { name: 'NotFound', response: refused('There is no such path, or no such record.', 'Refusal') },
  405: { name: 'MethodNotAllowed', response: refused('The path knows other methods.', 'Refusal', 'Allow') },
  409: { name: 'Conflict', response: refused('The present state is in the way; the message says which.', 'Refusal') },
  412: {
    name: 'StaleVersion',
    response: refused('The record is not any more the one that If-Match names.', 'Refusal'),
  },
  413: { name: 'PayloadTooLarge', response: refused('The body is larger than allowed.', 'Refusal') },
  415: {
    name: 'UnsupportedMediaType',
    response: refused('The body is of a type that the route does not take.', 'Refusal'),
  },
  422: {
    name: 'ValidationFailed',
    response: refused('A field or a parameter is wrong; `errors` says which and why.', 'ValidationRefusal'),
  },
  429: { name: 'TooManyRequests', response: refused('The minute’s requests are used up.', 'Refusal', 'Retry-After') },
  500: { name: 'ServerError', response: refused('Something is wrong on the server, and was logged there.', 'Refusal') },
  503: {
    name: 'Unavailable',
    response: refused('The server can not answer at the moment.', 'Refusal', 'Retry-After'),
  },
}

/** All refusals, as components. */
export function refusalComponents(): Node {
  return Object.fromEntries(Object.values(REFUSALS).map(({ name, response }) => [name, response]))
}

export function refusalRef(status: number): Node {
  return { $ref: `#/components/responses/${REFUSALS[status]!.name}` }
}

export const NOT_MODIFIED: Node = {
  description: 'Nothing has changed since the version that If-None-Match names.',
  headers: headerRefs(...COUNTED, 'ETag'),
}
