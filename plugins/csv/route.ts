/** POST /<resource>/import: one file of a multipart body, or a dry run of it. */
import type { Reply, Resource, RouteContext } from '../../engine/index.ts'
import { importFile } from './import.ts'
import { fileRefused } from './parse.ts'

/** The names that the part with the file may have. */
const PARTS = ['file', 'csv']

/** What an import answers, as a JSON Schema. */
export const REPORT = {
  type: 'object',
  additionalProperties: false,
  required: ['total', 'imported', 'skipped', 'failed', 'ids', 'errors'],
  properties: {
    total: { type: 'integer', description: 'Rows of the file.' },
    imported: { type: 'integer', description: 'Rows that became records, or would have on a dry run.' },
    skipped: { type: 'integer', description: 'Rows whose record exists already.' },
    failed: { type: 'integer', description: 'Rows that were refused.' },
    ids: { type: 'array', items: { type: 'integer' }, description: 'The new records, in the order of the file.' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['row', 'uid', 'errors'],
        properties: {
          row: { type: 'integer', description: 'The line of the file.' },
          uid: { type: ['string', 'null'], description: 'What the row calls its record.' },
          errors: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
        },
      },
    },
  },
} as const

/** Answers an import with what became of each row. */
export async function importRecords(context: RouteContext, resource: Resource): Promise<Reply> {
  const file = context.files.find(({ part }) => PARTS.includes(part))
  if (file === undefined) throw fileRefused('The file field is required')
  if (file.bytes === 0) throw fileRefused('The file is empty')
  const data = await importFile(context, resource, file.path, {
    dryRun: context.parameters.dry_run === true,
    longest: Number(context.options.import_rows),
  })
  return { data, message: summary(data) }
}

/** One sentence about a finished import. */
export function summary({
  imported,
  skipped,
  failed,
  total,
}: {
  imported: number
  skipped: number
  failed: number
  total: number
}): string {
  return `${imported} of ${total} rows imported, ${skipped} skipped, ${failed} failed`
}
