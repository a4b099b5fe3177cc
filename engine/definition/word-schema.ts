/** The smallest pieces of the language's JSON Schema: documented keys, names, lists of names. */
import type { Json, JsonSchema } from '../json.ts'
import { SPAN_PATTERN } from '../text/duration.ts'

/** A schema with a sentence and an example, which editors show. */
export function key(description: string, example: Json, schema: JsonSchema): JsonSchema {
  return { description, examples: [example], ...schema }
}

/** A map without keys other than these. */
export function map(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false }
}

export const TEXT: JsonSchema = { type: 'string', minLength: 1 }
export const SWITCH: JsonSchema = { type: 'boolean' }

/** PostgreSQL cuts names at 63 bytes; a name of ours is shorter, so that `_id` or `_seq` can follow it. */
export const NAME: JsonSchema = {
  type: 'string',
  pattern: '^[A-Za-z][A-Za-z0-9_]*$',
  maxLength: 50,
  'x-expects': 'a letter, then letters, digits and "_", at most 50 characters',
}

/** `2027-01-01`. */
const DAY: JsonSchema = {
  type: 'string',
  pattern: '^(19|20|21)\\d\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
  'x-expects': 'a day such as 2027-01-01',
}

/** What was called otherwise before: the name, alone or with days. */
export function earlierName(description: string, example: string): JsonSchema {
  return key(
    description,
    { name: example, until: '2027-01-01' },
    {
      anyOf: [
        NAME,
        map(
          {
            name: key('The earlier name.', example, NAME),
            since: key('The day since which it is the earlier one, for the `Deprecation` header.', '2026-07-01', DAY),
            until: key('The day until which clients may use it, for the `Sunset` header.', '2027-01-01', DAY),
          },
          ['name'],
        ),
      ],
    },
  )
}

/** `90 days`, `2 years`. */
export const SPAN: JsonSchema = {
  type: 'string',
  pattern: SPAN_PATTERN,
  'x-expects': 'a length of time such as 90 days or 2 years',
}

/** `role.slug`, a field or a relation's field. */
export const PATH: JsonSchema = {
  type: 'string',
  pattern: '^[A-Za-z][A-Za-z0-9_]*(\\.[A-Za-z][A-Za-z0-9_]*)*$',
  'x-expects': 'a field, or a path such as status.name',
}

/** A sort key: a path, with a `-` in front for descending. */
export const SORT: JsonSchema = {
  type: 'string',
  pattern: '^-?[A-Za-z][A-Za-z0-9_]*(\\.[A-Za-z][A-Za-z0-9_]*)*$',
  'x-expects': 'a field or path, with "-" in front for descending',
}

export function list(items: JsonSchema, unique = true): JsonSchema {
  return { type: 'array', items, ...(unique ? { uniqueItems: true } : {}) }
}

export function either(...anyOf: readonly JsonSchema[]): JsonSchema {
  return { anyOf }
}

export function named(values: JsonSchema, names: JsonSchema = NAME): JsonSchema {
  return { type: 'object', propertyNames: names, additionalProperties: values }
}

export function ref(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` }
}
