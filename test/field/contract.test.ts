/** What every type of field must keep, whoever wrote it. */

import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { OPERATORS } from '../../engine/field/field-type.ts'
import { FIELD_TYPES, wireJson } from '../../engine/field/index.ts'
import type { Json } from '../../engine/json.ts'
import { OWN, options } from './fields.ts'

const test = suite('field types')

const HOSTILE: readonly Json[] = [
  '',
  ' ',
  '\0',
  '\ud800',
  "'; drop table x; --",
  '../../etc/passwd',
  '{{7*7}}',
  '=1+1',
  'null',
  'NaN',
  'Infinity',
  '-0',
  '1e999',
  '٣',
  '\u202e',
  'a'.repeat(100_000),
  0,
  -0,
  1e308,
  5e-324,
  -1,
  0.1,
  true,
  false,
  [],
  [[]],
  [null],
  {},
  { length: 1 },
  { toString: 'x' },
  { value: 1 },
  ['a', { b: [] }],
  JSON.parse('{"__proto__": {"a": 1}}') as Json,
]

const anyJson = fc.oneof(
  fc.jsonValue() as fc.Arbitrary<Json>,
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary' }),
  fc.double().filter(Number.isFinite),
)
const ajv = new Ajv({ strict: false })
addFormats.default(ajv)

test('names are unique', () => assert.is(new Set(FIELD_TYPES.map((type) => type.name)).size, FIELD_TYPES.length))

for (const type of FIELD_TYPES) {
  const own = options(OWN[type.name])

  test(`${type.name} says what it is for and what its options mean`, () => {
    assert.match(type.description ?? '', /\.$/)
    for (const [name, option] of Object.entries(type.options)) {
      assert.type(option.description, 'string', name)
      assert.ok(Array.isArray(option.examples), name)
    }
    for (const needed of type.requires ?? []) assert.ok(Object.hasOwn(type.options, needed))
    assert.ok(Object.isFrozen(type))
  })

  test(`${type.name} is stored in a column that format_type would print`, () => {
    assert.match(
      type.column(own),
      /^(character varying\(\d+\)|text|integer|bigint|numeric\(\d+,\d+\)|boolean|date|timestamp with time zone|jsonb|uuid)$/,
    )
  })

  test(`${type.name} says how long its text may be where that is too long for an index`, () => {
    for (const max of [10, 2_000]) {
      const given = options({ ...OWN[type.name], max })
      const [, length] = /^character varying\((\d+)\)$/.exec(type.column(given)) ?? []
      if (type.longest !== undefined || Number(length ?? 0) > 600)
        assert.is(type.longest?.(given), Number(length), `max ${max}`)
    }
  })

  test(`${type.name} knows only operators that exist`, () => {
    for (const operator of type.operators) assert.ok(OPERATORS.includes(operator))
  })

  test(`${type.name} never throws, whatever a caller sends`, () => {
    for (const value of HOSTILE) assert.type(type.decode(value, own), 'object')
    fc.assert(
      fc.property(anyJson, fc.string({ unit: 'binary' }), (value, text) => {
        const results = [type.decode(value, own), type.parse(text, own), type.parse(JSON.stringify(value), own)]
        for (const result of results) {
          assert.ok('value' in result !== 'error' in result)
          if ('error' in result) assert.match(result.error, /^(must|has|can|cannot) [^\n]*[^.\n]$/)
        }
      }),
      { numRuns: 200 },
    )
  })

  test(`${type.name} stores nothing that PostgreSQL or JSON could not carry`, () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const result = type.decode(value, own)
        if ('error' in result) return
        const text = JSON.stringify(result.value)
        assert.not.match(text, /\\u0000|\\ud[89a-f]/i)
        assert.equal(JSON.parse(text), result.value)
      }),
      { numRuns: 200 },
    )
  })

  test(`${type.name} takes back what it stored, unchanged, and it fits the schema`, () => {
    const validate = ajv.compile(type.schema(own))
    fc.assert(
      fc.property(anyJson, (value) => {
        const result = type.decode(value, own)
        if ('error' in result) return
        const again = type.decode(result.value, own)
        assert.equal(again, result)
        // A reference of 0 is refused by its relation, in that relation's words.
        if (type.name !== 'reference')
          assert.ok(validate(result.value), `${JSON.stringify(result.value)} ${ajv.errorsText(validate.errors)}`)
      }),
      { numRuns: 200 },
    )
  })
}

/** What PostgreSQL prints of a stored value. */
function columnText(value: Json, wire: string): string {
  if (wire === 'boolean') return value === true ? 't' : 'f'
  if (wire === 'json') return JSON.stringify(value)
  if (wire === 'timestamp')
    return `${String(value)
      .replace('T', ' ')
      .replace(/\.?0*Z$/, '')}+00`
  return String(value)
}

const SAMPLES: Readonly<Record<string, readonly Json[]>> = {
  string: ['Printer', 'a "quoted" \\ line', '日本 😀', '\u200f'],
  text: ['line\nline\u2028', 'x'.repeat(1000), `${'x'.repeat(100)}"`],
  integer: [0, -5, 2_147_483_646],
  decimal: ['1.50', '-0.01'],
  boolean: [true, false],
  date: ['2026-01-31'],
  timestamp: [
    '2026-01-31T09:30:00Z',
    '2026-01-31T09:30:00.1Z',
    '2026-01-31T09:30:00.123456Z',
    '2026-01-31T09:30:00.12345Z',
  ],
  enum: ['open'],
  email: ['ada@example.org'],
  url: ['https://example.org/a'],
  color: ['#ff8800'],
  slug: ['in-progress'],
  sequence: ['3000000001'],
  list: [[], ['a', 'b"']],
  json: [{ a: [1, null] }, 'text', 1.5, false],
  secret: ['pass word'],
  uuid: ['0190b2c4-7e1f-7a3b-9c5d-0123456789ab'],
  bigint: ['7', '9223372036854775807'],
  reference: [7],
  reference_bigint: ['7'],
  reference_uuid: ['0190b2c4-7e1f-7a3b-9c5d-0123456789ab'],
  reference_string: ['ALFKI'],
}

for (const [name, values] of Object.entries(SAMPLES)) {
  test(`${name} comes out as it went in: decode, column, wire, decode`, () => {
    const type = FIELD_TYPES.find((known) => known.name === name)!
    const own = options(OWN[name])
    for (const value of values) {
      const stored = type.decode(value, own)
      assert.ok('value' in stored, JSON.stringify(stored))
      const wire = wireJson(type.wire, columnText(stored.value, type.wire))
      assert.equal(JSON.parse(wire), stored.value)
      assert.equal(type.decode(JSON.parse(wire) as Json, own), stored)
    }
  })
}

test('every type but count has a sample', () => {
  assert.equal(
    FIELD_TYPES.map((type) => type.name).filter((name) => SAMPLES[name] === undefined),
    ['count'],
  )
})

test.run()
