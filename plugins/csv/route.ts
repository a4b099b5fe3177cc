/** POST /<resource>/import: one file of a multipart body, imported or only tried. */
import { ApiError, fieldError, type Reply, type Resource, type RouteContext } from '../../engine/index.ts'
import { importSheet, sheetOf } from './import.ts'
import { importLater } from './job.ts'
import { importOptions } from './options.ts'
import {
  plainErrors,
  plainNotes,
  plainRepeated,
  RECOGNISED,
  recognised,
  summary,
  TOLD_ERRORS,
  TOLD_NOTES,
} from './outcome.ts'
import { fileRefused } from './text.ts'

/** The names of the part with the file. */
const PARTS = ['file', 'csv']

/** The JSON Schema of the answer to an import. */
export const REPORT = {
  type: 'object',
  additionalProperties: false,
  required: [
    'total',
    'imported',
    'skipped',
    'failed',
    'dry_run',
    'ids',
    'errors',
    'created',
    'notes',
    'repeated',
    'file',
  ],
  properties: {
    total: { type: 'integer', description: 'Rows of the file.' },
    imported: { type: 'integer', description: 'Rows that became records, or would have on a dry run.' },
    skipped: { type: 'integer', description: 'Rows whose record exists already.' },
    repeated: {
      type: 'object',
      description: `Those of them that no key names, and that equal rows of earlier imports: the first ${TOLD_NOTES}, each with the record that was made of it.`,
      additionalProperties: false,
      required: ['count', 'rows'],
      properties: {
        count: { type: 'integer' },
        rows: {
          type: 'array',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['row', 'id'],
            properties: { row: { type: 'integer' }, id: { type: ['integer', 'string'] } },
          },
        },
      },
    },
    failed: { type: 'integer', description: 'Rows that were refused.' },
    dry_run: { type: 'boolean', description: 'Whether this is only what would be.' },
    ids: {
      type: 'array',
      items: { type: ['integer', 'string'] },
      description: 'The new records, in the order of the file.',
    },
    errors: {
      type: 'array',
      description: `The rows that were refused, the first ${TOLD_ERRORS} of them.`,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['row', 'uid', 'errors', 'cells'],
        properties: {
          row: { type: 'integer', description: 'The line of the file.' },
          uid: { type: ['string', 'null'], description: 'What the row calls its record.' },
          errors: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
          cells: {
            type: 'object',
            description: 'The values in the file where the errors are, under the same names.',
            additionalProperties: {
              type: 'object',
              additionalProperties: false,
              required: ['column', 'value'],
              properties: { column: { type: 'string' }, value: { type: 'string' } },
            },
          },
        },
      },
    },
    created: {
      type: 'object',
      description:
        'The records that were created because rows name them, by resource; on a dry run, those that would be.',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['count', 'names'],
        properties: { count: { type: 'integer' }, names: { type: 'array', items: { type: 'string' } } },
      },
    },
    notes: {
      type: 'array',
      description: `What was not kept of rows that became records, the first ${TOLD_NOTES} of it; columns that are not read are under \`file\`.`,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['row', 'column', 'note'],
        properties: { row: { type: 'integer' }, column: { type: 'string' }, note: { type: 'string' } },
      },
    },
    file: RECOGNISED,
  },
} as const

/** Answers an import with the outcome of each row, or 202 with the job that continues a large one. */
export async function importRecords(context: RouteContext, resource: Resource): Promise<Reply> {
  const file = context.files.find(({ part }) => PARTS.includes(part))
  if (file === undefined) throw fileRefused(fieldError('required', 'The file field is required'))
  if (file.bytes === 0) throw fileRefused('The file is empty')
  const options = importOptions(resource, context.parameters)
  const sheet = await sheetOf(context, resource, file.path, options, Number(context.options.import_rows))
  // An import while the caller waits is many transactions, and may have an unknown end; a job continues where it was.
  const keyed = context.headers['idempotency-key'] !== undefined && !options.dryRun
  const large = sheet.rows > Number(context.options.job_rows)
  // Without an account nobody could ask for the job.
  const earlier = { resource: resource.name, names: sheet.earlier }
  if ((large || keyed) && context.actor.id !== null)
    return { ...(await importLater(context, resource, file, sheet)), earlier }
  if (keyed) throw new ApiError('bad_request', { message: 'Sign in to import with an Idempotency-Key' })
  const report = await importSheet(context, resource, sheet)
  const plain = { errors: report.errors.map(plainErrors), notes: plainNotes(report), repeated: plainRepeated(report) }
  const data = { ...report, ...plain, file: recognised(sheet) }
  return { data, message: summary(report), earlier }
}
