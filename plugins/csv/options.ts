/** What whoever imports says about a file: parameters of the route, of the command, and of the job that goes on with it. */
import { type FieldDefinition, invalid, type Json, type JsonObject } from '../../engine/index.ts'
import type { DateForms } from './dates.ts'
import { NO_RENAMES, type Renames, renamesOf } from './rename.ts'
import { zoneNamed } from './zone.ts'

export interface ImportOptions {
  readonly dryRun: boolean
  readonly renames: Renames
  readonly dates: DateForms
}

const ORDERS = ['day_first', 'month_first'] as const

/** The parameters, in the words of the YAML. */
export const PARAMETERS: Readonly<Record<string, FieldDefinition>> = {
  dry_run: { type: 'boolean', description: 'Says of every row what would become of it, and writes nothing.' },
  map: {
    type: 'text',
    description:
      'Which columns the file calls otherwise: `Ticket ID:UID,Title:Subject`; a column without a name behind the colon is left out, and `*:` leaves out all that are not known. A comma inside a title is written `\\,`.',
  },
  zone: {
    type: 'string',
    description: 'The time zone of times that name none, such as Europe/Berlin; UTC if absent.',
  },
  dates: {
    type: 'enum',
    values: [...ORDERS],
    description:
      'What comes first in dates such as 01/02/2026; without it such a row is refused, unless only one can be.',
  },
}

/** The options that parameters say, or their defaults; throws validation_failed by parameter. */
export function importOptions({ dry_run, map, zone = null, dates = null }: JsonObject): ImportOptions {
  return {
    dryRun: dry_run === true,
    renames: typeof map === 'string' ? renamesOf(map) : NO_RENAMES,
    dates: { zone: zoneOf(zone), order: orderOf(dates) },
  }
}

function zoneOf(given: Json): string {
  const zone = given === null ? 'UTC' : zoneNamed(String(given))
  if (zone === undefined) throw invalid({ zone: ['The zone must be a time zone such as Europe/Berlin'] })
  return zone
}

function orderOf(given: Json): DateForms['order'] {
  const order = ORDERS.find((one) => one === given)
  if (given !== null && order === undefined) throw invalid({ dates: [`The dates must be one of ${ORDERS.join(', ')}`] })
  return order
}
