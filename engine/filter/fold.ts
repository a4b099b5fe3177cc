/** Texts without case and accents, as searches compare them and their indexes hold them. */
import { type Fragment, type Sql, sql } from './sql.ts'

/** Names the expression below in the names of its indexes: another expression gets another name, and so new indexes. */
export const FOLDING = 'folded in C with compatible forms'

/** Signs that nobody sees: soft hyphens, widths of zero, marks of direction. */
export const UNSEEN = String.raw`\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff`
/** What is left away: accents, and what nobody sees. */
const LEFT_AWAY = String.raw`[\u0300-\u036f${UNSEEN}]+`
/** What has no plain sign inside it after Unicode's decomposition, and that sign; a final sigma is one like others. */
const LETTERS = { from: 'øłđıς’‘‛ʼ‐', to: "oldiσ''''-" }

/**
 * The text in small letters without accents, with compatible forms (width, ligatures, superscripts) as the signs that they
 * stand for: Unicode's NFKD (UAX 15). An index of a search is over this very expression. ASCII needs no more than
 * small letters, and says so by its length: the rest takes ten times as long. The collation "C" compares and lowers ASCII
 * three times as fast as a language's.
 */
export function foldSql(text: Fragment): Sql {
  const plain = sql`regexp_replace(normalize(${text}, NFKD), '${LEFT_AWAY}', '', 'g')`
  const to = LETTERS.to.replaceAll("'", "''")
  return sql`(case when octet_length(${text}) = length(${text}) then lower((${text}) collate "C") else translate(replace(lower(${plain}), 'ß', 'ss'), '${LETTERS.from}', '${to}') end)`
}

const IN_TEXT = new RegExp(LEFT_AWAY, 'g')
const LETTER = new RegExp(`[${LETTERS.from}]`, 'g')

/** The same of a text that is here. */
export function foldText(text: string): string {
  const plain = text.normalize('NFKD').replace(IN_TEXT, '').toLowerCase().replaceAll('ß', 'ss')
  return plain.replace(LETTER, (letter) => LETTERS.to[LETTERS.from.indexOf(letter)]!)
}

const IN_WORDS = new RegExp(`[${UNSEEN}]`, 'g')

/** A text with compatible forms as the signs that they stand for, and without signs that nobody sees: what it asks for is told apart by these. */
export function compatible(text: string): string {
  return text.normalize('NFKC').replace(IN_WORDS, '')
}
