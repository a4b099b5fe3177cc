/** ⇄ The job that imports a large file, batch by batch; no batch is written twice, however often the job restarts. */
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  ApiError,
  allowsOne,
  isObject,
  isRefusal,
  type JobContext,
  type Json,
  type JsonObject,
  type Reply,
  type Resource,
  type RouteContext,
  shortFile,
  type UploadedFile,
} from '../../engine/index.ts'
import { storageOf } from '../files/open-storage.ts'
import { readStored, removeStored } from '../files/stored.ts'
import { batchesOf, importOf, judge, write } from './batch.ts'
import { accessesOf } from './columns.ts'
import { definitionOf } from './csv-key.ts'
import { importSheet, sheetAgain, sheetOf } from './import.ts'
import { fileOf, type Kept, keptBatches, keyOf, noteBatch } from './job-state.ts'
import { importOptions } from './options.ts'
import {
  plainCreated,
  plainErrors,
  plainNotes,
  plainRepeated,
  RECOGNISED,
  type Report,
  recognised,
  tallyOf,
} from './outcome.ts'
import { type Known, SEPARATORS, type Sheet } from './parse.ts'
import { ENCODINGS } from './text.ts'

/** Tries without a new batch after which a job is given up. */
export const ATTEMPTS = 5

/** Imports as the sender of the file, with their present rights; returns the report. */
export async function runImport(context: JobContext, payload: JsonObject): Promise<JsonObject> {
  try {
    const resource = context.catalog.resources.get(String(payload.resource))
    const access = definitionOf(resource?.keys.csv)?.import
    if (resource === undefined || access === undefined || !allowsOne(accessesOf(access), context.actor))
      throw new ApiError('forbidden')
    const { errors, ...report } = await importKept(context, resource, payload)
    await discard(context, payload)
    return {
      ...report,
      created: plainCreated(report),
      notes: plainNotes(report),
      repeated: plainRepeated(report),
      errors: errors.map(plainErrors),
      file: payload.read ?? null,
    }
  } catch (error) {
    // After another failure an operator may try again, and needs the file.
    if (error instanceof ApiError && error.status < 500 && context.lastAttempt()) await discard(context, payload)
    throw error
  }
}

async function discard(context: JobContext, payload: JsonObject): Promise<void> {
  const key = fileOf(context.id, payload)
  await removeStored(context, key).catch((err: unknown) =>
    context.log.warn({ err, key }, 'the file of an import could not be removed'),
  )
}

async function importKept(context: JobContext, resource: Resource, payload: JsonObject): Promise<Report> {
  const rows = Number(payload.rows)
  const options = importOptions(resource, optionsIn(payload), createdIn(payload))
  const kept = await keptBatches(context)
  // An earlier run wrote every batch, but its process ended before the job was marked as done.
  if (kept.done >= rows) return tallyOf(rows, options.dryRun, kept.outcomes).report()
  return withFile(context, payload, async (path) => {
    const known = knownIn(payload)
    const sheet = await (known === undefined
      ? sheetOf(context, resource, path, options)
      : sheetAgain(context, resource, path, options, known))
    return options.dryRun ? judgeAll(context, resource, sheet) : goOn(context, resource, sheet, kept)
  })
}

/** The options of the sender; jobs of an older version only have `dry_run`. */
function optionsIn({ dry_run = false, options }: JsonObject): JsonObject {
  return isObject(options) ? options : { dry_run }
}

/** The resources in which it creates records that rows name, by their present names. */
function createdIn({ resources }: JsonObject): readonly Json[] {
  return Array.isArray(resources) ? resources : []
}

/** The sheet as it was recognised when the file was sent; jobs of an older version may lack it. */
function knownIn({ read, rows }: JsonObject): Known | undefined {
  const { encoding, separator } = isObject(read) ? read : {}
  const known = {
    encoding: ENCODINGS.find((one) => one === encoding),
    separator: SEPARATORS.find((one) => one === separator),
  }
  if (known.encoding === undefined || known.separator === undefined) return undefined
  return { encoding: known.encoding, separator: known.separator, rows: Number(rows) }
}

/** Runs `work` with the file of the job on the local disk. */
async function withFile<T>(context: JobContext, payload: JsonObject, work: (path: string) => Promise<T>): Promise<T> {
  const tmp = join(context.settings.dataDir, 'tmp')
  await mkdir(tmp, { recursive: true })
  const folder = await mkdtemp(join(tmp, 'import-'))
  try {
    const path = join(folder, 'file.csv')
    const file = await readStored(context, fileOf(context.id, payload))
    if (file === undefined) throw new ApiError('record_not_found', { label: 'File' })
    await pipeline(file, createWriteStream(path))
    const { size } = await stat(path)
    // A job of an older version has no number of bytes.
    if (size !== Number(payload.bytes ?? size)) throw shortFile(path, Number(payload.bytes), size)
    return await work(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * The outcome of a batch is noted in the transaction of the batch: both exist or neither, and of two processes with the
 * same batch only one can commit.
 */
async function goOn(context: JobContext, resource: Resource, sheet: Sheet, kept: Kept): Promise<Report> {
  const work = importOf(context, resource, sheet)
  const tally = tallyOf(sheet.rows, false, kept.outcomes)
  const tell = teller(context)
  let { done } = kept
  for await (const found of batchesOf(work, done)) {
    context.signal.throwIfAborted()
    const judged = await judge(work, found)
    const { entries } = judged
    const first = done
    const outcome = await context.transaction(async (inner) => {
      const written = await write(work, inner, judged)
      await noteBatch(inner, context.id, first, entries.length, written)
      return written
    })
    tally.add(outcome)
    done += entries.length
    await tell(done, sheet.rows)
  }
  return tally.report()
}

/**
 * A dry run has nothing to continue from; its report is noted as one batch, for a process that takes over at its end.
 */
async function judgeAll(context: JobContext, resource: Resource, sheet: Sheet): Promise<Report> {
  const tell = teller(context)
  const report = await importSheet(context, resource, sheet, { progress: tell, signal: context.signal })
  await noteBatch(context, context.id, 0, sheet.rows, report)
  return report
}

/** Reports each whole percent once. */
function teller({ progress }: JobContext): (done: number, total: number) => Promise<void> {
  let reported = 0
  return async (done, total) => {
    const percent = Math.floor((100 * done) / total)
    if (percent <= reported) return
    reported = percent
    await progress(percent)
  }
}

/** The JSON Schema of the answer when a job continues an import. */
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

/** Adds the job; the file is stored before the job is visible, so that no job lacks its file. */
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
  // Separate from the parameters, with their names, so that a renamed resource is still found.
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
    // After a lost connection the job may exist, and needs its file; housekeeping finds the others.
    if (isRefusal(error)) await storage.remove(file)
    throw error
  }
}
