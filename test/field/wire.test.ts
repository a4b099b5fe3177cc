/** Column text becomes JSON text: always parseable, always the same value. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { wireJson } from '../../engine/field/wire.ts'

const test = suite('wireJson')

test('NULL is null of every kind', () => {
  for (const kind of ['number', 'string', 'boolean', 'date', 'timestamp', 'json'] as const)
    assert.is(wireJson(kind, null), 'null')
})

const CASES: readonly (readonly [Parameters<typeof wireJson>[0], string, string])[] = [
  ['number', '42', '42'],
  ['number', '-0.5', '-0.5'],
  ['number', '1e+20', '1e+20'],
  ['number', 'NaN', 'null'],
  ['number', 'Infinity', 'null'],
  ['number', '-Infinity', 'null'],
  ['boolean', 't', 'true'],
  ['boolean', 'f', 'false'],
  ['date', '2026-01-31', '"2026-01-31"'],
  ['json', '{"a": [1, null]}', '{"a": [1, null]}'],
  ['string', '', '""'],
  ['string', 'a"b\\c\n', '"a\\"b\\\\c\\n"'],
  ['timestamp', '2026-01-01 10:00:00+00', '"2026-01-01T10:00:00.000000Z"'],
  ['timestamp', '2026-01-01 10:00:00.1+00', '"2026-01-01T10:00:00.100000Z"'],
  ['timestamp', '2026-01-01 10:00:00.12345+00', '"2026-01-01T10:00:00.123450Z"'],
  ['timestamp', '2026-01-01 10:00:00.123456+00', '"2026-01-01T10:00:00.123456Z"'],
  ['timestamp', 'infinity', '"9999-12-31T23:59:59.999999Z"'],
  ['timestamp', '-infinity', '"0001-01-01T00:00:00.000000Z"'],
  ['timestamp', '0044-03-15 12:00:00+00 BC', '"0001-01-01T00:00:00.000000Z"'],
  ['timestamp', '0044-03-15 12:00:00 BC', '"0001-01-01T00:00:00.000000Z"'],
  ['timestamp', '12026-01-01 10:00:00+00', '"9999-12-31T23:59:59.999999Z"'],
  ['timestamp', '12026-01-01 10:00:00', '"9999-12-31T23:59:59.999999Z"'],
  ['timestamp', '294276-12-31 23:59:59.999999+00', '"9999-12-31T23:59:59.999999Z"'],
  ['date', 'infinity', '"9999-12-31"'],
  ['date', '-infinity', '"0001-01-01"'],
  ['date', '12026-01-31', '"9999-12-31"'],
  ['date', '0044-03-15 BC', '"0001-01-01"'],
]

for (const [kind, text, json] of CASES) test(`${kind} ${text} → ${json}`, () => assert.is(wireJson(kind, text), json))

test('any text is parseable and equal to itself', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ minLength: 60, maxLength: 200 })), (text) =>
      assert.is(JSON.parse(wireJson('string', text)), text),
    ),
    { numRuns: 2000 },
  )
})

test('any moment keeps its microseconds', () => {
  const span = { min: Date.UTC(1900, 0), max: Date.UTC(2200, 0) }
  fc.assert(
    fc.property(fc.integer(span), fc.nat(999), (milliseconds, micro) => {
      const iso = new Date(milliseconds).toISOString().replace('Z', `${String(micro).padStart(3, '0')}Z`)
      const text = `${iso.replace('T', ' ').replace(/\.?0*Z$/, '')}+00`
      assert.is(wireJson('timestamp', text), `"${iso}"`)
    }),
    { numRuns: 2000 },
  )
})

test.run()
