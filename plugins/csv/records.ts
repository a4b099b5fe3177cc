/** Records of CSV from pieces of text, in groups: cells, and the line on which each record begins. */
import { finished } from 'node:stream/promises'
import type { CsvError, Parser } from 'csv-parse'
import { fileRefused } from './text.ts'

/** A row: its line, counted from 1, and its cells in the order of the file. */
export interface Row {
  readonly line: number
  readonly cells: readonly string[]
}

/** A longer record is refused: enough for the longest text of a record with only quotes. */
const RECORD_LENGTH = 1_048_576

/** A record from csv-parse with `raw`. */
interface Parsed {
  readonly raw: string
  readonly record: readonly string[]
}

/** Counts lines from record to record; csv-parse itself counts a break of two characters inside quotes twice. */
function lineCounter(): { readonly next: () => number; readonly lineOf: (raw: string) => number } {
  let next = 1
  const breaks = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0
  return {
    next: () => next,
    lineOf: (raw) => {
      // The raw text includes empty lines before a record, and the first character of the break after it.
      const empty = /^[\r\n]*/.exec(raw)?.[0].length ?? 0
      const line = next + empty
      next = line + breaks(raw.slice(empty))
      return line
    },
  }
}

/** The records of a text in groups; throws validation_failed for `file` after the records before a mistake. */
export async function* recordsOf(
  pieces: AsyncGenerator<string, void>,
  separator: string,
): AsyncGenerator<readonly Row[], void> {
  const { CsvError, parse } = await import('csv-parse')
  const counter = lineCounter()
  let rows: Row[] = []
  const parser = parse({
    delimiter: separator,
    raw: true,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: RECORD_LENGTH,
    on_record: (given: unknown) => {
      const { raw, record } = given as Parsed
      rows.push({ line: counter.lineOf(raw), cells: record })
      // Taken here and not from the stream, which needs a turn of the event loop for each record.
      return null
    },
  })
  const ended = finished(parser.resume())
  // A mistake reaches the caller, but perhaps only after the next group.
  ended.catch(() => undefined)
  const taken = (): readonly Row[] => {
    const group = rows
    rows = []
    return group
  }
  try {
    for await (const piece of pieces) {
      await given(parser, piece)
      if (rows.length > 0) yield taken()
      if (parser.destroyed) await ended
    }
    parser.end()
    await ended.catch(() => undefined)
    if (rows.length > 0) yield taken()
    await ended
  } catch (error) {
    throw error instanceof CsvError ? refusalOf(error, counter.next()) : error
  } finally {
    parser.destroy()
    await pieces.return()
  }
}

/** Resolves when a piece is parsed, or refused. */
function given(parser: Parser, piece: string): Promise<void> {
  return new Promise((done) => parser.write(piece, () => done()))
}

function refusalOf({ code }: CsvError, line: number): unknown {
  const where = ` in the row of line ${line}`
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return fileRefused(`The file is no CSV: a quote is opened${where} and never closed`)
  if (code === 'CSV_MAX_RECORD_SIZE') return fileRefused(`The file has a row that is too long: that of line ${line}`)
  return fileRefused(`The file is no CSV: a quote is in the wrong place${where}`)
}
