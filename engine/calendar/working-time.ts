/** Working time: the working hours of each day, without holidays, and how much of it is between two moments. */
import { createHash } from 'node:crypto'
import { dayAfter, dayAt, firstMomentFrom, steadyOffsets } from './zone.ts'

/**
 * A part of a day, in minutes from midnight as the clocks show them: 540 to 1020 is 9:00 to 17:00, 1440 is the end of
 * the day.
 */
export interface Hours {
  readonly from: number
  readonly to: number
}

/** Working hours and holidays. At least one day of the week has hours. */
export interface Calendar {
  readonly zone: string
  /** Monday first, seven days; the hours of a day in their order, none overlapping. */
  readonly week: readonly (readonly Hours[])[]
  /** Days without work: one day, `2026-12-24`, or a day of every year, `12-24`. */
  readonly holidays: ReadonlySet<string>
}

/** An amount of working time, in milliseconds, by the calendar of this name. */
export interface WorkingTime {
  readonly name: string
  readonly calendar: Calendar
  readonly ms: number
}

const MINUTE_MS = 60_000
/** The longest wait for a working day: after it, the calendar has no working time left. */
const MOST_DAYS = 3_700

/**
 * The moment at which so much working time has passed after another, all in milliseconds: `after` itself for no time,
 * and the end of a working day rather than the begin of the next. Undefined when ten years are not enough.
 */
export function addWorkingTime(calendar: Calendar, after: number, time: number): number | undefined {
  if (time <= 0) return after
  let left = time
  for (const { from, to } of periodsAfter(calendar, after)) {
    const begin = Math.max(from, after)
    if (to <= begin) continue
    if (to - begin >= left) return begin + left
    left -= to - begin
  }
  return undefined
}

/** A stretch of work without a break, in milliseconds. */
export interface Period {
  readonly from: number
  readonly to: number
}

/** All stretches of work that begin in the days from one moment to another, in their order. */
export function workingPeriods(calendar: Calendar, first: number, last: number): readonly Period[] {
  const found: Period[] = []
  for (const period of periodsAfter(calendar, first, Number.POSITIVE_INFINITY)) {
    if (period.from > last) break
    found.push(period)
  }
  return found
}

/** A hash of the hours of a calendar and of the rules of its time zone, without its name. */
export function calendarKey({ zone, week, holidays }: Calendar): string {
  const said = JSON.stringify([zone, week, [...holidays].sort(), process.versions.tz])
  return createHash('sha256').update(said).digest('hex').slice(0, 32)
}

/** The stretches of work from the day of a moment on, in their order, of so many days at most. */
function* periodsAfter(calendar: Calendar, moment: number, mostDays = MOST_DAYS): Generator<Period> {
  const offsetOn = steadyOffsets(calendar.zone)
  let day = dayAt(moment, calendar.zone)
  for (let passed = 0; passed < mostDays; passed++, day = dayAfter(day)) {
    if (calendar.holidays.has(day) || calendar.holidays.has(day.slice(5))) continue
    const hours = calendar.week[weekday(day)] ?? []
    const offset = hours.length === 0 ? undefined : offsetOn(day)
    const at = (minute: number): number =>
      offset === undefined
        ? momentAt(day, minute, calendar.zone)
        : Date.parse(`${day}T00:00:00Z`) + minute * MINUTE_MS - offset
    for (const { from, to } of hours) yield { from: at(from), to: at(to) }
  }
}

/** 0 is Monday. */
function weekday(day: string): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
}

/** When the clocks show a minute of a day; a minute that they leave out is the moment at which they are set forward. */
function momentAt(day: string, minute: number, zone: string): number {
  if (minute === 1440) return momentAt(dayAfter(day), 0, zone)
  const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}:00`
  return firstMomentFrom(day, time, zone)
}
