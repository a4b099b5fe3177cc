/** What each type of field makes of the text of a query string. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Json, JsonObject } from '../../engine/json.ts'
import { parsed, typeNamed } from './fields.ts'

const test = suite('parse')

const CASES: readonly (readonly [type: string, text: string, result: Json, own?: JsonObject])[] = [
  ['string', 'Printer ', 'Printer '],
  ['string', 'a\0', '! must not contain null characters'],
  ['text', '%_', '%_'],
  ['integer', ' 5', 5],
  ['integer', 'x', '! must be an integer'],
  ['integer', '99999999999', 2_147_483_647],
  ['integer', '-99999999999', -2_147_483_648],
  ['integer', '9'.repeat(500), 2_147_483_647],
  ['integer', '9'.repeat(500), '9223372036854775807', { max: 1e12 }],
  ['decimal', '1.005', '1.005'],
  ['decimal', '007', '7'],
  ['decimal', 'x', '! must be a number'],
  ['boolean', 'TRUE', true],
  ['boolean', '0', false],
  ['boolean', 'on', '! must be true or false'],
  ['date', '1066-10-14', '1066-10-14'],
  ['date', '2026-02-30', '! must be a date in the form YYYY-MM-DD'],
  ['timestamp', '2026-01-01T10:00:00 02:00', '2026-01-01T08:00:00.000000Z'],
  ['timestamp', '2026-01-01', '2026-01-01T00:00:00.000000Z'],
  ['timestamp', 'yesterday', '! must be a time with a zone, such as 2026-01-31T09:30:00Z'],
  ['enum', 'open', 'open', { values: ['open', 'closed'] }],
  ['enum', 'opened', '! must be one of open, closed', { values: ['open', 'closed'] }],
  ['email', ' Ada@Example.org', 'ada@example.org'],
  ['email', 'ada', 'ada'],
  ['color', '#f80', '#f80'],
  ['slug', 'open', 'open'],
  ['sequence', '3000000001', '3000000001'],
  ['sequence', 'anything', 'anything'],
  ['list', 'vip', 'vip', { of: 'string' }],
  ['list', 'x', '! must be an integer', { of: 'integer' }],
  ['json', '{}', '! can only be filtered by [null]'],
  ['secret', 'x', '! cannot be filtered by'],
  ['reference', '7', 7],
  ['reference', '99999999999999999999', 0],
  ['reference', '-1', 0],
  ['reference', 'abc', '! must be an integer'],
  ['reference', '1.0', '! must be an integer'],
]

for (const [type, text, result, own] of CASES) {
  test(`${type}: "${text.slice(0, 40)}" → ${JSON.stringify(result)}`, () =>
    assert.equal(parsed(type, text, own), result))
}

test('a day of a timestamp is all of it, its end excluded', () => {
  const { day } = typeNamed('timestamp')
  assert.equal(day?.('2026-02-28'), { from: '2026-02-28T00:00:00.000000Z', before: '2026-03-01T00:00:00.000000Z' })
  assert.equal(day?.('2028-12-31'), { from: '2028-12-31T00:00:00.000000Z', before: '2029-01-01T00:00:00.000000Z' })
  assert.is(day?.('2026-02-29'), undefined)
  assert.is(day?.('2026-01-01T00:00:00Z'), undefined)
})

test.run()
