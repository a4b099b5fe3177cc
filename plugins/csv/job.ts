/** ⇄ The job that imports a large file, batch by batch; no batch is written twice, however often the job starts again. */
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  ApiError,
  allowsOne,
  isObject,
  type JobContext,
  type Json,
  type JsonObject,
  type Resource,
  shortFile,
} from '../../engine/index.ts'
import { readStored, removeStored } from '../files/stored.ts'
import { batchesOf, importOf, judge, write } from './batch.ts'
import { fileOf, type Kept, keptBatches, noteBatch } from './batches.ts'
import { importSheet, sheetAgain, sheetOf } from './import.ts'
import { definitionOf } from './key.ts'
import { accessesOf } from './layout.ts'
import { importOptions } from './options.ts'
import { plainCreated, plainErrors, plainNotes, plainRepeated, type Report, tallyOf } from './outcome.ts'
import { type Known, SEPARATORS, type Sheet } from './parse.ts'
import { ENCODINGS } from './text.ts'

/** How often a job is tried without writing anything more before it is given up. */
export const ATTEMPTS = 5

/** Imports as whoever sent the file, with the rights that they have by now; gives the report. */
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
    // What failed for another reason may be tried again by an operator, and needs its file then.
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

/** What whoever sent the file said about it; a job that an older version added says only whether it is a dry run. */
function optionsIn({ dry_run = false, options }: JsonObject): JsonObject {
  return isObject(options) ? options : { dry_run }
}

/** The resources in which it creates what rows name, by their present names. */
function createdIn({ resources }: JsonObject): readonly Json[] {
  return Array.isArray(resources) ? resources : []
}

/** What was recognised when the file was sent; a job that an older version added may not say it. */
function knownIn({ read, rows }: JsonObject): Known | undefined {
  const { encoding, separator } = isObject(read) ? read : {}
  const known = {
    encoding: ENCODINGS.find((one) => one === encoding),
    separator: SEPARATORS.find((one) => one === separator),
  }
  if (known.encoding === undefined || known.separator === undefined) return undefined
  return { encoding: known.encoding, separator: known.separator, rows: Number(rows) }
}

/** Runs `work` with the file of the job on the local disk, for as long as that takes. */
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
    // A job that an older version added does not say how many bytes there are.
    if (size !== Number(payload.bytes ?? size)) throw shortFile(path, Number(payload.bytes), size)
    return await work(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * What became of a batch is noted in its own transaction: both are there or neither, and of two processes that have the
 * same batch in hand only one can commit.
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

/** A dry run leaves nothing to go on from; its report is noted as one batch, for whoever has to take over at its end. */
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
