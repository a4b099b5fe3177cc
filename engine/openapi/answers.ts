/** Answers in the document: the envelope, its headers, and every refusal, as components to refer to. */
import { ERRORS as KINDS } from '../error.ts'
import { FIELD_ERRORS } from '../field-error.ts'
import type { JsonSchema } from '../json.ts'
import type { Node } from './openapi-document.ts'
import { nullable, objectOf, schemaRef } from './schema.ts'

const META = [
  {
    name: 'timestamp',
    schema: { type: 'string', format: 'date-time', description: 'When the answer was made, in UTC.' },
    required: true,
  },
  { name: 'version', schema: { type: 'string', description: 'The version of this interface.' }, required: true },
] as const

const DRY_RUN = {
  name: 'dry_run',
  schema: { const: true, description: 'Nothing was kept: this is what would come of it.' },
  required: false,
} as const

const CAN = {
  name: 'can',
  schema: {
    type: 'object',
    description:
      'With `Prefer: can`: the fields that the caller may change, whether it may delete the record, to which words it may move it, and what it may create below it; of a list by id.',
  },
  required: false,
} as const

const REQUEST_ID = {
  name: 'request_id',
  schema: { type: 'string', description: 'Only with 5xx: give it to those who run the server.' },
  required: false,
} as const

/** The number of mistakes, where an answer holds only some of them. */
const ERRORS_TOTAL = {
  name: 'errors_total',
  schema: {
    type: 'integer',
    minimum: 1,
    description: 'How many mistakes there are, where `errors` has the first ones.',
  },
  required: false,
} as const

const CHECKS = {
  name: 'checks',
  schema: {
    type: 'object',
    description: 'Only from `/readyz`: what was looked at, and what was found.',
    additionalProperties: { type: 'string' },
  },
  required: false,
} as const

const ERRORS: JsonSchema = {
  type: 'object',
  description: 'Only with 422: the sentences by field or parameter; `tags.0` is the first value of a list.',
  additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
}

const ERROR_CODES: JsonSchema = {
  type: 'object',
  description: 'The same keys as in `errors`, with a code for each sentence in the same order.',
  additionalProperties: { type: 'array', items: { enum: Object.keys(FIELD_ERRORS) }, minItems: 1 },
}

const CODE: JsonSchema = { enum: Object.keys(KINDS), description: 'What is wrong, for programs.' }

const COUNT = { type: 'integer', minimum: 0 } as const
const PLACE = { type: 'integer', minimum: 1 } as const

const FIELD_REFUSALS = [
  { name: 'errors', schema: schemaRef('FieldErrors'), required: false },
  { name: 'error_codes', schema: schemaRef('FieldErrorCodes'), required: false },
] as const

/** The outcome of one operation of a batch: its record, or its mistakes. */
const OUTCOME: JsonSchema = objectOf([
  { name: 'status', schema: { type: 'integer' }, required: true },
  { name: 'data', schema: { type: ['object', 'null'] }, required: false },
  { name: 'etag', schema: { type: 'string', description: 'The ETag of the record as it is now.' }, required: false },
  { name: 'code', schema: schemaRef('ErrorCode'), required: false },
  { name: 'message', schema: { type: 'string' }, required: false },
  ...FIELD_REFUSALS,
  ERRORS_TOTAL,
])

/** The envelope of an answer around its `data`. */
const AROUND = [
  { name: 'success', schema: { const: true }, required: true },
  { name: 'meta', schema: schemaRef('AnswerMeta'), required: true },
] as const

const MESSAGE = { name: 'message', schema: { type: 'string' }, required: false } as const

/** The schemas that every document has. */
export const ENVELOPE_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Outcome: OUTCOME,
  AnswerMeta: objectOf([...META, DRY_RUN, CAN]),
  Envelope: objectOf(AROUND),
  MessageEnvelope: objectOf([...AROUND, MESSAGE]),
  ListEnvelope: objectOf([AROUND[0], { name: 'meta', schema: schemaRef('ListAnswerMeta'), required: true }]),
  Refusal: refusalSchema(),
  ErrorCode: CODE,
  FieldErrors: ERRORS,
  FieldErrorCodes: ERROR_CODES,
  ListAnswerMeta: objectOf([
    ...META,
    { name: 'pagination', schema: schemaRef('Pagination'), required: true },
    { name: 'search', schema: schemaRef('SearchTold'), required: false },
    CAN,
  ]),
  SearchTold: objectOf(
    [
      {
        name: 'corrected',
        schema: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'Words that are in no record, each with the word that was searched for instead.',
          example: { prnter: 'printer' },
        },
        required: false,
      },
      {
        name: 'matches',
        schema: {
          type: 'array',
          items: objectOf([
            { name: 'id', schema: { type: ['integer', 'string'] }, required: true },
            { name: 'fields', schema: { type: 'array', items: { type: 'string' } }, required: true },
            {
              name: 'snippets',
              schema: {
                type: 'object',
                additionalProperties: { type: 'string' },
                description: 'With `snippets=true`: HTML in which words are in `<mark>`, and nothing else is markup.',
                example: { subject: 'The <mark>printer</mark> is broken' },
              },
              required: false,
            },
          ]),
          description: 'The records of the page in their order, each with the fields that have words of the search.',
        },
        required: false,
      },
    ],
    { description: 'What an answer says of a search in addition to its page.' },
  ),
  Pagination: objectOf(
    [
      { name: 'current_page', schema: nullable(PLACE), required: true },
      {
        name: 'per_page',
        schema: { ...PLACE, description: 'At most the largest page, whatever was asked for.' },
        required: true,
      },
      { name: 'total', schema: nullable(COUNT), required: true },
      { name: 'last_page', schema: nullable(PLACE), required: true },
      { name: 'from', schema: nullable(PLACE), required: true },
      { name: 'to', schema: nullable(PLACE), required: true },
      { name: 'next_cursor', schema: { type: ['string', 'null'] }, required: true },
      {
        name: 'total_exact',
        schema: { const: false, description: 'Only there when `total` is an estimate, or when there may be more.' },
        required: false,
      },
    ],
    { description: 'With `cursor` only `per_page` and `next_cursor` are known; the others are null.' },
  ),
}

function refusalSchema(): JsonSchema {
  return objectOf([
    { name: 'success', schema: { const: false }, required: true },
    { name: 'message', schema: { type: 'string', description: 'What is wrong, for people.' }, required: true },
    { name: 'code', schema: schemaRef('ErrorCode'), required: true },
    ...FIELD_REFUSALS,
    { name: 'meta', schema: objectOf([...META, REQUEST_ID, ERRORS_TOTAL, CHECKS]), required: true },
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
  if (more.length === 0) {
    const envelope = list ? 'ListEnvelope' : message ? 'MessageEnvelope' : 'Envelope'
    // Generators read `required` next to `allOf`, not inside it.
    return { allOf: [schemaRef(envelope)], properties: { data }, required: ['data'] }
  }
  const told = { allOf: [schemaRef('AnswerMeta')], ...objectOf(more) }
  return objectOf([
    AROUND[0],
    { name: 'data', schema: data, required: true },
    ...(message ? [MESSAGE] : []),
    { name: 'meta', schema: told, required: true },
  ])
}

export const HEADERS: Readonly<Record<string, Node>> = {
  'X-Request-Id': header('Names this request in the log.', { type: 'string' }, true),
  'X-RateLimit-Limit': header('Requests that the caller has in a minute.', COUNT, true),
  'X-RateLimit-Remaining': header('How many of them are left.', COUNT, true),
  'Retry-After': header('With 429, 503 and some 409: seconds to wait before the next attempt.', PLACE, false),
  'WWW-Authenticate': header('With 401: how to present a token.', { type: 'string' }, false),
  Allow: header('With 405: the methods that the path has.', { type: 'string' }, false),
  ETag: header(
    'The version of the answer, for If-None-Match and If-Match; none of a dry run.',
    { type: 'string' },
    false,
  ),
  Location: header('The path of the new record, if its caller may see it.', { type: 'string' }, false),
  'Content-Disposition': header('The name under which to save the file.', { type: 'string' }, false),
}

function header(description: string, schema: JsonSchema, required: boolean): Node {
  return { description, required, schema }
}

/** References to headers by name, for an answer. */
export function headerRefs(...names: readonly string[]): Node {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The headers of every answer of a counted route. */
export const COUNTED = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining'] as const

/** Status → the meaning of a refusal; every operation may answer these. */
export const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request cannot be read: broken JSON, query string or Idempotency-Key.',
  401: 'There is no token, or it is not valid any more.',
  403: 'The caller is not allowed to do this. The message says what is missing.',
  404: 'There is no such path, or no such record.',
  405: 'The path has other methods. `Allow` names them.',
  406: 'None of the content codings that Accept-Encoding allows is there. Nothing was done.',
  408: 'The request did not arrive in time.',
  409: 'The present state does not allow it. The message says why. With `Retry-After`: the first request with this key is still at work.',
  412: 'The record has changed since the version that If-Match or if_match names, or is there although If-None-Match asks for none or for another version.',
  413: 'The body is too large.',
  415: 'The route does not take a body of this type.',
  422: 'A field or a parameter is wrong. `errors` says which and why.',
  429: 'Too many requests in this minute. `Retry-After` says when to go on.',
  431: 'The headers are too large.',
  500: 'Something went wrong on the server. Its log has the `request_id` of the answer.',
  503: 'The server cannot answer now. `Retry-After` says when to try again.',
}

const LINES = Object.entries(REFUSALS).map(([status, meaning]) => `- ${status}: ${meaning}`)

const REFUSED: Node = {
  description: `A refusal, with one of these statuses:\n\n${LINES.join('\n')}`,
  headers: headerRefs(...COUNTED, 'Retry-After', 'WWW-Authenticate', 'Allow'),
  content: { 'application/json': { schema: schemaRef('Refusal') } },
}

const NOT_MODIFIED: Node = {
  description: 'Nothing has changed since the version in If-None-Match.',
  headers: headerRefs(...COUNTED, 'ETag'),
}

/** The answers that every document has, by name. */
export const COMMON_ANSWERS: Readonly<Record<string, Node>> = {
  NotModified: NOT_MODIFIED,
  Refused: REFUSED,
}
