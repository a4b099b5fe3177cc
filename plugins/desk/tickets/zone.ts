/** The desk's time zone: where its days begin, for figures, charts and reports. ⇄ */
import { type Catalog, type Diagnostic, type PluginContext, zoneNamed } from '../../../engine/index.ts'

type Bind = (value: unknown, type: string) => string

/** The zone of app.yaml, UTC where the plugin tickets is not in use. */
export function zoneOf({ pluginOptions }: Catalog): string {
  return String(pluginOptions.get('tickets')?.time_zone ?? 'UTC')
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
  if (zone === undefined || zoneNamed(String(zone)) !== undefined) return []
  const message = `There is no time zone "${zone}"`
  return [{ code: 'tickets/time_zone', message, hint: 'take a name as Europe/Berlin or America/New_York, or UTC' }]
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
