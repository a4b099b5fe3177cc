/** An entry: one row of a file as a record to create, with its values and the names of other records. */
import {
  comparedText,
  type Field,
  type FieldError,
  type Json,
  type JsonObject,
  type ParentEntry,
} from '../../engine/index.ts'
import { readHtml, splitList, unguarded } from './cell.ts'
import type { Column } from './columns.ts'
import { dayIn, momentIn, type Read } from './dates.ts'
import type { Sheet } from './parse.ts'
import type { Row } from './records.ts'

/** A record to create because a row names it, with its stored name. */
export interface Named extends ParentEntry {
  readonly shown: string
}

/** An entry. */
export interface Entry {
  readonly line: number
  /** The key of the record, where a column is one; null for an empty cell. */
  readonly key: Key | null
  /** The identity of a row without a key in later imports: a digest of its cells. */
  digest: string | null
  readonly input: Record<string, Json>
  readonly fixed: Record<string, Json>
  /** Relation columns with their cells. */
  readonly names: Map<Column, string>
  /** Layout of the file with their cells. */
  readonly texts: Map<Column, string>
  readonly errors: Record<string, (FieldError | string)[]>
  /** Mistakes in values about which the engine could only say that they are not in its own form. */
  readonly said: Record<string, string[]>
  /** Records that it names, that do not exist, and that will be created. */
  readonly parents: Named[]
  /** Records that belong to it and are created with it, by relation. */
  readonly children: Record<string, JsonObject[]>
  /** Layout whose text is not stored as it is in the file, each with a sentence. */
  readonly notes: Map<Column, string>
}

/** The note on HTML, which loses scripts, styles, colours and pictures. */
const MADE_TEXT = 'HTML was made text'

/** Reads a row; errors are by field name. */
export function entryOf(sheet: Sheet, { line, cells }: Row): Entry {
  const notes: Entry['notes'] = new Map()
  const text = (column: Column): string => {
    const cell = unguarded(cells[sheet.columns.get(column) ?? -1] ?? '')
    if (!column.html) return cell.trim()
    const read = readHtml(cell)
    if (read !== cell && !cell.startsWith("'")) notes.set(column, MADE_TEXT)
    return read.trim()
  }
  const entry: Entry = {
    line,
    key: keyOf(sheet, text),
    digest: null,
    input: Object.fromEntries(sheet.layout.ask.map((name) => [name, sheet.options.asked.has(name)])),
    fixed: {},
    names: new Map(),
    texts: new Map(),
    errors: {},
    said: {},
    parents: [],
    children: {},
    notes,
  }
  if (cells.slice(sheet.width).some((cell) => cell.trim() !== ''))
    entry.errors.row = [`The row has ${cells.length} cells, and the first line has ${sheet.width}`]
  for (const column of sheet.layout.columns) {
    const value = text(column)
    if (sheet.columns.has(column)) entry.texts.set(column, value)
    take(entry, column, value === '' ? standIn(sheet, column, text) : value, sheet)
  }
  for (const column of sheet.columns.keys()) takeChild(entry, column, text)
  return entry
}

/** A record that belongs to the row's record. */
function takeChild({ children, notes, texts }: Entry, column: Column, text: (column: Column) => string): void {
  const { field, intake } = column
  if (intake.kind !== 'child') return
  const value = text(column)
  texts.set(column, value)
  if (value === '') return
  const { label, relation, set } = intake
  children[relation.name] = [...(children[relation.name] ?? []), { ...set, [field.name]: value }]
  const lost = `Kept as a ${label} of your own, written now: who wrote it and when is left only where its text says it`
  notes.set(column, [notes.get(column) ?? [], lost].flat().join('; '))
}

/** The name of a record: the value of a field. */
export interface Key {
  readonly field: Field
  readonly value: string
  /** The identity of a name: similar names can be the same. */
  readonly identity: string
}

/** The key from the first key column with a value; a value that does not fit is looked up in the field `elsewhere`. */
function keyOf(sheet: Sheet, text: (column: Column) => string): Key | null {
  for (const column of sheet.columns.keys()) {
    const value = column.key ? text(column) : ''
    if (value === '') continue
    const { elsewhere, field } = column
    const decoded = decodedIn(field, value)
    // In its stored form: an e-mail in lower case.
    const key = 'value' in decoded ? { field, value: String(decoded.value) } : { field: elsewhere ?? field, value }
    const name = comparedText(sheet.layout.resource, key.field, key.value)
    return { ...key, identity: `${key.field.name} ${name}` }
  }
  return null
}

function decodedIn(field: Field, value: string): { readonly value: Json } | { readonly error: string } {
  const decoded = field.type.decode(value, field.options)
  if ('error' in decoded) return decoded
  const fault = rangeFault(field, decoded.value)
  return fault === undefined ? decoded : { error: fault }
}

/** The cell of a column; if it is empty or missing, that of the column that replaces it. */
function standIn(sheet: Sheet, column: Column, text: (column: Column) => string): string {
  const other = sheet.layout.columns.find(({ title }) => title === column.otherwise)
  return other === undefined ? '' : text(other)
}

function take({ input, fixed, names, errors, said }: Entry, column: Column, written: string, sheet: Sheet): void {
  const { elsewhere, field, intake, list } = column
  if (intake.kind === 'ignored' || intake.kind === 'child' || written === '') return
  const read = readIn(field, written, sheet)
  const value = 'error' in read ? written : read.value
  if ('error' in read) said[field.name] = [sentence(field, read.error)]
  if (intake.kind === 'relation') names.set(column, value)
  else if (intake.kind === 'words') takeWords(input, intake.fields, value)
  else if (!intake.kept) input[field.name] = list ? splitList(value) : value
  else {
    const decoded = decodedIn(field, value)
    const [name, kept] = 'value' in decoded ? [field.name, decoded.value] : [elsewhere?.name, value]
    const other = name === undefined ? undefined : fixed[name]
    if (other !== undefined && other !== kept)
      errors[field.name] = [`The row has two values for ${name}: ${JSON.stringify(other)} and ${JSON.stringify(kept)}`]
    else if (name !== undefined) fixed[name] = kept
    else if ('error' in decoded) errors[field.name] = said[field.name] ?? [sentence(field, decoded.error)]
  }
}

/** A name as the first and the last name of a person. */
function takeWords(input: Entry['input'], [first, last]: readonly [Field, Field], value: string): void {
  if (input[first.name] !== undefined || input[last.name] !== undefined) return
  const name = nameIn(value)
  input[last.name] = name.last
  input[first.name] = name.first
}

/** A text in the form of its field. */
function readIn({ type }: Field, text: string, { options: { dates } }: Sheet): Read {
  if (type.name === 'timestamp') return momentIn(text, dates)
  return type.name === 'date' ? dayIn(text, dates) : { value: text }
}

function sentence({ name }: Field, fault: string): string {
  return `The ${name.replaceAll('_', ' ')} field ${fault}`
}

/** A number of a sequence has as many digits as the sequence gives, and is not below its first. */
function rangeFault({ type, options }: Field, value: Json): string | undefined {
  const { start } = options.own
  if (type.name !== 'sequence' || typeof start !== 'number') return undefined
  const digits = String(start).length
  if (String(value).length === digits && Number(value) >= start) return undefined
  return `must be a number of ${digits} digits from ${start} upward`
}

interface Name {
  readonly first: string
  readonly last: string
}

/** Words after a comma that are no first name. */
const SUFFIX = /^(?:jr|sr|junior|senior|i{2,3}|iv|ph\.?\s?d|m\.?d|mba|esq|b\.?sc|m\.?sc|ll\.?m|dipl\.?-?\w*)\.?$/i

/**
 * `Ann van Dyke` → `Ann van` and `Dyke`; `van Dyke, Ann` and `DYKE Ann` → `Ann` and the rest; `Ann Dyke, Jr.` → `Ann`
 * and `Dyke, Jr.`; an address instead of a name → its part before the @ and its domain. A single name gets `-` as the
 * last name.
 */
export function nameIn(text: string): Name {
  const value = text.replace(/\s+/g, ' ').trim()
  const [before = '', ...behind] = value.split(',').map((part) => part.trim())
  const suffixes = behind.filter((part) => SUFFIX.test(part))
  const others = behind.filter((part) => part !== '' && !SUFFIX.test(part))
  const suffix = suffixes.map((one) => `, ${one}`).join('')
  if (others.length > 0 && before !== '') return { first: others.join(' '), last: `${before}${suffix}` }
  const name = inOrder(before === '' ? others.join(' ') : before)
  return suffix === '' ? name : { first: name.first, last: `${name.last}${suffix}` }
}

function inOrder(value: string): Name {
  const words = value.split(' ')
  if (words.length === 1) {
    const at = value.lastIndexOf('@')
    return at > 0 && at < value.length - 1
      ? { first: value.slice(0, at), last: value.slice(at + 1) }
      : { first: value, last: '-' }
  }
  const capitals = words.findIndex((word) => !isCapitals(word))
  // In many countries a last name in capitals comes first; a whole name in capitals says nothing.
  const isLast = words.slice(0, capitals).some((word) => word.length > 2)
  if (capitals > 0 && isLast)
    return { first: words.slice(capitals).join(' '), last: words.slice(0, capitals).join(' ') }
  return { first: words.slice(0, -1).join(' '), last: words.at(-1) ?? '' }
}

/** Whether a word of several letters is in capitals; a letter with a dot is an initial. */
function isCapitals(word: string): boolean {
  return /^\p{L}[\p{L}'’-]+$/u.test(word) && word === word.toUpperCase() && word !== word.toLowerCase()
}
