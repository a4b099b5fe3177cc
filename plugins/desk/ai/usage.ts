/** Remembers that the AI was used, by whom it was answered, and never what was asked; for the analytics. ⇄ */
import type { PluginContext } from '../../../engine/index.ts'
import type { Mood } from './sentiment.ts'

export interface Use {
  readonly kind: 'classification' | 'responses' | 'sentiment'
  readonly provider: string
  readonly ticket?: number
  readonly fellBack?: boolean
  readonly sentiment?: Mood
  readonly score?: number
}

/** Stores one use. */
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
