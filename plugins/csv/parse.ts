/** ⇄ Reads a CSV file as a stream: first whether it is one at all, then its rows, each with its line in the file. */
import { createReadStream } from 'node:fs'
import { CsvError, parse } from 'csv-parse'
import { invalid } from '../../engine/index.ts'
import { type Column, headerWord, type Layout } from './layout.ts'
import { titleFault } from './titles.ts'

/** One row: its line, counted from 1, and its cells in the order of the file. */
export interface Row {
  readonly line: number
  readonly cells: readonly string[]
}

/** A file that has been looked through: which columns it has, at which places, and how many rows. */
export interface Sheet {
  readonly path: string
  readonly layout: Layout
  readonly columns: ReadonlyMap<Column, number>
  readonly width: number
  readonly rows: number
}

/** Longer records are no records: the longest text of a record with room for its quotes. */
const RECORD_LENGTH = 1_048_576

/** Refuses the file as a whole. */
export function fileRefused(sentence: string): Error {
  return invalid({ file: [sentence] })
}

/** Looks a whole file through before anything of it is used; throws validation_failed for `file` when it is no CSV file of this layout. */
export async function inspectFile(path: string, layout: Layout, longest: number, strict: boolean): Promise<Sheet> {
  let columns: ReadonlyMap<Column, number> | undefined
  let width = 0
  let rows = 0
  for await (const { cells } of records(path)) {
    if (columns === undefined) {
      columns = columnsOf(cells, layout, strict)
      width = cells.length
    } else if (++rows > longest) throw fileRefused(`The file has more than ${longest} rows`)
  }
  if (columns === undefined) throw fileRefused('The file is empty')
  return { path, layout, columns, width, rows }
}

/** The rows of a file that was looked through, without its header. */
export async function* rowsOf({ path }: Sheet): AsyncGenerator<Row, void> {
  let header = true
  for await (const row of records(path)) {
    if (!header) yield row
    header = false
  }
}

function columnsOf(titles: readonly string[], layout: Layout, strict: boolean): ReadonlyMap<Column, number> {
  const fault = titleFault(titles, layout, strict)
  if (fault !== undefined) throw fileRefused(fault)
  const words = titles.map(headerWord)
  return new Map(
    layout.columns.flatMap((column) => {
      const at = words.indexOf(headerWord(column.title))
      return at === -1 ? [] : [[column, at] as const]
    }),
  )
}

/** What csv-parse gives of a record with `info` and `raw`. */
interface Parsed {
  readonly info: { readonly lines: number }
  readonly raw: string
  readonly record: readonly string[]
}

async function* records(path: string): AsyncGenerator<Row, void> {
  const parser = parse({
    bom: true,
    info: true,
    raw: true,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: RECORD_LENGTH,
  })
  const decoded = textOf(path)
  const feeding = (async () => {
    try {
      for await (const text of decoded) {
        if (!parser.write(text)) await new Promise((resolve) => parser.once('drain', resolve))
      }
      parser.end()
    } catch (error) {
      parser.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  })()
  try {
    for await (const parsed of parser) {
      const { info, raw, record } = parsed as Parsed
      // Empty lines before a record are part of its raw text.
      const breaks = raw.replace(/^[\r\n]+|(?:\r\n|\n|\r)$/g, '').match(/\r\n|\n|\r/g)?.length ?? 0
      yield { line: info.lines - breaks, cells: record }
    }
    await feeding
  } catch (error) {
    throw refusalOf(error)
  } finally {
    parser.destroy()
    await decoded.return()
  }
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error
  const { code } = error
  const line: unknown = Reflect.get(error, 'lines')
  const where = typeof line === 'number' ? ` near line ${line}` : ''
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return fileRefused(`The file is no CSV: a quote is opened${where} and never closed`)
  if (code === 'CSV_MAX_RECORD_SIZE') return fileRefused(`The file has a row that is too long${where}`)
  return fileRefused(`The file is no CSV: a quote stands in the wrong place${where}`)
}

/** The text of a file in pieces; refuses what is not UTF-8, and NUL, which no text has. */
async function* textOf(path: string): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Buffer): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
    } catch {
      throw fileRefused('The file must be text in UTF-8')
    }
  }
  for await (const chunk of createReadStream(path)) {
    if (!Buffer.isBuffer(chunk)) continue
    if (chunk.includes(0)) throw fileRefused('The file must be text in UTF-8')
    const text = decode(chunk)
    if (text !== '') yield text
  }
  decode()
}
