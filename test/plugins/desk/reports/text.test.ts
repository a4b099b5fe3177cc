/** Text that runs from right to left, as it is drawn. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stretchesOf } from '../../../../plugins/desk/reports/pdf/fonts.ts'
import { durationText, textOf } from '../../../../plugins/desk/reports/text.ts'

const test = suite('text of reports')

/** The stretches as they are drawn; those from right to left in brackets. */
function drawn(text: string): readonly string[] {
  return stretchesOf(text).map(({ text, rightToLeft }) => (rightToLeft ? `[${text}]` : text))
}

test('Latin text is one stretch, Hebrew and Arabic are their own, and what stands between them keeps its place', () => {
  assert.equal(drawn('Łukasz 日本'), ['Łukasz 日本'])
  assert.equal(drawn('Dr. שלום, x'), ['Dr. ', '[שלום]', ', x'])
  assert.equal(drawn('محمد'), ['[محمد]'])
})

test('numbers within a text from the right run to the right, and brackets are mirrored', () => {
  assert.equal(drawn('שלום 12 (א)'), ['[ )א(]', '12', '[שלום ]'])
})

test('durations are in the two largest units, and nothing is a dash', () => {
  assert.equal([0, 59, 61, 3_900, 90_000].map(durationText), ['0 s', '59 s', '1 min 01 s', '1 h 05 min', '1 d 01 h'])
  assert.is(textOf(null, 'duration', 'UTC'), '–')
  assert.is(textOf(1_204, 'integer', 'UTC'), '1,204')
  assert.is(textOf(33.333, 'percent', 'UTC'), '33.33 %')
  assert.is(textOf('2026-01-31T14:05:59.000001Z', 'timestamp', 'UTC'), '2026-01-31 14:05')
})

test('a moment is told by the clocks of the desk', () => {
  const at = (moment: string, zone: string) => textOf(moment, 'timestamp', zone)
  assert.is(at('2026-01-31T23:05:59.000001Z', 'Europe/Berlin'), '2026-02-01 00:05')
  assert.is(at('2026-07-01T23:05:59.000001Z', 'Europe/Berlin'), '2026-07-02 01:05')
  assert.is(at('2026-07-01T03:59:59.000001Z', 'America/New_York'), '2026-06-30 23:59')
})

test.run()
