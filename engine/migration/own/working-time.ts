/** The hours of calendars as rows of `plinth_working_time` ⇄, by which statements count working time. */
import { type Calendar, calendarKey, workingPeriods } from '../../calendar/working-time.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Database, Runner } from '../../database/database.ts'

/** Every calendar begins here, so that rows added later go on from those that are there. */
const BEGIN = Date.UTC(2010, 0, 1)
const YEAR_MS = 365.25 * 86_400_000
const AHEAD_MS = 10 * YEAR_MS
/** Hours are added when fewer years of them than this lie ahead. */
const LEAST_AHEAD_MS = 5 * YEAR_MS
const UNUSED = '30 days'

const USE = `update plinth_calendar set used_at = $2::timestamptz where key = $1 returning extract(epoch from filled_to)`

const FILL = `insert into plinth_working_time (calendar, starts_at, ends_at, worked_before, worked_after)
  select $1, to_timestamp(p.begins / 1000.0), to_timestamp(p.ends / 1000.0),
    (sum(p.ends - p.begins) over earlier - (p.ends - p.begins)) * 1000, sum(p.ends - p.begins) over earlier * 1000
  from unnest($2::bigint[], $3::bigint[]) as p(begins, ends) window earlier as (order by p.begins)
  on conflict do nothing`

const FILLED = `insert into plinth_calendar (key, used_at, filled_to) values ($1, $2::timestamptz, $3::timestamptz)
  on conflict (key) do update set used_at = excluded.used_at, filled_to = excluded.filled_to`

/** Stores the hours of every calendar for the coming years, and notes that the calendars are used. */
export async function fillCalendars({ calendars }: Catalog, runner: Runner, now: Date): Promise<void> {
  for (const calendar of new Map([...calendars.values()].map((one) => [calendarKey(one), one])).values())
    await fill(calendar, runner, now)
}

async function fill(calendar: Calendar, runner: Runner, now: Date): Promise<void> {
  const key = calendarKey(calendar)
  const [row] = await runner.run({ text: USE }, [key, now.toISOString()])
  if (row !== undefined && Number(row[0]) * 1_000 - now.getTime() > LEAST_AHEAD_MS) return
  const end = now.getTime() + AHEAD_MS
  const periods = workingPeriods(calendar, BEGIN, end)
  await runner.run({ text: FILL }, [key, periods.map(({ from }) => from), periods.map(({ to }) => to)])
  await runner.run({ text: FILLED }, [key, now.toISOString(), new Date(end).toISOString()])
}

const FORGET = `with gone as (delete from plinth_calendar where used_at < $1::timestamptz - interval '${UNUSED}' returning key),
  hours as (delete from plinth_working_time w using gone where w.calendar = gone.key)
  select count(*) from gone`

/**
 * Notes which calendars are used and removes those that no application has had for 30 days, with their hours; returns how many.
 */
export async function tidyCalendars(catalog: Catalog, database: Database, now: Date): Promise<number> {
  await fillCalendars(catalog, database.adhoc, now)
  const [row] = await database.adhoc.run({ text: FORGET }, [now.toISOString()])
  return Number(row?.[0])
}
