/** The mood of a text by the engine that is set. ⇄ */
import type { PluginContext } from '../../../engine/index.ts'
import { type Sentiment, sentimentOf } from './sentiment.ts'
import { ask, ServerFailure } from './server.ts'
import type { AiSettings } from './settings.ts'

export interface Mooded extends Sentiment {
  readonly provider: string
  readonly failure?: string
}

const CHARACTERS = 10_000

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['sentiment', 'score', 'confidence', 'urgency', 'key_phrases'],
  properties: {
    sentiment: { enum: ['positive', 'neutral', 'negative'] },
    score: { type: 'number', minimum: -1, maximum: 1 },
    confidence: { type: 'number', minimum: 0, maximum: 1 },
    urgency: { enum: ['low', 'medium', 'high', 'critical'] },
    key_phrases: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 200 } },
  },
}

/** The mood of a text; the local engine stands in for a server that fails. */
export async function moodOf(context: PluginContext, settings: AiSettings, text: string): Promise<Mooded> {
  const locally = () => ({ ...sentimentOf(text), provider: 'local' })
  if (settings.provider === 'local') return locally()
  try {
    const found = await ask<Sentiment>(context, settings, {
      instructions:
        'Judge the mood of "text" towards the company: score from -1 to 1, how urgent it is, and the phrases that say so.',
      data: { text: text.slice(0, CHARACTERS) },
      schema: SCHEMA,
    })
    return { ...found, provider: settings.provider }
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error
    context.log.warn({ reason: error.message }, 'the AI server failed; the local engine answered')
    return { ...locally(), failure: error.message }
  }
}
