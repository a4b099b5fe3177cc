/** Stems of words: words without the endings of a language, as searches compare them and their indexes hold them. */

import { type Fragment, type Sql, sql } from './sql.ts'
import { foldSql } from './text-forms.ts'

/** Languages in which a stem begins like its words; the others may write it in another way. */
const BEGIN_ALIKE: ReadonlySet<string> = new Set([
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'hungarian',
  'italian',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'spanish',
  'swedish',
  'turkish',
])

/** PostgreSQL refuses a text whose stems take more than a megabyte; these never do, whatever their letters. */
const STEMMED_CHARACTERS = 30_000

/**
 * The stems of a text; an index of a search is over this very expression. Where letters have accents, there are those of
 * the words as they are written and those of the words without accents, so that both ways to ask find them.
 */
export function stemsSql(language: string, text: Fragment): Sql {
  const stems = (written: Fragment): Sql =>
    sql`to_tsvector('pg_catalog.${language}'::regconfig, left(${written}, ${String(STEMMED_CHARACTERS)}))`
  return sql`(case when octet_length(${text}) = length(${text}) then ${stems(text)} else ${stems(text)} || ${stems(foldSql(text))} end)`
}

/** A word that is sought by its stem. */
export interface Stem {
  readonly language: string
  /** Matches the stems of texts that have a word with this stem; null where the language gives the word no meaning. */
  readonly query: Sql
  /** A LIKE pattern of all folded texts that have such a word, and of others: most texts are ruled out without their stems. */
  readonly beginning: Sql | undefined
}

/** The stem of a word of letters. */
export function stemOf(language: string, word: Sql): Stem {
  const stems = sql`(select ${word} as w) a cross join lateral unnest(tsvector_to_array(${stemsSql(language, 'a.w')})) l`
  return {
    language,
    query: sql`(select string_agg(quote_literal(l), '|')::tsquery from ${stems})`,
    beginning: BEGIN_ALIKE.has(language) ? beginningSql(language, stems) : undefined,
  }
}

/** The pattern of the letters with which all words of a stem begin, out of the word `a.w` and its stems `l`. */
function beginningSql(language: string, stems: Sql): Sql {
  // Newer versions of PostgreSQL take ae for ä, so there may be an e behind these letters, or none.
  const isGerman = language === 'german'
  const plain = (word: Fragment): Sql =>
    isGerman ? sql`regexp_replace(${word}, '([aou])e', '\\1', 'g')` : sql`${word}`
  // The last letter of a stem may be another than that of the word (happy, happi), and the two of a few (dying, die).
  const length = sql`min(length(${plain('l')}) - case when l ~ '^..e$' then 2 else 1 end)`
  const begin = sql`left(${plain(foldSql('min(a.w)'))}, greatest(1, ${length}))`
  const letters = isGerman ? sql`regexp_replace(${begin}, '([aou])', '\\1%', 'g')` : begin
  return sql`(select '%' || ${letters} || '%' from ${stems})`
}

/** Whether a text has a word with the stem; `folded` is the same text without case and accents. */
export function hasStemSql({ beginning, language, query }: Stem, text: Fragment, folded: Fragment): Sql {
  const has = sql`${stemsSql(language, text)} @@ ${query}`
  return beginning === undefined ? sql`(${has})` : sql`(${folded} like ${beginning} and ${has})`
}
