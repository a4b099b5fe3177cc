/** Clocks of time zones: what they show at a moment, and which moment it was, on the days on which they are changed too. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { clockAt, dayAt, momentOf, zoneNamed } from '../../engine/calendar/zone.ts'

const test = suite('time zones')

test('a zone is known by its name only', () => {
  assert.is(zoneNamed('Europe/Berlin'), 'Europe/Berlin')
  assert.is(zoneNamed('UTC'), 'UTC')
  for (const text of ['+02:00', '-0500', 'Europe/Nowhere', '', 'Berlin']) assert.is(zoneNamed(text), undefined, text)
})

test('clocks show the time of their zone', () => {
  const moment = Date.parse('2026-07-01T23:30:15.250Z')
  assert.is(clockAt(moment, 'UTC'), '2026-07-01T23:30:15.250')
  assert.is(clockAt(moment, 'Europe/Berlin'), '2026-07-02T01:30:15.250')
  assert.is(dayAt(moment, 'Europe/Berlin'), '2026-07-02')
  assert.is(dayAt(moment, 'America/New_York'), '2026-07-01')
  assert.is(clockAt(Date.parse('1960-01-01T00:00:00.750Z'), 'Asia/Kolkata'), '1960-01-01T05:30:00.750')
})

test('a time that the clocks leave out is no moment, and of two the first is taken', () => {
  assert.is(momentOf('2026-03-29', '02:30:00', 'Europe/Berlin'), undefined)
  assert.is(momentOf('2026-10-25', '02:30:00', 'Europe/Berlin'), Date.parse('2026-10-25T02:30:00+02:00'))
  assert.throws(() => momentOf('2026-02-30', '10:00:00', 'UTC'), /no time of the calendar/)
  assert.throws(() => momentOf('2026-02-20', '25:00:00', 'UTC'), /no time of the calendar/)
})

test('a moment is found again by what the clocks show, or the first of two', () => {
  const moments = fc.integer({ min: Date.parse('2000-01-01T00:00:00Z'), max: Date.parse('2036-01-01T00:00:00Z') })
  const zones = fc.constantFrom(
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Pacific/Apia',
    'Australia/Lord_Howe',
  )
  fc.assert(
    fc.property(moments, zones, (moment, zone) => {
      const shown = clockAt(moment, zone)
      const found = momentOf(shown.slice(0, 10), shown.slice(11), zone)!
      assert.is(clockAt(found, zone), shown)
      assert.ok(found <= moment)
    }),
    { numRuns: 300 },
  )
})

test.run()
