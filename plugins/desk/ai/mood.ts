/** The mood of a text by the engine that is set. ⇄ */
import type { PluginContext } from '../../../engine/index.ts'
import { type Answerer, byEngine } from './by-engine.ts'
import { type Sentiment, sentimentOf } from './sentiment.ts'
import { ask } from './server.ts'
import type { AiSettings } from './settings.ts'

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

/** The mood of a text; the local engine answers where a server fails. */
export function moodOf(context: PluginContext, settings: AiSettings, text: string): Promise<Sentiment & Answerer> {
  return byEngine(context, settings, {
    locally: () => sentimentOf(text),
    byServer: () =>
      ask<Sentiment>(context, settings, {
        instructions:
          'Judge the mood of "text" towards the company: score from -1 to 1, how urgent it is, and the phrases that say so.',
        data: { text: text.slice(0, CHARACTERS) },
        schema: SCHEMA,
      }),
  })
}
