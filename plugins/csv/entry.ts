/** One row of a file as a record to be created: its values, and the names of other records that are still to be found. */
import {
  comparedText,
  type Field,
  type FieldError,
  type Json,
  type JsonObject,
  type ParentEntry,
} from '../../engine/index.ts'
import { readHtml, splitList, unguarded } from './cell.ts'
import { dayIn, momentIn, type Read } from './dates.ts'
import type { Column } from './layout.ts'
import { nameIn } from './name.ts'
import type { Sheet } from './parse.ts'
import type { Row } from './records.ts'

/** A record that is created because a row names it, with its name as it is stored. */
export interface Named extends ParentEntry {
  readonly shown: string
}

/** A row on its way to a record. */
export interface Entry {
  readonly line: number
  /** What names the record, where a column does; null when the cell is empty. */
  readonly key: Key | null
  /** What the row is known by in later imports where it has no key: a digest of its cells. */
  digest: string | null
  readonly input: Record<string, Json>
  readonly fixed: Record<string, Json>
  /** Relation columns with what stands in their cells. */
  readonly names: Map<Column, string>
  /** What stands in the columns that the file has. */
  readonly texts: Map<Column, string>
  readonly errors: Record<string, (FieldError | string)[]>
  /** What is wrong with values of which the engine can only say that they are not in its own form. */
  readonly said: Record<string, string[]>
  /** Records that it names, which are not there and will be created. */
  readonly parents: Named[]
  /** Records that belong to it and are created with it, by their relation. */
  readonly children: Record<string, JsonObject[]>
  /** What the row loses: columns whose text is not stored as it stands in the file, each with a sentence. */
  readonly notes: Map<Column, string>
}

/** What is told of HTML, of which scripts, styles, colours and pictures are not kept. */
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

/** A record that belongs to the row's own. */
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

/** What names a record: the value of a field. */
export interface Key {
  readonly field: Field
  readonly value: string
  /** What tells it from others: names that look alike are one. */
  readonly identity: string
}

/** By the first of the columns that are keys and have a value; what is none of its own is the key by the field elsewhere. */
function keyOf(sheet: Sheet, text: (column: Column) => string): Key | null {
  for (const column of sheet.columns.keys()) {
    const value = column.key ? text(column) : ''
    if (value === '') continue
    const { elsewhere, field } = column
    const decoded = decodedIn(field, value)
    // As it is stored: an e-mail in lower case.
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

/** The cell of a column; when it is empty or not in the file, the cell of the column that replaces it. */
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

/** A name as the first and the last name of a person who has both. */
function takeWords(input: Entry['input'], [first, last]: readonly [Field, Field], value: string): void {
  if (input[first.name] !== undefined || input[last.name] !== undefined) return
  const name = nameIn(value)
  input[last.name] = name.last
  input[first.name] = name.first
}

/** A text in the form that its field takes. */
function readIn({ type }: Field, text: string, { options: { dates } }: Sheet): Read {
  if (type.name === 'timestamp') return momentIn(text, dates)
  return type.name === 'date' ? dayIn(text, dates) : { value: text }
}

function sentence({ name }: Field, fault: string): string {
  return `The ${name.replaceAll('_', ' ')} field ${fault}`
}

/** A number of a sequence has as many digits as those that the sequence itself gives, and is none below its first. */
function rangeFault({ type, options }: Field, value: Json): string | undefined {
  const { start } = options.own
  if (type.name !== 'sequence' || typeof start !== 'number') return undefined
  const digits = String(start).length
  if (String(value).length === digits && Number(value) >= start) return undefined
  return `must be a number of ${digits} digits from ${start} upward`
}
