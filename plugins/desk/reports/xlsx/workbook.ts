/**
 * ⇄ A report as a workbook: a sheet of its figures, and one of its rows with real numbers, dates and durations.
 *
 * Our own, in 360 lines that write row by row: exceljs installs 54 MB in 194 packages.
 */
import { turns } from '../../../../engine/index.ts'
import { type Column, figureAt, type Snapshot, type Values, type ValueType } from '../content.ts'
import { textsInTurns } from '../in-turns.ts'
import { type Archive, openArchive } from './archive.ts'
import { PARTS, STYLE, sheetParts } from './parts.ts'

/** A sheet has at most 1,048,576 rows, one of them the header. */
const SHEET_ROWS = 1_048_575
/** The most characters of a cell. */
const CELL_LENGTH = 32_767
const DAY_S = 86_400
/** 1970-01-01 as the number of days in sheets. */
const EPOCH = 25_569

/** Writes the workbook at `path`. */
export async function writeWorkbook(snapshot: Snapshot, path: string): Promise<void> {
  const archive = await openArchive(path)
  const names = sheetNames(snapshot.count)
  for (const [name, text] of PARTS(names, snapshot.name)) await archive.add(name, [text])
  await archive.add('xl/worksheets/sheet1.xml', summarySheet(snapshot))
  await writeRows(archive, snapshot, names.length - 1)
  await archive.close()
}

function sheetNames(count: number): readonly string[] {
  const sheets = Math.max(1, Math.ceil(count / SHEET_ROWS))
  return ['Summary', ...Array.from({ length: sheets }, (_, at) => (at === 0 ? 'Rows' : `Rows ${at + 1}`))]
}

async function* summarySheet({ name, madeAt, content, summary }: Snapshot): AsyncGenerator<string, void> {
  const { head, tail } = sheetParts({ widths: [32, 24], frozen: false, filter: undefined })
  yield head
  yield row(1, [cell('A1', name, 'text', STYLE.title)])
  yield row(2, [cell('A2', 'Made (UTC)', 'text'), cell('B2', madeAt.toISOString(), 'timestamp')])
  let at = 4
  for (const { label, path, type } of content.tiles) {
    const value = figureAt(summary, path) as string | number | null
    yield row(at, [cell(`A${at}`, label, 'text'), cell(`B${at}`, value, type)])
    at++
  }
  for (const [key, title] of [
    ['by_status', 'Status'],
    ['by_priority', 'Priority'],
  ] as const) {
    at++
    yield row(at, [cell(`A${at}`, title, 'text', STYLE.header), cell(`B${at}`, 'Tickets', 'text', STYLE.header)])
    const items = (figureAt(summary, key) ?? []) as readonly { readonly name: string; readonly total: number }[]
    for (const { name, total } of items) {
      at++
      yield row(at, [cell(`A${at}`, name, 'text'), cell(`B${at}`, total, 'integer')])
    }
    at++
  }
  yield tail
}

/** One pass over the rows fills as many sheets as needed. */
async function writeRows(archive: Archive, { content, count, rows }: Snapshot, sheets: number): Promise<void> {
  const batches = rows()[Symbol.asyncIterator]()
  const giveWay = turns()
  let rest: readonly Values[] = []
  const sheet = async function* (size: number): AsyncGenerator<string, void> {
    const { columns } = content
    const filter = `A1:${letters(columns.length - 1)}${size + 1}`
    const { head, tail } = sheetParts({ widths: columns.map(widthOf), frozen: true, filter })
    yield head
    yield row(
      1,
      columns.map(({ label }, at) => cell(`${letters(at)}1`, label, 'text', STYLE.header)),
    )
    for (let done = 0; done < size; ) {
      if (rest.length === 0) rest = (await batches.next()).value ?? []
      const taken = rest.slice(0, size - done)
      rest = rest.slice(taken.length)
      yield* textsInTurns(taken, giveWay, (values, at) => rowOf(columns, values, done + at + 2))
      done += taken.length
    }
    yield tail
  }
  for (let at = 0; at < sheets; at++) {
    const size = Math.min(SHEET_ROWS, count - at * SHEET_ROWS)
    await archive.add(`xl/worksheets/sheet${at + 2}.xml`, sheet(size))
  }
  await batches.return?.()
}

/** In characters: the width of the values, and of the label with the arrow of its filter. */
function widthOf({ label, type, width }: Column): number {
  const least = { text: Math.min(44, width * 1.6), integer: 9, percent: 10, duration: 12, timestamp: 18, date: 12 }[
    type
  ]
  return Math.max(least, label.length + 4)
}

function rowOf(columns: readonly Column[], values: Values, number: number): string {
  return row(
    number,
    columns.map(({ type }, at) => cell(`${letters(at)}${number}`, values[at] ?? null, type)),
  )
}

function row(number: number, cells: readonly string[]): string {
  return `<row r="${number}">${cells.join('')}</row>`
}

/** A cell as a number of its kind, or as text that is never taken for a formula; empty without a value. */
function cell(place: string, value: string | number | null, type: ValueType, style?: number): string {
  if (value === null) return ''
  const look = style ?? STYLE[type]
  const number = numberOf(value, type)
  if (number !== undefined) return `<c r="${place}" s="${look}"><v>${number}</v></c>`
  const text = escaped(cut(String(value)))
  return `<c r="${place}" s="${look}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`
}

function numberOf(value: string | number, type: ValueType): number | undefined {
  if (type === 'text') return undefined
  if (type === 'integer') return Number(value)
  if (type === 'percent') return Number(value) / 100
  if (type === 'duration') return Number(value) / DAY_S
  // A cell has no time zone, so times are in UTC.
  return Date.parse(String(value).slice(0, 19) + (type === 'timestamp' ? 'Z' : '')) / 1_000 / DAY_S + EPOCH
}

function cut(text: string): string {
  return text.length <= CELL_LENGTH ? text : text.slice(0, CELL_LENGTH).toWellFormed()
}

/**
 * Text as XML, which has no control characters: sheets write them as _x0001_, and a text like that as _x005F_x0001_.
 */
export function escaped(text: string): string {
  return (
    text
      .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
      .replace(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, (character) => {
        const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
        return `_x${code}_`
      })
  )
}

/** The name of a column: A to Z, then AA. */
function letters(at: number): string {
  return at < 26 ? String.fromCharCode(65 + at) : letters(Math.floor(at / 26) - 1) + letters(at % 26)
}
