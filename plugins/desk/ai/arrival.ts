/**
 * Classifies new tickets automatically, where the desk wants that: a job judges each, and applies a field only when the
 * engine is sure enough of that field. ⇄
 */
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

/** `ai.arrived`: enqueues a job for each new ticket. */
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

/** The job. It never changes a value that the creator chose; a second run finds the first classification and stops. */
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
    // Values chosen in the meantime stay too.
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
