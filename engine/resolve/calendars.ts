/** Pass: the calendars of app.yaml become hours for each day of the week. */
import type { Calendar, Hours } from '../calendar/working-time.ts'
import { zoneNamed } from '../calendar/zone.ts'
import type { CalendarDefinition, Path } from '../definition/definition.ts'
import type { Resolution } from './resolution.ts'

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** Completes the calendars; hours that overlap, zones and days that do not exist are reported. */
export function calendars(resolution: Resolution): void {
  for (const [name, written] of Object.entries(resolution.definition.app.value.calendars ?? {})) {
    const at: Path = ['calendars', name]
    const zone = zoneNamed(written.zone)
    if (zone === undefined) {
      resolution.report(
        'wrong_calendar',
        `There is no time zone "${written.zone}"`,
        placeOf(resolution, [...at, 'zone']),
        {
          hint: 'take a name as Europe/Berlin or America/New_York, or UTC',
        },
      )
    }
    const week = weekOf(resolution, written, [...at, 'hours'])
    const holidays = holidaysOf(resolution, written, [...at, 'holidays'])
    resolution.calendars.set(name, { zone: zone ?? 'UTC', week, holidays })
  }
}

function placeOf({ definition }: Resolution, path: Path, part?: 'key') {
  return definition.app.place(path, part)
}

function weekOf(resolution: Resolution, { hours }: CalendarDefinition, at: Path): Calendar['week'] {
  const week: Hours[][] = DAYS.map(() => [])
  for (const [days, written] of Object.entries(hours)) {
    const periods = (typeof written === 'string' ? [written] : written).map(hoursOf)
    for (const { from, to } of periods) {
      if (to > from) continue
      resolution.report('wrong_calendar', 'The hours end before they begin', placeOf(resolution, [...at, days]), {
        hint: 'write a night as two: 22:00-24:00, and 00:00-06:00 of the next day',
      })
    }
    for (const day of daysOf(days)) week[day]?.push(...periods)
    const around = Object.keys(hours).find((other) => other !== days && isOneOf(days, other))
    if (around === undefined) continue
    const message = `"${around}" has ${days} too, so the hours of both count on that day`
    resolution.report('wrong_calendar', message, placeOf(resolution, [...at, days], 'key'), {
      hint: `write the days of "${around}" without ${days}, and all hours of ${days} here`,
      severity: 'warning',
    })
  }
  for (const [day, periods] of week.entries()) {
    periods.sort((a, b) => a.from - b.from)
    if (periods.some(({ from }, index) => index > 0 && from < periods[index - 1]!.to))
      resolution.report('wrong_calendar', `The hours of ${DAYS[day]} overlap`, placeOf(resolution, at), {
        hint: 'write each hour of a day once',
      })
  }
  return week
}

/** `fri-mon` is Friday, Saturday, Sunday and Monday. */
function daysOf(written: string): readonly number[] {
  const [first = 0, last = first] = written.split('-').map((day) => DAYS.indexOf(day as (typeof DAYS)[number]))
  const count = ((last - first + 7) % 7) + 1
  return Array.from({ length: count }, (_, index) => (first + index) % 7)
}

/** Whether a single day is among several. */
function isOneOf(days: string, others: string): boolean {
  const [day = 0, ...more] = daysOf(days)
  return more.length === 0 && daysOf(others).length > 1 && daysOf(others).includes(day)
}

function hoursOf(written: string): Hours {
  const [from = 0, to = 0] = written.split('-').map((time) => {
    const [hour, minute] = time.split(':').map(Number)
    return (hour ?? 0) * 60 + (minute ?? 0)
  })
  return { from, to }
}

function holidaysOf(resolution: Resolution, { holidays = [] }: CalendarDefinition, at: Path): ReadonlySet<string> {
  for (const [index, day] of holidays.entries()) {
    // A day of every year may be the 29th of February.
    const full = day.length === 5 ? `2024-${day}` : day
    if (new Date(`${full}T00:00:00Z`).toISOString().slice(0, 10) !== full)
      resolution.report('wrong_calendar', `There is no day ${day}`, placeOf(resolution, [...at, index]), {
        hint: 'write a day of the calendar: 2026-12-24 is one day, 12-24 that of every year',
      })
  }
  return new Set(holidays)
}
