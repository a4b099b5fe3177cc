/** Text that runs from right to left, as it is drawn. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { visualOrder } from '../../../../plugins/desk/reports/pdf/visual-order.ts'
import { durationText, textOf } from '../../../../plugins/desk/reports/text.ts'

const test = suite('text of reports')

test('Latin text stays as it is, Hebrew is turned, and what stands between them keeps its place', () => {
  assert.is(visualOrder('Łukasz 日本'), 'Łukasz 日本')
  assert.is(visualOrder('Dr. שלום, x'), 'Dr. םולש, x')
})

test('Arabic letters take the form that their neighbours ask for', () => {
  // meem-hah-meem-dal: initial, medial, medial, final; drawn from the last to the first.
  assert.is(visualOrder('محمد'), '\ufeaa\ufee4\ufea4\ufee3')
  // A dal joins nothing that follows.
  assert.is(visualOrder('دد'), '\ufea9\ufea9')
})

test('durations are in the two largest units, and nothing is a dash', () => {
  assert.equal([0, 59, 61, 3_900, 90_000].map(durationText), ['0 s', '59 s', '1 min 01 s', '1 h 05 min', '1 d 01 h'])
  assert.is(textOf(null, 'duration'), '–')
  assert.is(textOf(1_204, 'integer'), '1,204')
  assert.is(textOf(33.333, 'percent'), '33.33 %')
  assert.is(textOf('2026-01-31T14:05:59.000001Z', 'timestamp'), '2026-01-31 14:05')
})

test.run()
