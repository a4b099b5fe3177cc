/** Replies to a ticket by the configured engine; a server gets the same material and may use nothing else. ⇄ */
import { isObject, type JsonObject, type JsonSchema, type PluginContext } from '../../../engine/index.ts'
import { type Answerer, byEngine } from './by-engine.ts'
import { firstClaim } from './claims.ts'
import { fourDigits } from './judgement.ts'
import { type Found, findKnowledge, type Kind } from './knowledge.ts'
import { type Material, respondLocally, type Source, type Suggestion, TONES, usable } from './respond-local.ts'
import { ask, ServerFailure } from './server.ts'
import type { AiSettings } from './settings.ts'

const LINKS: readonly RegExp[] = [
  // With a scheme, or without: `//host/path` leads to the host by the scheme of the page.
  /[a-z][a-z0-9+.-]{0,30}:[^\s)\]>"']+/giu,
  /[\\/]{2}[^\s)\]>"']+/gu,
  // A name with dots, with or without a path or an address before it; numbers with three dots too.
  /(?:[\p{L}\p{N}._%+-]{1,64}@)?[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){0,8}\.\p{L}[\p{L}\p{N}-]{1,63}(?:[:/?#][^\s)\]>"']*)?/giu,
  /\d{1,3}(?:\.\d{1,3}){3}(?:[:/?#][^\s)\]>"']*)?/gu,
  // The target of a Markdown link.
  /\]\([^)\s]*/gu,
]

/** The links of a text in lower case, each in its written form. */
function linksIn(text: string): readonly string[] {
  const plain = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replaceAll('。', '.')
    .toLowerCase()
  return LINKS.flatMap((pattern) => [...plain.matchAll(pattern)].map(([link]) => trimmed(link)))
}

function trimmed(link: string): string {
  let end = link.length
  while (end > 0 && '.,;:!?/*_'.includes(link[end - 1]!)) end -= 1
  return link.slice(0, end)
}

export interface Responses extends Answerer {
  readonly suggestions: readonly Suggestion[]
}

const DETAILS = 6_000
const COMMENTS = 10
const KINDS: readonly Kind[] = ['article', 'faq', 'reply']
/** A source that fits the subject this well comes before those that only fit the rest of the letter. */
const FITS = 0.5

/** Replies to a ticket, as the caller may read it; `hint` is the caller's addition to the question. */
export async function respond(
  context: PluginContext,
  settings: AiSettings,
  ticket: JsonObject,
  hint: string,
): Promise<Responses> {
  const knowledge = await sourcesFor(context, ticket, hint, settings.kb_max_suggestions)
  const material: Material = { name: nameOf(ticket), subject: String(ticket.subject), knowledge }
  // Without material a server would invent something.
  const served = knowledge.some(usable)
  return byEngine(context, settings, {
    locally: () => ({ suggestions: respondLocally(material, settings.max_suggestions) }),
    ...(served && {
      byServer: async () => ({ suggestions: await respondByServer(context, settings, ticket, hint, material) }),
    }),
  })
}

/** Sources for the subject first, then for the whole letter; each once, at most `limit`. */
async function sourcesFor(
  context: PluginContext,
  ticket: JsonObject,
  hint: string,
  limit: number,
): Promise<readonly Found[]> {
  const bySubject = await findKnowledge(context, `${ticket.subject}\n${hint}`, limit, KINDS)
  const byLetter = await findKnowledge(context, `${ticket.details}\n${hint}`, limit, KINDS)
  const [fitting, rest] = [bySubject.filter(fits), bySubject.filter((one) => !fits(one))]
  const others = [...rest, ...byLetter].sort((a, b) => b.relevance - a.relevance)
  const ranked = [...fitting, ...others]
  return ranked
    .filter((one, at) => ranked.findIndex(({ id, type }) => id === one.id && type === one.type) === at)
    .slice(0, limit)
}

function fits({ relevance }: Found): boolean {
  return relevance >= FITS
}

function nameOf({ contact, user }: JsonObject): string | null {
  for (const person of [user, contact]) {
    const name = isObject(person) ? person.first_name : undefined
    if (typeof name === 'string' && name !== '') return name
  }
  return null
}

/** Public comments, oldest first: a reply to a customer must not use internal ones. */
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
    instructions: `Write up to ${settings.max_suggestions} replies to the customer, in the tones ${TONES.join(', ')}. Rely on "sources" alone and name those you used by "ref". Each reply goes by another source than the ones before it; the same matter in another tone is no second reply. Never say or promise that anybody did, does or will do something, and write no link that does not stand in the sources.`,
    data,
    schema: replySchema(
      settings.max_suggestions,
      sources.map(({ ref }) => ref),
    ),
  })
  const allowed = sources.map(({ text }) => text).join('\n')
  const fit = suggestions.map(({ confidence, content, sources: refs, tone }) => {
    refuseLinks(content, allowed)
    const used = sources.filter(({ ref }) => refs.includes(ref)).map(({ source }) => source)
    return { tone, content, confidence: fourDigits(confidence), sources: used }
  })
  return kept(fit)
}

/**
 * Leaves out replies that claim a deed, have no source, or repeat an earlier one; a ServerFailure where none is left.
 */
function kept(suggestions: readonly Suggestion[]): readonly Suggestion[] {
  const honest = suggestions.filter(({ content }) => firstClaim(content) === undefined)
  if (honest.length === 0) throw new ServerFailure('the answer claimed or promised what nobody did', false)
  const seen = new Set<string>()
  const different = honest.filter(({ sources }) => {
    const matter = sources.map(({ id, type }) => `${type} ${id}`)
    const fresh = matter.some((one) => !seen.has(one))
    for (const one of matter) seen.add(one)
    return fresh
  })
  if (different.length === 0) throw new ServerFailure('the answer went by no source', false)
  return different
}

/** Only given sources fit; an enum must not be empty, and '' names none. */
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

function sourcesOf({ knowledge }: Material): readonly { ref: string; title: string; text: string; source: Source }[] {
  return knowledge.filter(usable).map(({ id, quote, title, type }) => ({
    ref: `${type}:${id}`,
    title,
    text: quote,
    source: { type, id, title },
  }))
}

/**
 * A ticket may have talked the server into sending customers somewhere: only links and addresses of our sources pass.
 */
function refuseLinks(content: string, allowed: string): void {
  const known = new Set(linksIn(allowed))
  if (linksIn(content).some((link) => !known.has(link))) {
    throw new ServerFailure('the answer held a link of unknown origin', false)
  }
}
