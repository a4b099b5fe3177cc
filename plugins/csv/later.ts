/** ⇄ Leaves the import of a large file to a job, which finds the file in the storage. */
import { randomUUID } from 'node:crypto'
import { isRefusal, type Reply, type Resource, type RouteContext, type UploadedFile } from '../../engine/index.ts'
import { storageOf } from '../files/open-storage.ts'
import { keyOf } from './batches.ts'
import type { Sheet } from './parse.ts'
import { RECOGNISED, recognised } from './recognised.ts'

/** What is answered when a job goes on with an import, as a JSON Schema. */
export const ACCEPTED = {
  type: 'object',
  additionalProperties: false,
  required: ['job_id', 'status', 'total', 'file'],
  properties: {
    job_id: { type: 'string', description: 'For GET /jobs/{id}; its result is what an import answers otherwise.' },
    status: { type: 'string', enum: ['pending'] },
    total: { type: 'integer', description: 'Rows of the file.' },
    file: RECOGNISED,
  },
} as const

/** Adds the job; the file is stored before the job can be seen, so that none is without its file. */
export async function importLater(
  context: RouteContext,
  resource: Resource,
  { bytes, path }: UploadedFile,
  sheet: Sheet,
): Promise<Reply> {
  const job = randomUUID()
  const file = keyOf(context, job)
  const { rows } = sheet
  const read = recognised(sheet)
  // By their names beside the parameters, so that a resource that is renamed meanwhile is found.
  const resources = [...sheet.options.create]
  const payload = { resource: resource.name, resources, rows, options: { ...context.parameters }, file, bytes, read }
  const reply: Reply = {
    status: 202,
    data: { job_id: job, status: 'pending', total: rows, file: read },
    message: sheet.options.dryRun ? `${rows} rows are judged as a job` : `${rows} rows are imported as a job`,
  }
  const storage = storageOf(context.settings)
  // Before the transaction: a slow storage must not hold a connection.
  await storage.put(file, { path, bytes, type: 'text/csv' })
  try {
    return await context.once(async (inner) => {
      await inner.enqueue('csv.import', payload, { id: job, as: 'actor' })
      return reply
    })
  } catch (error) {
    // After a lost connection the job may be there, and needs its file: housekeeping finds the others.
    if (isRefusal(error)) await storage.remove(file)
    throw error
  }
}
