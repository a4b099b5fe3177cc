/** Classifies several tickets: at once by the local engine, as a job by a server, whose answers take their time. ⇄ */
import { invalid, type JobContext, type Json, type JsonObject, type PluginContext } from '../../../engine/index.ts'
import { shape, store } from './classification.ts'
import { judge } from './judge.ts'
import { aiSettings, needs } from './settings.ts'

/** Tickets of one batch at most. */
export const BATCH_MOST = 100

interface Letter {
  readonly id: number
  readonly subject: string
  readonly details: string
}

/** What came of a batch: the classifications, or the job that makes them. 422 for tickets that are not to be seen. */
export async function batchClassify(context: PluginContext, ids: readonly number[]) {
  const errors: Record<string, string[]> = {}
  ids.forEach((id, at) => {
    if (ids.indexOf(id) !== at) errors[`ticket_ids.${at}`] = ['The ticket is named twice']
  })
  const found = await lettersOf(context, ids)
  ids.forEach((id, at) => {
    if (!found.has(id)) errors[`ticket_ids.${at}`] = ['The selected ticket is invalid']
  })
  if (Object.keys(errors).length > 0) throw invalid(errors)
  const settings = await aiSettings(context)
  needs(settings, 'enabled')
  if (settings.provider !== 'local') {
    const job = await context.enqueue('ai.classify_batch', { ticket_ids: [...ids] }, { as: 'actor' })
    return { status: 'pending', job_id: job, total: ids.length, classified: 0, classifications: [] }
  }
  const classifications: JsonObject[] = []
  for (const id of ids) classifications.push(await classifyOne(context, found.get(id)!))
  return { status: 'completed', job_id: null, total: ids.length, classified: ids.length, classifications }
}

/** The job: one ticket after the other, those that the one who asked may still see. */
export async function runBatch(context: JobContext, payload: JsonObject): Promise<Json> {
  const ids = (payload.ticket_ids as readonly number[] | undefined) ?? []
  const found = await lettersOf(context, ids)
  const done: Json[] = []
  for (const letter of found.values()) {
    if (context.signal.aborted) break
    done.push((await classifyOne(context, letter)).id ?? null)
    await context.progress(Math.round((done.length / found.size) * 100))
  }
  return { classification_ids: done }
}

async function classifyOne(context: PluginContext, letter: Letter): Promise<JsonObject> {
  const settings = await aiSettings(context)
  const judgement = await judge(context, settings, letter)
  return shape(
    await store(context, settings, { id: letter.id, text: `${letter.subject}\n${letter.details}` }, judgement),
  )
}

/** The texts of those of the tickets that the caller may read, by id. */
async function lettersOf(context: PluginContext, ids: readonly number[]): Promise<ReadonlyMap<number, Letter>> {
  const values: unknown[] = [ids]
  const { table } = context.catalog.resources.get('tickets')!
  const text = `select t.id, t.subject, t.details from "${table}" t
    where t.id = any($1::integer[]) and ${context.readable('tickets', 't', values)}`
  const rows = await context.database.adhoc.run({ text }, values)
  const letters = rows.map(([id, subject, details]) => ({
    id: Number(id),
    subject: subject ?? '',
    details: details ?? '',
  }))
  return new Map(letters.map((letter) => [letter.id, letter]))
}
