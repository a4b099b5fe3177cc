/** The desk's time zone: where its days begin, for figures, charts and reports. ⇄ */
import type { Catalog, Diagnostic, PluginContext } from '../../../engine/index.ts'

type Bind = (value: unknown, type: string) => string

/** The zone of app.yaml, UTC where the plugin tickets is not in use. */
export function zoneOf({ pluginOptions }: Catalog): string {
  return String(pluginOptions.get('tickets')?.time_zone ?? 'UTC')
}

/** The day that it is in a zone, YYYY-MM-DD. */
export function todayIn(zone: string, now: Date): string {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]))
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** What the clocks of a zone show at a moment, to the minute: `2026-01-31 14:05`. */
export function clockIn(zone: string, moment: Date): string {
  if (zone === 'UTC') return moment.toISOString().slice(0, 16).replace('T', ' ')
  let clock = clocks.get(zone)
  if (clock === undefined) {
    // Swedish writes its dates as ISO 8601 does.
    clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
    clocks.set(zone, clock)
  }
  return clock.format(moment)
}

/** SQL of the first moment of a day. */
export function startOfDay(zone: string, bind: Bind, day: string): string {
  if (zone === 'UTC') return bind(`${day} 00:00:00+00`, 'timestamptz')
  return `(${bind(`${day} 00:00:00`, 'timestamp')} at time zone ${bind(zone, 'text')})`
}

/** SQL of the seconds that the clocks of a zone show at a moment, counted from 1970; cheaper than a date, row for row. */
export function localSeconds(zone: string, bind: Bind, moment: string): string {
  return `date_part('epoch', ${zone === 'UTC' ? moment : `${moment} at time zone ${bind(zone, 'text')}`})`
}

/** Rule: the zone has a name that clocks know; an offset would be read the other way round by PostgreSQL. */
export function knownZone(_: Catalog, { time_zone: zone }: Readonly<Record<string, unknown>>): readonly Diagnostic[] {
  if (zone === undefined || isZone(String(zone))) return []
  const message = `There is no time zone "${zone}"`
  return [{ code: 'tickets/time_zone', message, hint: 'take a name as Europe/Berlin or America/New_York, or UTC' }]
}

function isZone(zone: string): boolean {
  try {
    return /^[A-Za-z]/.test(zone) && new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined
  } catch {
    return false
  }
}

/** Asks the database for the zone before the first request does; its list of names may be an older one. */
export async function checkZone({ catalog, database }: PluginContext): Promise<readonly string[]> {
  const zone = zoneOf(catalog)
  if (zone !== 'UTC') {
    const rows = await database.adhoc.run({ text: 'select 1 from pg_timezone_names where lower(name) = lower($1)' }, [
      zone,
    ])
    if (rows.length === 0) throw new Error(`The database knows no time zone "${zone}" (plugins: tickets: time_zone)`)
  }
  return []
}
