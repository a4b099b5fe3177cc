/** The desk's time zone, in which the days of figures, charts and reports begin. ⇄ */
import { type Catalog, type Diagnostic, type PluginContext, zoneNamed } from '../../../engine/index.ts'

type Bind = (value: unknown, type: string) => string

/** The zone of app.yaml; UTC without the plugin tickets. */
export function zoneOf({ pluginOptions }: Catalog): string {
  return String(pluginOptions.get('tickets')?.time_zone ?? 'UTC')
}

/** SQL of the first moment of a day. */
export function startOfDay(zone: string, bind: Bind, day: string): string {
  if (zone === 'UTC') return bind(`${day} 00:00:00+00`, 'timestamptz')
  return `(${bind(`${day} 00:00:00`, 'timestamp')} at time zone ${bind(zone, 'text')})`
}

/** SQL of the seconds since 1970 on the clocks of a zone at a moment; cheaper than a date for each row. */
export function localSeconds(zone: string, bind: Bind, moment: string): string {
  return `date_part('epoch', ${zone === 'UTC' ? moment : `${moment} at time zone ${bind(zone, 'text')}`})`
}

/** The zone must have a name; PostgreSQL would read an offset the other way round. */
export function knownZone(_: Catalog, { time_zone: zone }: Readonly<Record<string, unknown>>): readonly Diagnostic[] {
  if (zone === undefined || zoneNamed(String(zone)) !== undefined) return []
  const message = `There is no time zone "${zone}"`
  return [{ code: 'tickets/time_zone', message, hint: 'take a name as Europe/Berlin or America/New_York, or UTC' }]
}

/** Asks the database for the zone before the first request does; its list of names may be older. */
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
