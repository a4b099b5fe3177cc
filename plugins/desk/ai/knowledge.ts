/**
 * Knowledge: finds the published articles, FAQs and reusable replies that answer a text, by full text in two languages
 * and by similarity. ⇄
 */
import type { PluginContext, Row } from '../../../engine/index.ts'
import { claims, sentencesOf, withoutClaims } from './claims.ts'
import { fourDigits } from './judgement.ts'
import { tellingWords } from './words.ts'

export type Kind = 'article' | 'faq' | 'reply'

export interface Found<K extends Kind = Kind> {
  readonly type: K
  readonly id: number
  readonly title: string
  readonly excerpt: string
  /** The same for an answer: without claims and promises; may be empty. */
  readonly quote: string
  /** 0 to 1. */
  readonly relevance: number
}

/** The most words of a text to search for, from its beginning: a subject says more than the end of a letter. */
const MOST_WORDS = 24
/** Typing errors are forgiven in short questions; a letter has enough correct words. */
const FUZZY_WORDS = 6
const LIKENESS = 0.45
/** Records that are ranked; a question that matches more is no question. */
const CANDIDATES = 300
const LEAST_RELEVANCE = 0.12
const EXCERPT = 240
/** Characters of a text in which quotes are searched. */
const QUOTED = 20_000

/** The place of a kind, and the field that says whether it is public; a resource without that field is public. */
interface Place {
  readonly resource: string
  readonly title: string
  readonly text: string
  readonly published?: string
}

const SOURCES: Readonly<Record<Kind, Place>> = {
  article: { resource: 'knowledge_base', title: 'title', text: 'details', published: 'published' },
  faq: { resource: 'faqs', title: 'name', text: 'details', published: 'status' },
  reply: { resource: 'replies', title: 'title', text: 'text' },
}

/** What the caller may read and what may be quoted to everybody, best first; at most `limit`. */
export async function findKnowledge<K extends Kind>(
  context: PluginContext,
  text: string,
  limit: number,
  kinds: readonly K[],
): Promise<readonly Found<K>[]> {
  const words = [...new Set(tellingWords(text).map((word) => word.replace(/['’].*$/u, '')))].slice(0, MOST_WORDS)
  const present = kinds.filter((kind) => isSource(context, SOURCES[kind]))
  if (words.length === 0 || present.length === 0) return []
  const rows = await candidates(context, words, present)
  const usual = usualness(rows)
  const weight = (word: string): number => weightOf(word, usual, rows.length)
  const all = words.reduce((sum, word) => sum + weight(word), 0)
  return rows
    .map((row) => ({ row, relevance: relevanceOf(row, words, weight, all) }))
    .filter(({ relevance }) => relevance >= LEAST_RELEVANCE)
    .sort((a, b) => b.relevance - a.relevance || (keyOf(a.row) < keyOf(b.row) ? -1 : 1))
    .slice(0, limit)
    .map(({ relevance, row }) => ({ ...quoted<K>(row), relevance }))
}

/** Whether an application has the texts; a resource of the same name may have others. */
function isSource({ catalog }: PluginContext, { resource, title, text }: Place): boolean {
  const fields = catalog.resources.get(resource)?.fields
  return fields?.has(title) === true && fields.has(text)
}

/** Sorts by kind, then by id. */
function keyOf([type, id]: Row): string {
  return `${type} ${id?.padStart(12, '0')}`
}

/** type, id, title, text, the asked words in it, its rank and the similarity of its title, as texts. */
async function candidates(
  context: PluginContext,
  words: readonly string[],
  kinds: readonly Kind[],
): Promise<readonly Row[]> {
  const values: unknown[] = [
    words,
    words.map((word) => `%${stem(word)}%`),
    words.map((word) => `'${word}'`).join(' | '),
  ]
  const fuzzy = words.length <= FUZZY_WORDS
  const parts = kinds.map((kind) => {
    const { published = '', resource, text, title } = SOURCES[kind]
    const { fields, table } = context.catalog.resources.get(resource)!
    const flag = fields.get(published)
    const isPublic = flag === undefined ? 'true' : `r."${flag.column}"`
    const like = `(select max(word_similarity(w, r.${title})) from unnest($1::text[]) w)`
    return `select '${kind}' as type, r.id, r.${title} as title, r.${text} as details, ${fuzzy ? like : '0'} as likeness
      from "${table}" r where ${context.readable(resource, 'r', values)} and ${isPublic}
      and (r.${title} ilike any($2::text[]) or r.${text} ilike any($2::text[])${fuzzy ? ` or ${like} >= ${LIKENESS}` : ''})`
  })
  const text = `with plinth_found as (select * from (${parts.join(' union all ')}) f limit ${CANDIDATES}),
    plinth_ready as (select f.*, setweight(to_tsvector('english', title) || to_tsvector('simple', title), 'A')
      || setweight(to_tsvector('english', left(details, 20000)) || to_tsvector('simple', left(details, 20000)), 'C') as words
      from plinth_found f)
    select type, id, title, details,
      (select coalesce(json_agg(u.word), '[]') from unnest($1::text[]) as u(word)
        where words @@ plainto_tsquery('english', u.word) or words @@ plainto_tsquery('simple', u.word)),
      ts_rank(words, to_tsquery('english', $3) || to_tsquery('simple', $3)), likeness
    from plinth_ready order by type, id`
  return context.database.adhoc.run({ text }, values)
}

/** The stem of a word for a first, broad search. */
function stem(word: string): string {
  return word.length <= 4 ? word : word.replace(/(?:ings?|ed|es|s|y|ies)$/u, '').slice(0, 8)
}

function hits(row: Row): readonly string[] {
  return JSON.parse(row[4] ?? '[]') as string[]
}

/** The number of rows with each word. */
function usualness(rows: readonly Row[]): ReadonlyMap<string, number> {
  const usual = new Map<string, number>()
  for (const word of rows.flatMap(hits)) usual.set(word, (usual.get(word) ?? 0) + 1)
  return usual
}

function weightOf(word: string, usual: ReadonlyMap<string, number>, rows: number): number {
  return Math.log(1 + (rows + 1) / ((usual.get(word) ?? 0) + 1))
}

function relevanceOf(row: Row, words: readonly string[], weight: (word: string) => number, all: number): number {
  const own = hits(row)
  // An article need not share every word of a long letter: five characteristic ones are a full answer.
  const most = Math.min(all, (all / words.length) * 5)
  const share = Math.min(1, own.reduce((sum, word) => sum + weight(word), 0) / most)
  const rank = Math.min(1, Number(row[5]) * 1.5)
  const relevance = Math.max(0.65 * share + 0.35 * rank, own.length === 0 ? 0.5 * Number(row[6]) : 0)
  return fourDigits(relevance)
}

function quoted<K extends Kind>(row: Row): Omit<Found<K>, 'relevance'> {
  const [type, id, title, details] = row
  const own = hits(row)
  const text = (details ?? '').slice(0, QUOTED)
  const quote = type === 'reply' ? withoutClaims(text) : excerptOf(text, own, (sentence) => !claims(sentence))
  return { type: type as K, id: Number(id), title: title ?? '', excerpt: excerptOf(details ?? '', own), quote }
}

/** The sentences around the one with most of the words, within a few lines. */
function excerptOf(details: string, words: readonly string[], keep?: (sentence: string) => boolean): string {
  const all = sentencesOf(details.replace(/\s+/g, ' ').trim())
  const sentences = keep === undefined ? all : all.filter(keep)
  const points = sentences.map((one) => words.filter((word) => one.toLowerCase().includes(stem(word))).length)
  const best = points.indexOf(Math.max(...points))
  let excerpt = ''
  for (const sentence of sentences.slice(Math.max(0, best))) {
    if (excerpt !== '' && excerpt.length + sentence.length > EXCERPT) break
    excerpt += sentence
  }
  const text = excerpt.trim()
  return text.length <= EXCERPT ? text : `${[...text].slice(0, EXCERPT - 1).join('')}…`
}
