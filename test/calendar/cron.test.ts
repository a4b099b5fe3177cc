/** Schedules as cron has them: what they say, what is wrong with one, and their moments where clocks are changed. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nextMoment, parseCron } from '../../engine/calendar/cron.ts'

const cron = suite('cron')

/** The next moments of a schedule after another. */
function moments(text: string, zone: string, after: string, count = 1): readonly string[] {
  const found: string[] = []
  let moment = Date.parse(after)
  while (found.length < count) {
    const next = nextMoment(parseCron(text), zone, moment)
    if (next === undefined) break
    found.push(new Date(next).toISOString().replace(':00.000Z', 'Z'))
    moment = next
  }
  return found
}

function mistake(text: string): string {
  try {
    parseCron(text)
    return 'none'
  } catch (error) {
    return (error as Error).message
  }
}

cron('every part restricts the moments', () => {
  assert.equal(moments('* * * * *', 'UTC', '2026-01-31T23:59:30Z', 2), ['2026-02-01T00:00Z', '2026-02-01T00:01Z'])
  assert.equal(moments('30 8 * * *', 'UTC', '2026-01-31T08:30:00Z'), ['2026-02-01T08:30Z'])
  assert.equal(moments('0 0 1 jan *', 'UTC', '2026-03-01T00:00:00Z'), ['2027-01-01T00:00Z'])
  assert.equal(moments('0 8 * * mon', 'UTC', '2026-03-02T08:00:00Z', 2), ['2026-03-09T08:00Z', '2026-03-16T08:00Z'])
  assert.equal(moments('0 9 29 2 *', 'UTC', '2026-01-01T00:00:00Z'), ['2028-02-29T09:00Z'])
})

cron('lists, ranges and steps', () => {
  assert.equal(moments('0,30 8-9 * * *', 'UTC', '2026-01-01T00:00:00Z', 4), [
    '2026-01-01T08:00Z',
    '2026-01-01T08:30Z',
    '2026-01-01T09:00Z',
    '2026-01-01T09:30Z',
  ])
  assert.equal(moments('*/20 * * * *', 'UTC', '2026-01-01T00:00:00Z', 3), [
    '2026-01-01T00:20Z',
    '2026-01-01T00:40Z',
    '2026-01-01T01:00Z',
  ])
  assert.equal(moments('0 20/2 * * *', 'UTC', '2026-01-01T00:00:00Z', 2), ['2026-01-01T20:00Z', '2026-01-01T22:00Z'])
  assert.equal(moments('0 12 * * fri-sun', 'UTC', '2026-01-01T00:00:00Z', 4), [
    '2026-01-02T12:00Z',
    '2026-01-03T12:00Z',
    '2026-01-04T12:00Z',
    '2026-01-09T12:00Z',
  ])
  assert.equal(
    moments('0 12 * * 7', 'UTC', '2026-01-01T00:00:00Z'),
    moments('0 12 * * 0', 'UTC', '2026-01-01T00:00:00Z'),
  )
})

cron('of two restricted kinds of days one suffices', () => {
  assert.equal(moments('0 0 13 * fri', 'UTC', '2026-01-03T00:00:00Z', 3), [
    '2026-01-09T00:00Z',
    '2026-01-13T00:00Z',
    '2026-01-16T00:00Z',
  ])
})

cron('it goes by the clocks of the zone, summer and winter', () => {
  assert.equal(moments('0 8 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', 2), [
    '2026-03-28T07:00Z',
    '2026-03-29T06:00Z',
  ])
  assert.equal(moments('0 8 * * *', 'Asia/Kolkata', '2026-03-28T03:00:00Z'), ['2026-03-29T02:30Z'])
})

cron('a time that is left out comes when the clocks are set forward, once', () => {
  assert.equal(moments('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2), [
    '2026-03-29T01:00Z',
    '2026-03-30T00:30Z',
  ])
  assert.equal(moments('0,30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2), [
    '2026-03-29T01:00Z',
    '2026-03-30T00:00Z',
  ])
})

cron('a time that is shown twice comes once, and an hour that passes twice counts twice', () => {
  assert.equal(moments('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2), [
    '2026-10-25T00:30Z',
    '2026-10-26T01:30Z',
  ])
  assert.equal(moments('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30:00Z', 3), [
    '2026-10-25T00:00Z',
    '2026-10-25T01:00Z',
    '2026-10-25T02:00Z',
  ])
  assert.equal(moments('0 * * * *', 'Europe/Berlin', '2026-03-29T00:30:00Z', 2), [
    '2026-03-29T01:00Z',
    '2026-03-29T02:00Z',
  ])
})

cron('a day of which the clocks leave out the beginning', () => {
  // Clocks in Beirut were set forward at midnight.
  assert.equal(moments('0 0 * * *', 'Asia/Beirut', '2022-03-26T12:00:00Z'), ['2022-03-26T22:00Z'])
  assert.equal(moments('*/30 * 27 3 *', 'Asia/Beirut', '2022-03-26T12:00:00Z'), ['2022-03-26T22:00Z'])
})

cron('what is wrong is said', () => {
  assert.is(mistake('0 8 * *'), 'a schedule has five parts: minute, hour, day of the month, month, day of the week')
  assert.is(mistake('60 8 * * *'), '"60" is no minute: it goes from 0 to 59')
  assert.is(mistake('0 8 * * mo'), '"mo" is no day of the week: it goes from 0 to 7, or sun to sat')
  assert.is(mistake('0 8 * foo *'), '"foo" is no month: it goes from 1 to 12, or jan to dec')
  assert.is(mistake('0 9-8 * * *'), '"9-8" ends before it begins')
  assert.is(mistake('*/0 * * * *'), '"*/0" has no step')
  assert.is(mistake('0 8- * * *'), '"8-" is no hour')
  assert.is(mistake('0 0 30 2 *'), 'there is no such day')
  assert.is(mistake('0 0 31 4,6 *'), 'there is no such day')
  assert.is(mistake('0 0 * * *'), 'none')
})

cron.run()
