/** The field type `list`: several values of one other type, in their order. */

import type { Json, JsonSchema } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { bigint } from './bigint.ts'
import { boolean } from './boolean.ts'
import { boundsMistakes, characters, isUnseen, numberOption, textOption } from './characters.ts'
import { color } from './color.ts'
import { date } from './date.ts'
import { decimal } from './decimal.ts'
import { email } from './email.ts'
import { enumeration } from './enum.ts'
import type { FieldOptions, FieldType, WireKind } from './field-type.ts'
import { integer } from './integer.ts'
import { longestFor } from './pattern.ts'
import { slug } from './slug.ts'
import { string } from './string.ts'
import { timestamp } from './timestamp.ts'
import { url } from './url.ts'
import { uuid } from './uuid.ts'

const ITEMS: ReadonlyMap<string, FieldType> = new Map(
  [string, integer, bigint, decimal, boolean, date, timestamp, enumeration, email, url, color, slug, uuid].map(
    (type) => [type.name, type],
  ),
)

const OWN: Readonly<Record<string, JsonSchema>> = {
  of: {
    enum: [...ITEMS.values()].filter(({ internal }) => internal !== true).map(({ name }) => name),
    description: 'The type of the items.',
    examples: ['string'],
  },
  min_items: { type: 'integer', minimum: 0, description: 'The fewest items.', examples: [1] },
  max_items: {
    type: 'integer',
    minimum: 1,
    maximum: 10_000,
    description: `The most items; ${LIMITS.listItems} if absent.`,
    examples: [50],
  },
  unique_items: { type: 'boolean', description: 'No item appears twice.', examples: [true] },
}

/** What an item may be limited by, in the words of its own type. */
const OF_ITEMS: Readonly<Record<string, JsonSchema>> = {
  min: { type: ['number', 'string'], description: 'The least item, or the fewest characters of one.', examples: [1] },
  max: { type: ['number', 'string'], description: 'The greatest item, or the most characters of one.', examples: [50] },
  pattern: string.options.pattern ?? {},
  values: enumeration.options.values ?? {},
  becomes: enumeration.options.becomes ?? {},
  precision: decimal.options.precision ?? {},
  scale: decimal.options.scale ?? {},
  relative: url.options.relative ?? {},
}

export const list: FieldType = {
  name: 'list',
  description: 'Several values of one type, in their order.',
  options: { ...OWN, ...OF_ITEMS },
  requires: ['of'],
  column: () => 'jsonb',
  schema: (options) => ({
    type: 'array',
    items: itemType(options).schema(options),
    maxItems: numberOption(options, 'max_items', LIMITS.listItems),
    ...(options.own.min_items === undefined ? {} : { minItems: options.own.min_items }),
    ...(options.own.unique_items === true ? { uniqueItems: true } : {}),
  }),
  wire: 'json',
  operators: ['contains', 'null'],
  sortable: false,
  decode,
  parse: (text, options) => itemType(options).parse(text, options),
  mistakes: (options) => {
    const type = itemType(options)
    const foreign = Object.keys(options.own).filter(
      (name) => !Object.hasOwn(OWN, name) && !Object.hasOwn(type.options, name),
    )
    const missing = (type.requires ?? []).filter((name) => options.own[name] === undefined)
    return {
      ...boundsMistakes(options, 'min_items', 'max_items', LIMITS.listItems),
      ...tooFewValues(options, type),
      ...type.mistakes?.(options),
      ...boundsOfItems(options, type),
      ...Object.fromEntries(foreign.map((name) => [name, `"${name}" means nothing for items of type ${type.name}`])),
      ...Object.fromEntries(missing.map((name) => [name, `"${name}" is needed for items of type ${type.name}`])),
    }
  },
}

/** Different items are at most as many as there are values of their type. */
function tooFewValues({ own }: FieldOptions, { name }: FieldType): Readonly<Record<string, string>> {
  const values = name === 'boolean' ? 2 : Array.isArray(own.values) ? own.values.length : Number.POSITIVE_INFINITY
  if (own.unique_items !== true || typeof own.min_items !== 'number' || own.min_items <= values) return {}
  return { min_items: `"min_items" asks for ${own.min_items} different items, and there are ${values} values` }
}

/** Bounds of items are written as the type of the items writes them. */
function boundsOfItems({ own }: FieldOptions, { name, options }: FieldType): Readonly<Record<string, string>> {
  const wrong = ['min', 'max'].filter((bound) => {
    const value = own[bound]
    if (value === undefined || !Object.hasOwn(options, bound)) return false
    if (name === 'decimal') return !/^-?\d+(\.\d+)?$/.test(String(value))
    if (name === 'bigint') return !/^-?\d{1,19}$/.test(String(value))
    return !Number.isInteger(value) || (name !== 'integer' && Number(value) < 0)
  })
  const expected = name === 'decimal' ? 'a number' : 'a whole number'
  return Object.fromEntries(wrong.map((bound) => [bound, `"${bound}" takes ${expected} for items of type ${name}`]))
}

function decode(value: Json, options: FieldOptions, asSent = false): ReturnType<FieldType['decode']> {
  if (!Array.isArray(value)) return { code: 'wrong_type', error: 'must be a list' }
  const items = value as readonly Json[]
  const least = numberOption(options, 'min_items', 0)
  const most = numberOption(options, 'max_items', LIMITS.listItems)
  if (items.length > most) return { code: 'too_many', error: `must have at most ${most} item${most === 1 ? '' : 's'}` }
  if (items.length < least)
    return { code: 'too_few', error: `must have at least ${least} item${least === 1 ? '' : 's'}` }
  const type = itemType(options)
  const pattern = textOption(options, 'pattern')
  const length = items.reduce<number>((sum, item) => sum + (typeof item === 'string' ? item.length : 0), 0)
  if (pattern !== undefined && length > longestFor(pattern))
    return { code: 'too_long', error: `must have at most ${characters(longestFor(pattern))} in all` }
  const decoded: Json[] = []
  for (const [index, item] of items.entries()) {
    const trimmed = typeof item === 'string' && !asSent ? item.trim() : item
    if (asSent && item === null) {
      decoded.push(null)
      continue
    }
    if (trimmed === null || (!asSent && typeof trimmed === 'string' && isUnseen(trimmed)))
      return { code: 'required', error: 'must have a value', at: String(index) }
    const one = type.decode(trimmed, options)
    if ('error' in one) return { ...one, at: String(index) }
    if (options.own.unique_items === true && decoded.includes(one.value))
      return { code: 'repeated', error: 'must not repeat another item', at: String(index) }
    decoded.push(one.value)
  }
  return { value: decoded }
}

function itemType(options: FieldOptions): FieldType {
  return ITEMS.get(String(options.own.of)) ?? string
}

/** The type of an item by the element of an array, with the form of its values in JSON. */
const ELEMENTS: Readonly<Record<string, readonly [of: string, wire: WireKind]>> = {
  text: ['string', 'strings'],
  'character varying': ['string', 'strings'],
  uuid: ['uuid', 'strings'],
  date: ['date', 'strings'],
  smallint: ['integer', 'numbers'],
  integer: ['integer', 'numbers'],
  boolean: ['boolean', 'booleans'],
}

function elementOf(column: string): readonly [of: string, wire: WireKind] | undefined {
  const [, base = ''] = /^([a-z ]+)(?:\(\d+\))?\[\]$/.exec(column) ?? []
  return ELEMENTS[base]
}

/** What the items of an array column are; undefined where they are no items of a list. */
export function itemsOf(column: string): string | undefined {
  return elementOf(column)?.[0]
}

/** A list over an array of the database, whose items may be null, and are texts as they were sent. */
export function listOver(column: string): FieldType | undefined {
  const [of, wire] = elementOf(column) ?? []
  if (of === undefined || wire === undefined) return undefined
  return {
    ...list,
    wire,
    column: () => column,
    operators: ['null'],
    schema: ({ own }) => ({
      type: 'array',
      items: {
        anyOf: [itemType({ own } as FieldOptions).schema({ own } as FieldOptions), { type: ['array', 'null'] }],
      },
    }),
    input: list.schema,
    decode: (value, options) => decode(value, options, true),
    mistakes: (options) =>
      options.own.of === of
        ? (list.mistakes?.(options) ?? {})
        : { of: `"of" is ${of} for a column of the type ${column}` },
  }
}
