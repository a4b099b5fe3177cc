/** Working time against tables made by hand: holidays, lunch breaks, and the days on which clocks are changed. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addWorkingTime, type Calendar } from '../../engine/calendar/working-time.ts'
import { workingTimeBetween } from './between.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const office = [{ from: 540, to: 1020 }]
const BERLIN: Calendar = {
  zone: 'Europe/Berlin',
  week: [office, office, office, office, office, [], []],
  holidays: new Set(['2026-04-03', '2026-04-06', '12-25', '12-26', '01-01']),
}
const SHIFTS: Calendar = {
  zone: 'Europe/Berlin',
  week: Array.from({ length: 7 }, () => [
    { from: 0, to: 150 },
    { from: 150, to: 360 },
    { from: 1320, to: 1440 },
  ]),
  holidays: new Set(),
}

const test = suite('working time')

for (const [what, after, hours, expected] of [
  ['within a day', '2026-03-02T10:00:00+01:00', 4, '2026-03-02T14:00:00+01:00'],
  ['to the second', '2026-03-02T10:00:07+01:00', 4, '2026-03-02T14:00:07+01:00'],
  ['to the end of a day', '2026-03-02T13:00:00+01:00', 4, '2026-03-02T17:00:00+01:00'],
  ['over night', '2026-03-02T15:00:00+01:00', 4, '2026-03-03T11:00:00+01:00'],
  ['before the day begins', '2026-03-02T05:00:00+01:00', 4, '2026-03-02T13:00:00+01:00'],
  ['after the day ends', '2026-03-02T19:00:00+01:00', 4, '2026-03-03T13:00:00+01:00'],
  ['over a weekend', '2026-03-06T16:00:00+01:00', 4, '2026-03-09T12:00:00+01:00'],
  ['from a Sunday', '2026-03-08T12:00:00+01:00', 1, '2026-03-09T10:00:00+01:00'],
  ['over the weekend on which clocks go forward', '2026-03-27T16:00:00+01:00', 4, '2026-03-30T12:00:00+02:00'],
  ['over Easter', '2026-04-02T16:00:00+02:00', 4, '2026-04-07T12:00:00+02:00'],
  ['over the weekend on which clocks go back', '2026-10-23T16:00:00+02:00', 4, '2026-10-26T12:00:00+01:00'],
  ['over Christmas and New Year', '2026-12-24T16:00:00+01:00', 34, '2027-01-04T10:00:00+01:00'],
] as const) {
  test(what, () => {
    const due = addWorkingTime(BERLIN, Date.parse(after), hours * HOUR)
    assert.is(new Date(due!).toISOString(), new Date(expected).toISOString())
    assert.is(workingTimeBetween(BERLIN, Date.parse(after), due!), hours * HOUR)
  })
}

for (const [what, from, to, hours] of [
  ['a night of usual length', '2026-03-27T22:00:00+01:00', '2026-03-28T06:00:00+01:00', 8],
  ['the night in which 2:00 to 3:00 is left out', '2026-03-28T22:00:00+01:00', '2026-03-29T06:00:00+02:00', 7],
  ['the night in which 2:00 to 3:00 comes twice', '2026-10-24T22:00:00+02:00', '2026-10-25T06:00:00+01:00', 9],
] as const) {
  test(what, () => {
    assert.is(workingTimeBetween(SHIFTS, Date.parse(from), Date.parse(to)), hours * HOUR)
    assert.is(addWorkingTime(SHIFTS, Date.parse(from), hours * HOUR), Date.parse(to))
  })
}

test('a zone whose clocks jump past midnight has a day that begins at one', () => {
  const night = { from: 0, to: 120 }
  const saoPaulo = {
    zone: 'America/Sao_Paulo',
    week: Array.from({ length: 7 }, () => [night]),
    holidays: new Set<string>(),
  }
  const [from, to] = [Date.parse('2018-11-04T00:00:00-03:00'), Date.parse('2018-11-04T12:00:00-02:00')]
  assert.is(workingTimeBetween(saoPaulo, from, to), HOUR)
})

test('a calendar without a working day within ten years has no answer', () => {
  const days = Array.from({ length: 366 }, (_, day) => new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(5, 10))
  assert.is(addWorkingTime({ ...BERLIN, holidays: new Set(days) }, Date.parse('2026-01-01T00:00:00Z'), HOUR), undefined)
})

test('working time adds up, and what was added lies between', () => {
  const moment = fc.integer({ min: Date.parse('2026-01-01T00:00:00Z'), max: Date.parse('2026-12-31T00:00:00Z') })
  const time = fc.integer({ min: 1, max: 60 * HOUR })
  const calendar = fc.constantFrom(BERLIN, SHIFTS)
  fc.assert(
    fc.property(calendar, moment, time, time, (one, at, first, second) => {
      const due = addWorkingTime(one, at, first)!
      assert.is(workingTimeBetween(one, at, due), first)
      assert.is(addWorkingTime(one, due, second), addWorkingTime(one, at, first + second))
    }),
    { numRuns: 300 },
  )
})

test.run()
