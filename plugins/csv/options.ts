/** The options of an import: parameters of the route, of the command, and of the job. */
import {
  type FieldDefinition,
  fieldError,
  invalid,
  type Json,
  type JsonObject,
  type Resource,
  zoneNamed,
} from '../../engine/index.ts'
import { definitionOf } from './csv-key.ts'
import type { DateForms } from './dates.ts'
import { NO_TITLE_MAP, type TitleMap, titleMapOf } from './header.ts'

export interface ImportOptions {
  readonly dryRun: boolean
  /** Whether rows that equal those of earlier imports are imported again. */
  readonly again: boolean
  readonly titleMap: TitleMap
  readonly dates: DateForms
  /** Resources in which records that rows name are created. */
  readonly create: ReadonlySet<string>
  /** Keys of hooks for every new record. */
  readonly asked: ReadonlySet<string>
}

const CREATE = 'create_'

const ORDERS = ['day_first', 'month_first'] as const

/** The parameters of every import, in the words of the YAML. */
const PARAMETERS: Readonly<Record<string, FieldDefinition>> = {
  dry_run: { type: 'boolean', description: 'Says of every row what would become of it, and writes nothing.' },
  again: {
    type: 'boolean',
    description:
      'Imports rows that no key names also where they equal rows of earlier imports; without it these are skipped.',
  },
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

/** The parameters for a resource: those of every import, and those for its columns and hooks. */
export function importParameters(resource: Resource): Readonly<Record<string, FieldDefinition>> {
  const flag = (description: string): FieldDefinition => ({ type: 'boolean', description })
  const { asked, created } = questionsOf(resource)
  return {
    ...PARAMETERS,
    ...Object.fromEntries(
      created.map((name) => [`${CREATE}${name}`, flag(`Creates the ${name} that rows name and that are not there.`)]),
    ),
    ...Object.fromEntries(
      asked.map((name) => [name, flag(`What a new record is told under \`${name}\`, for all rows.`)]),
    ),
  }
}

/** The resources in which an import may create, and the keys for hooks. */
function questionsOf({ keys }: Resource): { readonly created: readonly string[]; readonly asked: readonly string[] } {
  const definition = definitionOf(keys.csv)
  const columns = Object.values(definition?.columns ?? {})
  const creates = columns.flatMap((column) => (typeof column === 'string' ? [] : (column.create ?? [])))
  return {
    created: [...new Set(creates.map((create) => create.in))],
    asked: [...new Set([...(definition?.ask ?? []), ...creates.flatMap(({ ask = [] }) => ask)])],
  }
}

/** The options from parameters, or their defaults; throws validation_failed by parameter. */
export function importOptions(resource: Resource, given: JsonObject, also: readonly Json[] = []): ImportOptions {
  const { again, dry_run, map, zone = null, dates = null } = given
  const { asked, created } = questionsOf(resource)
  return {
    dryRun: dry_run === true,
    again: again === true,
    titleMap: typeof map === 'string' ? titleMapOf(map) : NO_TITLE_MAP,
    dates: { zone: zoneOf(zone), order: orderOf(dates) },
    create: new Set(created.filter((name) => given[`${CREATE}${name}`] === true || also.includes(name))),
    asked: new Set(asked.filter((name) => given[name] === true)),
  }
}

function zoneOf(given: Json): string {
  const zone = given === null ? 'UTC' : zoneNamed(String(given))
  if (zone === undefined)
    throw invalid({ zone: [fieldError('wrong_format', 'The zone must be a time zone such as Europe/Berlin')] })
  return zone
}

function orderOf(given: Json): DateForms['order'] {
  const order = ORDERS.find((one) => one === given)
  if (given !== null && order === undefined)
    throw invalid({ dates: [fieldError('not_allowed', `The dates must be one of ${ORDERS.join(', ')}`)] })
  return order
}
