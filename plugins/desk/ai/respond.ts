/** Replies to a ticket by the engine that is set; a server is given the same matter and may use nothing else. ⇄ */
import type { JsonObject, JsonSchema, PluginContext } from '../../../engine/index.ts'
import { findKnowledge } from './knowledge.ts'
import { type Material, respondLocally, type Source, type Suggestion, TONES } from './respond-local.ts'
import { ask, ServerFailure } from './server.ts'
import type { AiSettings } from './settings.ts'
import { similarAnswers } from './similar.ts'

export interface Responses {
  readonly suggestions: readonly Suggestion[]
  readonly provider: string
  readonly failure?: string
}

const DETAILS = 6_000
const COMMENTS = 10

/** Replies to a ticket, as the caller may read it; `hint` is what the caller adds to the question. */
export async function respond(
  context: PluginContext,
  settings: AiSettings,
  ticket: JsonObject,
  hint: string,
): Promise<Responses> {
  const text = `${ticket.subject}\n${ticket.details}\n${hint}`
  const answers = await similarAnswers(context, text, Number(ticket.id))
  const knowledge = await findKnowledge(context, text, settings.kb_max_suggestions)
  const material: Material = { name: nameOf(ticket), subject: String(ticket.subject), answers, knowledge }
  const locally = () => respondLocally(material, settings.max_suggestions)
  if (settings.provider === 'local') return { suggestions: locally(), provider: 'local' }
  try {
    const suggestions = await respondByServer(context, settings, ticket, hint, material)
    return { suggestions, provider: settings.provider }
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error
    context.log.warn({ reason: error.message }, 'the AI server failed; the local engine answered')
    return { suggestions: locally(), provider: 'local', failure: error.message }
  }
}

function nameOf({ contact, user }: JsonObject): string | null {
  for (const person of [user, contact]) {
    const name = isObject(person) ? person.first_name : undefined
    if (typeof name === 'string' && name !== '') return name
  }
  return null
}

/** What was said in public, oldest first: internal comments are not for anything that a customer may read. */
function publicComments({ comments }: JsonObject): readonly string[] {
  const list = Array.isArray(comments) ? comments.filter(isObject) : []
  return list
    .filter(({ is_internal }) => is_internal === false)
    .map(({ comment }) => String(comment))
    .slice(-COMMENTS)
}

interface Reply {
  readonly suggestions: readonly (Pick<Suggestion, 'tone' | 'content' | 'confidence'> & {
    readonly sources: readonly string[]
  })[]
}

async function respondByServer(
  context: PluginContext,
  settings: AiSettings,
  ticket: JsonObject,
  hint: string,
  material: Material,
): Promise<readonly Suggestion[]> {
  const sources = sourcesOf(material)
  const data = {
    ticket: {
      subject: String(ticket.subject),
      details: String(ticket.details).slice(0, DETAILS),
      comments: publicComments(ticket),
      customer: material.name,
    },
    hint,
    sources: sources.map(({ ref, text, title }) => ({ ref, title, text })),
  }
  const { suggestions } = await ask<Reply>(context, settings, {
    instructions: `Write up to ${settings.max_suggestions} replies to the customer, in the tones ${TONES.join(', ')}. Rely on "sources" alone and name those you used by "ref"; promise nothing that they do not say, and write no link that does not stand in them.`,
    data,
    schema: replySchema(
      settings.max_suggestions,
      sources.map(({ ref }) => ref),
    ),
  })
  const allowed = sources.map(({ text }) => text).join('\n')
  return suggestions.map(({ confidence, content, sources: refs, tone }) => {
    refuseLinks(content, allowed)
    const used = sources.filter(({ ref }) => refs.includes(ref)).map(({ source }) => source)
    return { tone, content, confidence: Math.round(confidence * 10_000) / 10_000, sources: used }
  })
}

/** Only sources that were given fit; an enum may not be empty, and '' names none. */
function replySchema(most: number, refs: readonly string[]): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['suggestions'],
    properties: {
      suggestions: {
        type: 'array',
        minItems: 1,
        maxItems: most,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['tone', 'content', 'confidence', 'sources'],
          properties: {
            tone: { enum: [...TONES] },
            content: { type: 'string', minLength: 1, maxLength: 10_000 },
            confidence: { type: 'number', minimum: 0, maximum: 1 },
            sources: { type: 'array', maxItems: 20, items: { enum: [...refs, ''] } },
          },
        },
      },
    },
  }
}

function sourcesOf({
  answers,
  knowledge,
}: Material): readonly { ref: string; title: string; text: string; source: Source }[] {
  return [
    ...knowledge.map(({ excerpt, id, title, type }) => ({
      ref: `${type}:${id}`,
      title,
      text: excerpt,
      source: { type, id, title },
    })),
    ...answers.slice(0, 5).map(({ answer, subject, ticket }) => ({
      ref: `ticket:${ticket}`,
      title: subject,
      text: answer,
      source: { type: 'ticket' as const, id: ticket, title: subject },
    })),
  ]
}

const LINKS = /(?:https?:\/\/|www\.)[^\s)\]>"']+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gi

/** A ticket may have talked the server into sending customers somewhere: only links and addresses of our sources pass. */
function refuseLinks(content: string, allowed: string): void {
  const known = new Set(linksIn(allowed))
  if (linksIn(content).some((link) => !known.has(link))) {
    throw new ServerFailure('the answer held a link of unknown origin', false)
  }
}

function linksIn(text: string): readonly string[] {
  return [...text.matchAll(LINKS)].map(([link]) => link.toLowerCase().replace(/[.,;:!?/]+$/, ''))
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
