/** The forms in which texts are compared: folded for searches, by their look, and as names. */

import type { FieldType } from '../field/field-type.ts'
import { type Fragment, print, type Sql, sql } from './sql.ts'

/** Names the expression below in the names of its indexes: another expression gets another name, and so new indexes. */
export const FOLDING = 'folded in C with compatible forms'

/** Signs that nobody sees: soft hyphens, widths of zero, marks of direction. */
const UNSEEN = String.raw`\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff`
/** What is left away: accents, and what nobody sees. */
const LEFT_AWAY = String.raw`[\u0300-\u036f${UNSEEN}]+`
/** What has no plain sign inside it after Unicode's decomposition, and that sign; a final sigma is one like others. */
const LETTERS = { from: 'øłđıς’‘‛ʼ‐', to: "oldiσ''''-" }

/**
 * The text in small letters without accents, with compatible forms (width, ligatures, superscripts) as their plain signs
 * (Unicode's NFKD, UAX 15). An index of a search is over this very expression. ASCII needs no more than
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

/** A text with compatible forms as their plain signs, and without invisible signs: searches distinguish words by this form. */
export function compatible(text: string): string {
  return text.normalize('NFKC').replace(IN_WORDS, '')
}

/** Name the expressions below in the names of their indexes: another expression gets another name, and so new indexes. */
export const NAMING = 'names in NFKC and small letters, without what shows nothing'
export const LOOKING = 'texts in NFKC, without what shows nothing'

/** Whether values of a type are texts of people: those that look alike are one name. */
export function isName({ name }: Pick<FieldType, 'name'>): boolean {
  return name === 'string' || name === 'text'
}

/** Signs that show nothing: `Default_Ignorable_Code_Point` of Unicode, as patterns of JavaScript and of PostgreSQL write them. */
const SHORT = String.raw`\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8`
const IGNORED = {
  js: String.raw`[${SHORT}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]+`,
  sql: String.raw`[${SHORT}\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+`,
}
/** What separates words and is no blank after NFKC: controls, ends of lines, the mark of Ogham, the empty pattern of Braille. */
const BLANKS = String.raw`[ \t-\r\u0085\u1680\u2028\u2029\u2800]+`

/**
 * The look of a text: without invisible signs, with compatible forms as their plain signs (NFKC, UAX 15)
 * and with one blank where there are several. Most texts are ASCII without two blanks, and need no more than a cut.
 */
export function lookSql(text: Fragment): Sql {
  return sql`(case when ${isPlain(text)} then btrim(${text}) else ${spacedSql(text)} end)`
}

/** How a name is compared: by how it looks, in small letters. */
export function nameSql(text: Fragment): Sql {
  return sql`(case when ${isPlain(text)} then lower(btrim(${text}))
    else translate(lower(translate(${spacedSql(text)}, 'İ', 'i')), 'ς', 'σ') end)`
}

function isPlain(text: Fragment): Sql {
  return sql`octet_length(${text}) = length(${text}) and ${text} !~ '[\\t-\\r]|  '`
}

function spacedSql(text: Fragment): Sql {
  const plain = sql`normalize(regexp_replace(${text}, '${IGNORED.sql}', '', 'g'), NFKC)`
  return sql`btrim(regexp_replace(${plain}, '${BLANKS}', ' ', 'g'))`
}

/** The same over a column or another expression, as SQL text. */
export function lookSqlText(expression: string): string {
  return print(lookSql(expression)).text
}

export function nameSqlText(expression: string): string {
  return print(nameSql(expression)).text
}

const [IN_NAME, BETWEEN] = [new RegExp(IGNORED.js, 'gu'), new RegExp(BLANKS, 'gu')]

/** How a text that is here looks. */
export function lookText(text: string): string {
  return text.replace(IN_NAME, '').normalize('NFKC').replace(BETWEEN, ' ').replace(/^ | $/g, '')
}

/** How a name that is here is compared. */
export function nameText(text: string): string {
  return lookText(text).replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ')
}
