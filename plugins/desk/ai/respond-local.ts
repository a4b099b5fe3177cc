/** The local engine's replies: what was answered before and what the knowledge base says, in several tones. */
import type { Found } from './knowledge.ts'
import type { Answered } from './similar.ts'

export const TONES = ['professional', 'friendly', 'concise'] as const
export type Tone = (typeof TONES)[number]

export interface Source {
  readonly type: 'ticket' | 'article' | 'faq'
  readonly id: number
  readonly title: string
}

export interface Suggestion {
  readonly tone: Tone
  readonly content: string
  readonly confidence: number
  readonly sources: readonly Source[]
}

/** What a reply may be made of. */
export interface Material {
  /** How the customer is addressed; null when nobody knows. */
  readonly name: string | null
  readonly subject: string
  readonly answers: readonly Answered[]
  readonly knowledge: readonly Found[]
}

interface Body {
  readonly text: string
  readonly confidence: number
  readonly sources: readonly Source[]
}

const ARTICLE_RELEVANCE = 0.3
const ANSWER_LIKENESS = 0.2

/** At most `most` replies, best first: the best matter in each tone, then the next. */
export function respondLocally(material: Material, most: number): readonly Suggestion[] {
  return bodies(material)
    .flatMap(({ confidence, sources, text }) =>
      TONES.map((tone) => ({ tone, content: inTone(tone, material.name, text), confidence, sources })),
    )
    .slice(0, most)
}

function bodies({ answers, knowledge, subject }: Material): readonly Body[] {
  const [article] = knowledge
  const more = article !== undefined && article.relevance >= ARTICLE_RELEVANCE ? article : undefined
  const fromAnswers = answers
    .filter(({ likeness }) => likeness >= ANSWER_LIKENESS)
    .map(({ answer, likeness, subject: title, ticket }, index): Body => {
      const known = index === 0 && more !== undefined
      return {
        text: withoutAddress(answer) + (known ? `\n\nYou may also find “${more.title}” in our help pages useful.` : ''),
        confidence: rounded(0.9 * likeness),
        sources: [{ type: 'ticket', id: ticket, title }, ...(known ? [sourceOf(more)] : [])],
      }
    })
  const fromKnowledge = knowledge
    .filter(({ relevance }) => relevance >= ARTICLE_RELEVANCE)
    .map((found): Body => {
      const text = `Our help pages say about “${found.title}”: ${found.excerpt}`
      return { text, confidence: rounded(0.7 * found.relevance), sources: [sourceOf(found)] }
    })
  const told = [...fromAnswers, ...fromKnowledge].sort((a, b) => b.confidence - a.confidence)
  if (told.length > 0) return told
  const text = `We have received your request “${subject}” and are looking into it. So that we can help you faster, please tell us what you did before, what you expected, and what happened instead.`
  return [{ text, confidence: 0.1, sources: [] }]
}

function sourceOf({ id, title, type }: Found): Source {
  return { type, id, title }
}

/** How a signature begins, and in how many lines from the end it is looked for. */
const SIGNATURE = /^(?:(?:best|kind|warm) )?(?:regards|wishes)\b/i
const SIGNATURE_LINES = 6

/** An old answer greets somebody else: its greeting and its signature go. */
function withoutAddress(answer: string): string {
  const greeted = answer.replace(/^(?:hi|hello|dear|good (?:morning|afternoon|evening))\b[^\n,!.]{0,60}[,!.]?\s/i, '')
  const lines = greeted.split('\n')
  // Line by line: one pattern over the whole text tries every run of blanks against every other.
  const signed = lines.findIndex((line, i) => i >= lines.length - SIGNATURE_LINES && SIGNATURE.test(line.trim()))
  const text = (signed < 1 ? lines : lines.slice(0, signed)).join('\n').trim()
  return text === '' ? answer : text.charAt(0).toUpperCase() + text.slice(1)
}

function inTone(tone: Tone, name: string | null, body: string): string {
  if (tone === 'concise') return body
  if (tone === 'friendly') {
    return `Hi ${name ?? 'there'},\n\nThanks for getting in touch!\n\n${body}\n\nJust reply here if anything is still open. We are happy to help!`
  }
  return `Dear ${name ?? 'customer'},\n\nThank you for contacting us.\n\n${body}\n\nPlease let us know if you need anything further.\n\nKind regards`
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
