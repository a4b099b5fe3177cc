/**
 * Classifications as records: made from a judgement, returned, found, and applied to their ticket. Also the record of
 * each use of the AI. ⇄
 */
import { ApiError, fieldError, invalid, type Json, type JsonObject, type PluginContext } from '../../../engine/index.ts'
import type { Judgement } from './judgement.ts'
import { TARGETS, type Target } from './model.ts'
import { type Mood, sentimentOf } from './sentiment.ts'
import type { AiSettings } from './settings.ts'

const KEYS = [
  'id',
  'ticket_id',
  'priority_id',
  'category_id',
  'department_id',
  'type_id',
  'priority',
  'category',
  'department',
  'type',
] as const

/** The settings that a classification suggests, by field of the ticket. */
export type Suggested = Readonly<Record<`${Target}_id`, number | null>>

export function suggestedBy({ verdicts }: Judgement): Suggested {
  const ids = verdicts.map(({ id, target }) => [`${target}_id`, id] as const)
  return Object.fromEntries(ids) as Record<`${Target}_id`, number | null>
}

/** The confidence of a judgement in each field; a field without a suggestion has none. */
export function confidencesBy({ verdicts }: Judgement): JsonObject {
  return Object.fromEntries(verdicts.map(({ confidence, id, target }) => [target, id === null ? null : confidence]))
}

/** Of classifications from before confidences were stored. */
const UNKNOWN: JsonObject = Object.fromEntries(TARGETS.map((target) => [target, null]))

/** A stored classification in the form of answers. */
export function shape(record: JsonObject): JsonObject {
  return {
    ...Object.fromEntries(KEYS.map((key) => [key, record[key] ?? null])),
    confidence: Number(record.confidence),
    confidences: record.confidences ?? UNKNOWN,
    reasoning: record.reasoning ?? '',
    provider: record.provider ?? 'local',
    applied: record.applied ?? false,
    applied_fields: record.applied_fields ?? [],
    applied_at: record.applied_at ?? null,
    created_at: record.created_at ?? null,
  }
}

/** Stores a judgement of a ticket and returns the record; `automatic` when the desk itself asked. */
export async function store(
  context: PluginContext,
  settings: AiSettings,
  ticket: { readonly id: number; readonly text: string },
  judgement: Judgement,
  automatic = false,
): Promise<JsonObject> {
  const mood = settings.sentiment_enabled ? sentimentOf(ticket.text) : undefined
  const details = judgement.verdicts.map(({ confidence, id, reason, target }) => ({ target, id, confidence, reason }))
  const record = await context.records('ai_classifications', 'system').create({
    ticket_id: ticket.id,
    ...suggestedBy(judgement),
    confidence: judgement.confidence.toFixed(4),
    confidences: confidencesBy(judgement),
    reasoning: judgement.reasoning,
    provider: judgement.provider,
    details,
    automatic,
    sentiment: mood?.sentiment ?? null,
    sentiment_score: mood === undefined ? null : mood.score.toFixed(4),
  })
  await used(context, {
    kind: 'classification',
    provider: judgement.provider,
    ticket: ticket.id,
    fellBack: judgement.failure !== undefined,
  })
  return record
}

/** The classification of this id on this ticket; 422 where the ticket has none. */
export async function classificationOf(context: PluginContext, ticket: number, id: number): Promise<JsonObject> {
  const found = await context.model('ai_classifications').query().findOne({ id, ticket_id: ticket }).select('id')
  if (found === undefined)
    throw invalid({ classification_id: [fieldError('invalid_selection', 'The selected classification is invalid')] })
  return context.records('ai_classifications', 'system').get(id)
}

/**
 * Writes the suggestions of a classification to its ticket, as the caller and by the rules of tickets; `but` names
 * fields that stay. Repeating it changes nothing; without any field it applies nothing. 409 when a suggested setting is
 * gone.
 */
export async function applyTo(
  context: PluginContext,
  ticket: JsonObject,
  classification: JsonObject,
  but: readonly string[] = [],
): Promise<JsonObject> {
  const fields = TARGETS.map((target) => `${target}_id`).filter(
    (field) => (classification[field] ?? null) !== null && !but.includes(field),
  )
  if (but.length > 0 && fields.length === 0) return classification
  const changed = fields.filter((field) => classification[field] !== ticket[field])
  const changes: Record<string, Json> = Object.fromEntries(
    changed.map((field) => [field, classification[field] ?? null]),
  )
  // A sub-category belongs to its category, and is written with it.
  if (changes.category_id !== undefined && (ticket.sub_category_id ?? null) !== null) changes.sub_category_id = null
  if (Object.keys(changes).length > 0) await update(context, Number(ticket.id), changes)
  const before = Array.isArray(classification.applied_fields) ? classification.applied_fields : []
  const applied_fields = TARGETS.map((target) => `${target}_id`).filter(
    (field) => before.includes(field) || fields.includes(field),
  )
  if (classification.applied === true && applied_fields.length === before.length) return classification
  const applied_at = classification.applied_at ?? context.now().toISOString()
  const stamp = { applied: true, applied_at, applied_fields }
  return context.records('ai_classifications', 'system').update(Number(classification.id), stamp)
}

async function update(context: PluginContext, id: number, changes: JsonObject): Promise<void> {
  try {
    await context.records('tickets').update(id, changes)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
    throw new ApiError('conflict', { message: 'The classification suggests a setting that no longer exists' })
  }
}

interface Use {
  readonly kind: 'classification' | 'responses' | 'sentiment'
  readonly provider: string
  readonly ticket?: number
  readonly fellBack?: boolean
  readonly sentiment?: Mood
  readonly score?: number
}

/** Stores one use of the AI: who answered, and never the question. */
export async function used(context: PluginContext, use: Use): Promise<void> {
  await context.records('ai_uses', 'system').create({
    kind: use.kind,
    provider: use.provider,
    ticket_id: use.ticket ?? null,
    fell_back: use.fellBack ?? false,
    sentiment: use.sentiment ?? null,
    score: use.score === undefined ? null : use.score.toFixed(4),
  })
}
