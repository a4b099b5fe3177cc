/** What whoever imports says about a file: parameters of the route, of the command, and of the job that goes on with it. */
import type { FieldDefinition, JsonObject } from '../../engine/index.ts'
import { NO_RENAMES, type Renames, renamesOf } from './rename.ts'

export interface ImportOptions {
  readonly dryRun: boolean
  readonly renames: Renames
}

/** The parameters, in the words of the YAML. */
export const PARAMETERS: Readonly<Record<string, FieldDefinition>> = {
  dry_run: { type: 'boolean', description: 'Says of every row what would become of it, and writes nothing.' },
  map: {
    type: 'text',
    description:
      'Which columns the file calls otherwise: `Ticket ID:UID,Title:Subject`; a column without a name behind the colon is left out, and `*:` leaves out all that are not known. A comma inside a title is written `\\,`.',
  },
}

/** The options that parameters say, or their defaults; throws validation_failed by parameter. */
export function importOptions({ dry_run, map }: JsonObject): ImportOptions {
  return { dryRun: dry_run === true, renames: typeof map === 'string' ? renamesOf(map) : NO_RENAMES }
}
