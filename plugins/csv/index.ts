/** The csv plugin: resources are exported to files and imported from them, by a map of columns in their YAML. */
import { definePlugin, inSentence, type JsonObject, type Resource, type Route } from '../../engine/index.ts'
import { storeOf } from '../files/stored.ts'
import { accessesOf } from './columns.ts'
import { importCommand, writes } from './command.ts'
import { CSV_KEY, definitionOf, permissionsOf, rolesOf } from './csv-key.ts'
import { exportRecords, PARAMETERS } from './export.ts'
import { ACCEPTED, ATTEMPTS, runImport } from './job.ts'
import { importParameters } from './options.ts'
import { findKeys } from './record-keys.ts'
import { importRecords, REPORT } from './route.ts'
import { columnsLead } from './rule.ts'
import { tidy } from './tidy.ts'

/** The options of the plugin in app.yaml. */
const OPTIONS_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    import_bytes: {
      type: 'integer',
      minimum: 1_024,
      maximum: 104_857_600,
      default: 5_242_880,
      description: 'The largest file that an import takes, in bytes.',
    },
    import_rows: {
      type: 'integer',
      minimum: 1,
      default: 100_000,
      description: 'The most rows that an import takes.',
    },
    job_rows: {
      type: 'integer',
      minimum: 0,
      default: 2_000,
      description: 'A file with more rows than this is imported as a job.',
    },
  },
}

/** Imports that wait, or can be tried again, need their files; `imports/<job>.csv` are those of earlier versions. */
const FILES = `select coalesce(payload->>'file', 'imports/' || id || '.csv') from plinth_job
  where name = 'csv.import' and status <> 'completed'`

export default definePlugin({
  name: 'csv',
  description: 'Exports and imports of any resource as CSV files, by a map of columns in its YAML.',
  options: OPTIONS_SCHEMA,
  keys: {
    csv: {
      description: 'Gives the resource an export and an import as CSV files.',
      schema: CSV_KEY,
      permissions: permissionsOf,
      roles: rolesOf,
    },
  },
  after: ['soft_delete'],
  transforms: [findKeys],
  rules: [columnsLead],
  resourceRoutes,
  resources: ['import_batches', 'import_rows', 'de.words'].map(
    (name) => new URL(`./resources/${name}.yaml`, import.meta.url),
  ),
  jobs: {
    import: { description: 'Imports a large file.', attempts: ATTEMPTS, long: true, run: runImport },
    tidy: { description: 'Puts away what imports left.', every: '1 hour', run: tidy },
  },
  files: { keys: () => FILES, store: storeOf },
  commands: {
    import: {
      description: 'Import a CSV file: plinth import <resource> <file> [--dry-run] [--map=…] [--zone=…] [--dates=…]',
      example: 'plinth import tickets zendesk.csv --dry-run',
      begins: writes,
      run: importCommand,
    },
  },
})

function resourceRoutes(resource: Resource, options: JsonObject): readonly Route[] {
  const definition = definitionOf(resource.keys.csv)
  const routes: Route[] = []
  const label = inSentence(resource.label)
  if (definition?.export !== undefined) {
    routes.push({
      method: 'GET',
      path: `/${resource.path}/export`,
      summary: `Export the ${label} records as a CSV file`,
      tag: resource.name,
      access: accessesOf(definition.export),
      produces: ['text/csv'],
      large: true,
      filters: resource.name,
      query: PARAMETERS,
      handle: (context) => exportRecords(context, resource),
    })
  }
  if (definition?.import !== undefined) {
    routes.push({
      method: 'POST',
      path: `/${resource.path}/import`,
      summary: `Import ${label} records from a CSV file`,
      description:
        'The file is the part `file` or `csv`. Each row is imported by itself: a wrong one is reported, and loses no other. A file with many rows is imported as a job, and so is every file that comes with an `Idempotency-Key`.',
      tag: resource.name,
      access: accessesOf(definition.import),
      body: 'multipart',
      once: true,
      upload: { bytes: Number(options.import_bytes), files: 1 },
      input: {},
      query: importParameters(resource),
      output: REPORT,
      accepted: ACCEPTED,
      handle: (context) => importRecords(context, resource),
    })
  }
  return routes
}
