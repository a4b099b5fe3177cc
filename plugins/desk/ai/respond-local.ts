/** The local engine's replies: from the knowledge base and the reusable replies, each subject once. */
import { claims } from './claims.ts'
import { fourDigits } from './judgement.ts'
import type { Found } from './knowledge.ts'

export const TONES = ['professional', 'friendly', 'concise'] as const
export type Tone = (typeof TONES)[number]

export type Source = Pick<Found, 'type' | 'id' | 'title'>

export interface Suggestion {
  readonly tone: Tone
  readonly content: string
  readonly confidence: number
  readonly sources: readonly Source[]
}

/** The material for replies. */
export interface Material {
  /** How the customer is addressed; null where that is unknown. */
  readonly name: string | null
  readonly subject: string
  /** Best first. */
  readonly knowledge: readonly Found[]
}

interface Body {
  readonly text: string
  readonly confidence: number
  readonly sources: readonly Source[]
}

/** Less relevant sources are no answer. */
const RELEVANCE = 0.3

/** The sources that may be quoted to the customer. */
export function usable({ quote, relevance, title }: Found): boolean {
  return relevance >= RELEVANCE && quote !== '' && !claims(title)
}

/** At most `most` replies, best first: one of each source, then a question; the tones alternate. */
export function respondLocally(material: Material, most: number): readonly Suggestion[] {
  return [...material.knowledge.filter(usable).map(bodyOf), question(material.subject)]
    .filter(({ text }, at, all) => all.findIndex((other) => other.text === text) === at)
    .slice(0, most)
    .map(({ text, ...rest }, at) => {
      const tone = TONES[at % TONES.length]!
      return { tone, content: inTone(tone, material.name, text), ...rest }
    })
}

function bodyOf({ id, quote, relevance, title, type }: Found): Body {
  const sources = [{ type, id, title }]
  if (type === 'reply') return { text: quote, confidence: fourDigits(0.9 * relevance), sources }
  return { text: `Our help pages say about “${title}”: ${quote}`, confidence: fourDigits(0.7 * relevance), sources }
}

/** Without knowledge about the subject the reply says nothing about it. */
function question(subject: string): Body {
  const text = `This is about your request “${subject}”. What did you do before, what did you expect, and what happened instead? A picture or the exact words of a message often help.`
  return { text, confidence: 0.1, sources: [] }
}

function inTone(tone: Tone, name: string | null, body: string): string {
  if (tone === 'concise') return body
  if (tone === 'friendly') {
    return `Hi ${name ?? 'there'},\n\nThanks for getting in touch!\n\n${body}\n\nJust reply here if anything is still open.`
  }
  return `Dear ${name ?? 'customer'},\n\nThank you for contacting us.\n\n${body}\n\nPlease let us know if you need anything further.\n\nKind regards`
}
