/** Names in SQL: quoting, the names of indexes, and the names of what was set aside. */
import { hash } from 'node:crypto'
import { FOLDING, LOOKING, NAMING } from '../filter/text-forms.ts'
import type { TableIndex } from './table.ts'

/**
 * How the engine marks its indexes and computed columns, with their SQL as the YAML gave it: PostgreSQL would print
 * another spelling.
 */
export const MARK = 'plinth'
/** How it marks the triggers that refuse names while an index cannot be made. */
export const GUARD_MARK = `${MARK} guard of names`

const IDENTIFIER_BYTES = 63
const HASH_LENGTH = 8
const ASIDE = /^(.+)__removed_(\d{8})(?:_(\d+))?$/

export function quoteText(text: string): string {
  return `'${text.replace(/'/g, "''")}'`
}

/** A short hash of a content. */
function digits(content: string): string {
  return hash('sha256', content).slice(0, HASH_LENGTH)
}

function cut(text: string, bytes: number): string {
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
}

/** The expression of an index, as a text for the hash in its name. */
function contentOf(kind: TableIndex['kind'], language: string | undefined, alike: readonly number[]): string {
  if (kind === 'names' || kind === 'looks') return `${kind === 'names' ? NAMING : LOOKING} at ${alike.join()}`
  if (kind === 'trigram') return FOLDING
  return language === undefined ? kind : `${kind} of ${language}, ${FOLDING}`
}

/** An index with the name that its table, columns, kind and predicate give it. */
export function namedIndex(table: string, index: Omit<TableIndex, 'name'>): TableIndex {
  const { alike = [], kind, language, unique, columns, where, range } = index
  // Older search indexes were over the columns themselves, or over another expression, and are of no use to a search.
  const parts = [table, contentOf(kind, language, alike), unique, columns, where ?? null]
  const content = JSON.stringify(range === undefined ? parts : [...parts, range])
  const tail = `_${digits(content)}_${unique ? 'key' : kind === 'overlap' ? 'excl' : 'idx'}`
  return { name: `${cut([table, ...columns].join('_'), IDENTIFIER_BYTES - tail.length)}${tail}`, ...index }
}

/** `<stem>_<tail>`, shortened by a hash where it is too long. */
function shortened(stem: string, tail: string): string {
  const whole = `${stem}${tail}`
  if (Buffer.byteLength(whole) <= IDENTIFIER_BYTES) return whole
  return `${cut(stem, IDENTIFIER_BYTES - tail.length - HASH_LENGTH - 1)}_${digits(stem)}${tail}`
}

const CONVERTING = '__converting'

/** The name of a replacement while it is made. */
export function convertingName(name: string): string {
  return shortened(name, CONVERTING)
}

const FILLED = '__filling'

/** The name of the column that marks which rows were given a value in the place of null. */
export function fillingName(name: string): string {
  return shortened(name, FILLED)
}

/** SQL with other names in quotes; texts in it stay as they are. */
export function withNames(sql: string, names: ReadonlyMap<string, string>): string {
  return sql.replaceAll(/'(?:[^']|'')*'|"((?:[^"]|"")+)"/g, (whole, quoted: string | undefined) => {
    const name = quoted === undefined ? undefined : names.get(quoted.replaceAll('""', '"'))
    return name === undefined ? whole : `"${name.replaceAll('"', '""')}"`
  })
}

/** Whether this is the name of a replacement that is not whole yet. */
export function isConverting(name: string): boolean {
  return name.endsWith(CONVERTING)
}

/** The name of a check or trigger that a column has only while it changes. */
export function checkName(table: string, column: string, why: 'required' | 'fits' | 'converting' | 'filling'): string {
  return shortened(`${table}_${column}`, `_${why}`)
}

/** The name under which something is set aside on a day (`2026-01-31`), different from all that are `taken`. */
export function asideName(name: string, day: string, taken: ReadonlySet<string>): string {
  const stem = `__removed_${day.replaceAll('-', '')}`
  for (let count = 1; ; count += 1) {
    const tail = count === 1 ? stem : `${stem}_${count}`
    const candidate = shortened(name, tail)
    if (!taken.has(candidate)) return candidate
  }
}

/** The name that something set aside had before, or undefined when it was not. */
export function nameBefore(name: string): string | undefined {
  return ASIDE.exec(name)?.[1]
}

/** A key that sorts things set aside under one name by their date. */
export function asideOrder(name: string): string {
  const [, , day = '', count = '1'] = ASIDE.exec(name) ?? []
  return `${day}${count.padStart(6, '0')}`
}
