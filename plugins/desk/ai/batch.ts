/** Classifies several tickets: at once by the local engine, or as a job by a server, which takes time. ⇄ */
import {
  type FieldError,
  fieldError,
  invalid,
  type JobContext,
  type Json,
  type JsonObject,
  type PluginContext,
  type Reply,
  type RouteContext,
} from '../../../engine/index.ts'
import { shape, store } from './classification.ts'
import { judge } from './judge.ts'
import type { Judgement } from './judgement.ts'
import { type AiSettings, aiSettings, needs } from './settings.ts'

/** The most tickets of one batch. */
export const BATCH_MOST = 100

interface Letter {
  readonly id: number
  readonly subject: string
  readonly details: string
}

/**
 * The result of a batch: the classifications, or the job that makes them. 422 for tickets that the caller may not see.
 */
export async function batchClassify(context: RouteContext, ids: readonly number[]): Promise<Reply> {
  const errors: Record<string, (FieldError | string)[]> = {}
  ids.forEach((id, at) => {
    if (ids.indexOf(id) !== at) errors[`ticket_ids.${at}`] = ['The ticket is named twice']
  })
  const found = await lettersOf(context, ids)
  ids.forEach((id, at) => {
    if (!found.has(id)) errors[`ticket_ids.${at}`] = [fieldError('invalid_selection', 'The selected ticket is invalid')]
  })
  if (Object.keys(errors).length > 0) throw invalid(errors)
  const settings = await aiSettings(context)
  needs(settings, 'enabled')
  const total = ids.length
  if (settings.provider !== 'local') {
    return context.once(async ({ enqueue }) => {
      const job_id = await enqueue('ai.classify_batch', { ticket_ids: [...ids] }, { as: 'actor' })
      const data = { status: 'pending', job_id, total, classified: 0, classifications: [] }
      return { data, message: 'The tickets will be classified' }
    })
  }
  const judged: Judged[] = []
  for (const id of ids) judged.push(await judgeOne(context, found.get(id)!))
  return context.once(async (inner) => {
    const classifications: JsonObject[] = []
    for (const one of judged) classifications.push(await storeOne(inner, one))
    const data = { status: 'completed', job_id: null, total, classified: total, classifications }
    return { data, message: 'Tickets classified' }
  })
}

/** The job: one ticket after the other, as long as the person who asked may still see it. */
export async function runBatch(context: JobContext, payload: JsonObject): Promise<Json> {
  const ids = (payload.ticket_ids as readonly number[] | undefined) ?? []
  const found = await lettersOf(context, ids)
  const done: Json[] = []
  for (const letter of found.values()) {
    if (context.signal.aborted) break
    done.push((await storeOne(context, await judgeOne(context, letter))).id ?? null)
    await context.progress(Math.round((done.length / found.size) * 100))
  }
  return { classification_ids: done }
}

/** A ticket with its judgement. */
interface Judged {
  readonly letter: Letter
  readonly settings: AiSettings
  readonly judgement: Judgement
}

async function judgeOne(context: PluginContext, letter: Letter): Promise<Judged> {
  const settings = await aiSettings(context)
  return { letter, settings, judgement: await judge(context, settings, letter) }
}

async function storeOne(context: PluginContext, { judgement, letter, settings }: Judged): Promise<JsonObject> {
  const text = `${letter.subject}\n${letter.details}`
  return shape(await store(context, settings, { id: letter.id, text }, judgement))
}

/** The texts of the tickets that the caller may read, by id. */
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
