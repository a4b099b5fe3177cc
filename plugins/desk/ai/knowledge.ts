/** Finds the published articles and FAQs that answer a text, by full text in two languages' rules and by likeness. ⇄ */
import type { PluginContext, Row } from '../../../engine/index.ts'
import { tellingWords } from './words.ts'

export interface Found {
  readonly type: 'article' | 'faq'
  readonly id: number
  readonly title: string
  readonly excerpt: string
  /** 0 to 1. */
  readonly relevance: number
}

/** Words of a text that are looked for, the first ones: a subject says more than the end of a letter. */
const MOST_WORDS = 24
/** Typing errors are forgiven in questions of a few words; in a letter there are words enough that are right. */
const FUZZY_WORDS = 6
const LIKENESS = 0.45
/** Records that are ranked; a question that fits more than these is no question. */
const CANDIDATES = 300
const LEAST_RELEVANCE = 0.12
const EXCERPT = 240

/** What the caller may read and everybody may be told, best first; at most `limit`. */
export async function findKnowledge(context: PluginContext, text: string, limit: number): Promise<readonly Found[]> {
  const words = [...new Set(tellingWords(text).map((word) => word.replace(/['’].*$/u, '')))].slice(0, MOST_WORDS)
  if (words.length === 0) return []
  const rows = await candidates(context, words)
  const usual = usualness(rows)
  const all = words.reduce((sum, word) => sum + weightOf(word, usual, rows.length), 0)
  return rows
    .map((row) => rated(row, words, (word) => weightOf(word, usual, rows.length), all))
    .filter(({ relevance }) => relevance >= LEAST_RELEVANCE)
    .sort((a, b) => b.relevance - a.relevance || (a.type < b.type ? -1 : a.type > b.type ? 1 : a.id - b.id))
    .slice(0, limit)
}

/** type, id, title, text, the words it has (of the asked ones), its rank and the likeness of its title, as texts. */
async function candidates(context: PluginContext, words: readonly string[]): Promise<readonly Row[]> {
  const values: unknown[] = [
    words,
    words.map((word) => `%${stem(word)}%`),
    words.map((word) => `'${word}'`).join(' | '),
  ]
  const fuzzy = words.length <= FUZZY_WORDS
  const part = (type: string, resource: string, title: string, published: string): string => {
    const { table } = context.catalog.resources.get(resource)!
    const like = `(select max(word_similarity(w, r.${title})) from unnest($1::text[]) w)`
    return `select '${type}' as type, r.id, r.${title} as title, r.details, ${fuzzy ? like : '0'} as likeness
      from "${table}" r where ${context.readable(resource, 'r', values)} and ${published}
      and (r.${title} ilike any($2::text[]) or r.details ilike any($2::text[])${fuzzy ? ` or ${like} >= ${LIKENESS}` : ''})`
  }
  const articles = part('article', 'knowledge_base', 'title', 'true')
  const faqs = part('faq', 'faqs', 'name', 'r.status')
  const text = `with found as (select * from (${articles} union all ${faqs}) f limit ${CANDIDATES}),
    ready as (select f.*, setweight(to_tsvector('english', title) || to_tsvector('simple', title), 'A')
      || setweight(to_tsvector('english', left(details, 20000)) || to_tsvector('simple', left(details, 20000)), 'C') as words
      from found f)
    select type, id, title, details,
      (select coalesce(json_agg(w), '[]') from unnest($1::text[]) w
        where words @@ plainto_tsquery('english', w) or words @@ plainto_tsquery('simple', w)),
      ts_rank(words, to_tsquery('english', $3) || to_tsquery('simple', $3)), likeness
    from ready order by type, id`
  return context.database.adhoc.run({ text }, values)
}

/** What endings leave of a word, for a first, wide look. */
function stem(word: string): string {
  return word.length <= 4 ? word : word.replace(/(?:ings?|ed|es|s|y|ies)$/u, '').slice(0, 8)
}

function hits(row: Row): readonly string[] {
  return JSON.parse(row[4] ?? '[]') as string[]
}

/** In how many of the rows each word stands. */
function usualness(rows: readonly Row[]): ReadonlyMap<string, number> {
  const usual = new Map<string, number>()
  for (const word of rows.flatMap(hits)) usual.set(word, (usual.get(word) ?? 0) + 1)
  return usual
}

function weightOf(word: string, usual: ReadonlyMap<string, number>, rows: number): number {
  return Math.log(1 + (rows + 1) / ((usual.get(word) ?? 0) + 1))
}

function rated(row: Row, words: readonly string[], weight: (word: string) => number, all: number): Found {
  const [type, id, title, details] = row
  const own = hits(row)
  // Of a long letter an article need not share every word: five telling ones are a full answer.
  const most = Math.min(all, (all / words.length) * 5)
  const share = Math.min(1, own.reduce((sum, word) => sum + weight(word), 0) / most)
  const rank = Math.min(1, Number(row[5]) * 1.5)
  const relevance = Math.max(0.65 * share + 0.35 * rank, own.length === 0 ? 0.5 * Number(row[6]) : 0)
  return {
    type: type === 'faq' ? 'faq' : 'article',
    id: Number(id),
    title: title ?? '',
    excerpt: excerptOf(details ?? '', own),
    relevance: Math.round(relevance * 10_000) / 10_000,
  }
}

/** The sentences around the one with the most of the words, within a few lines. */
function excerptOf(details: string, words: readonly string[]): string {
  const sentences =
    details
      .replace(/\s+/g, ' ')
      .trim()
      .match(/[^.!?]+[.!?]*\s*/g) ?? []
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
