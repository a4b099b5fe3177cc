/** Days without Date agree with Date wherever Date is right. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dayOf, dayText, nextDay, previousDay } from '../../engine/field/calendar.ts'
import { decoded } from './fields.ts'

const test = suite('calendar')

const SPAN = { min: Date.UTC(1901, 0), max: Date.UTC(2199, 11) }
const DAY = 86_400_000

test('the day before and the day after are those of Date', () => {
  fc.assert(
    fc.property(fc.integer(SPAN), (at) => {
      const text = (moment: number) => new Date(moment).toISOString().slice(0, 10)
      const day = dayOf(text(at))
      assert.ok(day !== undefined)
      assert.is(dayText(nextDay(day)), text(at + DAY))
      assert.is(dayText(previousDay(day)), text(at - DAY))
    }),
    { numRuns: 2000 },
  )
})

test('a time of any zone becomes the UTC that Date makes of it', () => {
  fc.assert(
    fc.property(fc.integer(SPAN), fc.integer({ min: -15, max: 15 }), fc.nat(59), (at, hours, minutes) => {
      const sign = hours < 0 ? '-' : '+'
      const zone = `${sign}${String(Math.abs(hours)).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
      const text = `${new Date(at).toISOString().slice(0, 23)}${zone}`
      assert.is(decoded('timestamp', text), new Date(text).toISOString().replace('Z', '000Z'))
    }),
    { numRuns: 2000 },
  )
})

test('days that no calendar has are none', () => {
  for (const text of [
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-00-10',
    '2026-01-00',
    '0000-01-01',
    '26-01-01',
    '2026-01-01 ',
    '２０２６-01-01',
  ]) {
    assert.is(dayOf(text), undefined, text)
  }
  assert.ok(dayOf('2000-02-29') !== undefined)
})

test.run()
