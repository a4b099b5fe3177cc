/** One cell of a CSV file: quoted where needed, never a formula, lists in one cell; and reading all of it. */
import { htmlToText, isHtml } from './html.ts'

/**
 * The places where a spreadsheet may see a formula: the beginning of a cell, and after anything with which another
 * spreadsheet separates cells and rows, since one that expects `;` ignores quotes inside a cell. Full-width signs count
 * as signs. Apostrophes at such a place count, so that removing one is always right.
 */
const FORMULAS = /^(?='*[=+\-@＝＋－＠\t\r])|(?<=[;\t\r\n])(?=['"]*[=+\-@＝＋－＠])/g
const GUARDS = /^'(?='*[=+\-@＝＋－＠\t\r])|(?<=[;\t\r\n])'(?=['"]*[=+\-@＝＋－＠])/g
const QUOTED = /[",\r\n]|^[\s\ufeff]|[\s\ufeff]$/
/** Anything inside a text that needs quotes or a guard; its ends are checked separately. */
const INSIDE = /[",;\t\r\n]/
/** Whether a text needs a guard inside: found without looking back at every sign. */
const GUARDED_INSIDE = /[;\t\r\n]['"]*[=+\-@＝＋－＠]/
/** A beginning that needs a guard, or that spreadsheets cut off. */
const ENDS = /[\s\ufeff'=+\-@＝＋－＠]/
/** A number is no formula, and spreadsheets could not add up guarded ones. */
const NEGATIVE = /^-\d+(?:\.\d+)?$/
/** The ASCII characters among them. */
const ASCII_ENDS = Array.from({ length: 128 }, (_, code) => ENDS.test(String.fromCharCode(code)))

function isEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code < 128 ? ASCII_ENDS[code]! : ENDS.test(text[at]!)
}

/** A text as a cell: guarded against formulas, quoted where needed; null is empty. */
export function cellOf(text: string | null): string {
  if (text === null || text === '') return ''
  const begins = isEnd(text, 0)
  const plain = !INSIDE.test(text)
  // Most cells are plain.
  if (plain && !begins && !isEnd(text, text.length - 1)) return text
  if (begins && NEGATIVE.test(text)) return text
  const guarded = begins || (!plain && GUARDED_INSIDE.test(text)) ? text.replace(FORMULAS, "'") : text
  return QUOTED.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

/** A cell's text without its guards. */
export function unguarded(cell: string): string {
  return cell.includes("'") ? cell.replace(GUARDS, '') : cell
}

/** The text after its apostrophes. */
function unmarked(text: string): string {
  return text.replace(/^'+/, '')
}

/** A text that the import would take for HTML, written so that it stays as it is. */
export function keptHtml(text: string): string {
  return isHtml(unmarked(text)) ? `'${text}` : text
}

/** Longer HTML stays as it is, and is too long for any text: its conversion would delay everybody else. */
const LONGEST_HTML = 262_144

/** A cell of a column that may hold HTML as text. */
export function readHtml(cell: string): string {
  if (cell.length > LONGEST_HTML || !isHtml(unmarked(cell))) return cell
  return cell.startsWith("'") ? cell.slice(1) : htmlToText(cell)
}

/** Texts without anything that JSON or a joined list escapes, or that may separate items. */
const SIMPLE_LIST = /^\["[^"\\;,\s[]*"(?:, "[^"\\;]*")*\]$/

/** A list, as pg's JSON text, in one text: items with `;` between, and `\` before a `;` or `\` inside an item. */
export function joinedList(json: string | null): string | null {
  if (json === null || json === '[]') return null
  if (SIMPLE_LIST.test(json)) return json.slice(2, -2).replaceAll('", "', ';')
  const items: unknown = JSON.parse(json)
  if (!Array.isArray(items)) return null
  const joined = items.map((item) => String(item).replace(/[;\\]/g, '\\$&')).join(';')
  // The import would split a single item at the separators of other programs, and read a list in brackets as JSON.
  const isOther = (items.length === 1 && /[,\s[\\]/.test(joined)) || listIn(joined) !== undefined
  return isOther ? `${joined};` : joined
}

/**
 * The items of a list in a cell: a JSON list, or items separated by `;`, else by `,`, else by blanks; empty ones, such
 * as after a trailing `;`, are left out.
 */
export function splitList(text: string): readonly string[] {
  const listed = listIn(text)
  if (listed !== undefined) return listed
  if (text.includes(';')) return itemsIn(parted(text))
  return itemsIn(text.split(text.includes(',') ? ',' : /\s+/))
}

function itemsIn(items: readonly string[]): readonly string[] {
  return items.map((one) => one.trim()).filter((one) => one !== '')
}

/** The items of a JSON list of texts and numbers; undefined for other texts. */
function listIn(text: string): readonly string[] | undefined {
  if (!/^\s*\[.*\]\s*$/s.test(text)) return undefined
  try {
    const items: unknown = JSON.parse(text)
    const isList = Array.isArray(items) && items.every((one) => ['string', 'number'].includes(typeof one))
    return isList ? itemsIn(items.map(String)) : undefined
  } catch {
    return undefined
  }
}

function parted(text: string): readonly string[] {
  const items: string[] = []
  let item = ''
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '\\' && (text[at + 1] === ';' || text[at + 1] === '\\')) item += text[++at]
    else if (character === ';') {
      items.push(item)
      item = ''
    } else item += character
  }
  return [...items, item]
}
