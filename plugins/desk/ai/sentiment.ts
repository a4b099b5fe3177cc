/**
 * The mood of a text, by the configured engine: its score, the confidence, the urgency, and the phrases that show it. ⇄
 */
import type { PluginContext } from '../../../engine/index.ts'
import { type Answerer, byEngine } from './by-engine.ts'
import { INTENSITY, NEGATIONS, TURNS, weightOf } from './lexicon.ts'
import { ask } from './server.ts'
import type { AiSettings } from './settings.ts'

export type Mood = 'positive' | 'neutral' | 'negative'
export type Urgency = 'low' | 'medium' | 'high' | 'critical'

interface Sentiment {
  readonly sentiment: Mood
  /** −1 to 1. */
  readonly score: number
  /** 0 to 1. */
  readonly confidence: number
  readonly urgency: Urgency
  readonly key_phrases: readonly string[]
}

interface Weighed {
  readonly phrase: string
  readonly weight: number
}

/** The distance in front of a word in which a negation or an intensifier counts. */
const REACH = 3
const PHRASES = 6
/** A score nearer to 0 is neutral. */
const EDGE = 0.15
const CRITICAL =
  /\b(emergency|outage|data (?:loss|breach)|security breach|hacked|everyone is (?:down|blocked)|production (?:is )?down|site (?:is )?down|nobody can (?:work|sign in|log ?in))\b/gi
const PRESSING =
  /\b(urgent(?:ly)?|asap|as soon as possible|immediately|right now|today|critical|deadline|cannot work|can't work|locked out|still waiting|third time|escalate|lawyer|charged twice|unacceptable)\b/gi
const UNHURRIED =
  /\b(no (?:hurry|rush)|whenever|when you have time|not urgent|just wondering|would be nice|feature|suggestion)\b/gi

/** The mood of a text of any length; deterministic. */
export function sentimentOf(text: string): Sentiment {
  const weighed = weigh(text)
  const sum = weighed.reduce((total, { weight }) => total + weight, 0)
  const size = weighed.reduce((total, { weight }) => total + Math.abs(weight), 0)
  const shouting = /[!]{2,}/.test(text) || (text.match(/\b\p{Lu}{4,}\b/gu)?.length ?? 0) >= 2
  // The root keeps calm parts from hiding the mood of long letters; the constant keeps one word from deciding
  // everything.
  const score = clip((sum / Math.sqrt(sum * sum + 15)) * (shouting && sum < 0 ? 1.2 : 1))
  const agreement = size === 0 ? 0 : Math.abs(sum) / size
  const mood: Mood = score >= EDGE ? 'positive' : score <= -EDGE ? 'negative' : 'neutral'
  const evidence = size / (size + 4)
  const confidence = mood === 'neutral' ? 0.8 - 0.4 * evidence : 0.4 + 0.55 * evidence * agreement
  return {
    sentiment: mood,
    score: rounded(score),
    confidence: rounded(confidence),
    urgency: urgencyOf(text, score),
    key_phrases: phrasesOf(text, weighed),
  }
}

function weigh(text: string): readonly Weighed[] {
  const found: Weighed[] = []
  for (const sentence of text.slice(0, 20_000).split(/[.!?\n;]+/)) {
    const words =
      sentence
        .toLowerCase()
        .replaceAll('’', "'")
        .match(/[\p{L}']+/gu) ?? []
    const turn = words.findIndex((word) => TURNS.has(word))
    words.forEach((word, at) => {
      const base = NEGATIONS.has(word) && words.slice(at + 1, at + 1 + REACH).some(weightOf) ? 0 : weightOf(word)
      if (base === 0) return
      const before = words.slice(Math.max(0, at - REACH), at)
      const turned = before.filter((one) => NEGATIONS.has(one)).length % 2 === 1
      const strength = before.slice(-2).reduce((factor, one) => factor * (INTENSITY.get(one) ?? 1), 1)
      const part = turn > at ? 0.5 : 1
      const start = before.findIndex((one) => NEGATIONS.has(one) || INTENSITY.has(one))
      const phrase = [...(start < 0 ? [] : before.slice(start)), word].join(' ')
      // "Not good" is less than bad, and "not bad" less than good.
      found.push({ phrase, weight: base * strength * part * (turned ? -0.6 : 1) })
    })
  }
  return found
}

function urgencyOf(text: string, score: number): Urgency {
  const calm = matches(UNHURRIED, text).length
  const pressing = matches(PRESSING, text.replace(UNHURRIED, ' ')).length
  if (matches(CRITICAL, text).length > 0) return 'critical'
  const points = pressing * 2 + (score < -0.6 ? 1 : 0) - calm
  if (points >= 5) return 'critical'
  if (points >= 2) return 'high'
  return points >= 0 && (calm === 0 || score < -EDGE) ? 'medium' : 'low'
}

/** The strongest phrases and signs of urgency. */
function phrasesOf(text: string, weighed: readonly Weighed[]): readonly string[] {
  const byWeight = [...weighed].sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight)).map(({ phrase }) => phrase)
  return [...new Set([...matches(CRITICAL, text), ...matches(PRESSING, text), ...byWeight])].slice(0, PHRASES)
}

function matches(pattern: RegExp, text: string): readonly string[] {
  return [...text.slice(0, 20_000).matchAll(pattern)].map(([found]) => found.toLowerCase())
}

function clip(value: number): number {
  return Math.max(-1, Math.min(1, value))
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000 + 0
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
