/** A new ticket is classified by itself where the desk wants that: judged by a job; each field is applied only when the engine is sure enough of that field. ⇄ */
import {
  ApiError,
  type Change,
  type HearingContext,
  type JobContext,
  type Json,
  type JsonObject,
} from '../../../engine/index.ts'
import { applyTo, shape, store } from './classification.ts'
import { judge } from './judge.ts'
import { TARGETS } from './model.ts'
import { aiSettings, recentSettings } from './settings.ts'

/** `ai.arrived`: leaves the judgement of new tickets to a job each. */
export async function arrived(context: HearingContext, changes: readonly Change[]): Promise<void> {
  const { auto_classify: wanted, enabled } = await recentSettings(context)
  if (!wanted || !enabled) return context.idle()
  const created = changes.filter(({ action }) => action === 'create')
  const orders = created.map(({ fields, recordId }) => {
    const chosen = fields.filter(({ given }) => given !== false).map(({ field }) => field)
    const given = TARGETS.map((target) => `${target}_id`).filter((field) => chosen.includes(field))
    return { ticket_id: recordId, given }
  })
  await context.enqueueEach(
    'ai.classify_new',
    orders.map((payload) => ({ payload })),
  )
}

/** The job. What the creator chose is never changed; run twice, it finds its first classification and stops. */
export async function classifyNew(context: JobContext, payload: JsonObject): Promise<Json> {
  const id = Number(payload.ticket_id)
  const given = (payload.given as readonly string[] | undefined) ?? []
  const before = await context.records('ai_classifications', 'system').list({ ticket_id: String(id), per_page: '1' })
  if (before.data.length > 0) return null
  const ticket = await present(context, id)
  const settings = await aiSettings(context)
  if (ticket === undefined || !settings.enabled) return null
  const letter = { subject: String(ticket.subject), details: String(ticket.details) }
  const judgement = await judge(context, settings, letter)
  const done = await context.transaction(async (within) => {
    const text = `${letter.subject}\n${letter.details}`
    const stored = await store(within, settings, { id, text }, judgement, true)
    const unsure = judgement.verdicts
      .filter(({ confidence }) => confidence < settings.confidence_threshold)
      .map(({ target }) => `${target}_id`)
    // What somebody chose in the meantime stays as well.
    const now = await within.records('tickets').get(id)
    const touched = TARGETS.map((target) => `${target}_id`).filter((field) => now[field] !== ticket[field])
    return shape(await applyTo(within, now, stored, [...given, ...touched, ...unsure]))
  })
  return { classification_id: done.id ?? null, applied: done.applied ?? false }
}

/** The ticket, unless it was deleted before the job began. */
async function present(context: JobContext, id: number): Promise<JsonObject | undefined> {
  try {
    return await context.records('tickets').get(id)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'record_not_found') return undefined
    throw error
  }
}
