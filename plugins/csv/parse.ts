/** ⇄ Reads a CSV file as a stream: first whether it is one at all, then its rows, each with its line in the file. */
import { CsvError, parse } from 'csv-parse'
import type { Column, Layout } from './layout.ts'
import type { ImportOptions } from './options.ts'
import { type Encoding, encodingOf, fileRefused, textOf } from './text.ts'
import { headerOf, knownTitles } from './titles.ts'

/** One row: its line, counted from 1, and its cells in the order of the file. */
export interface Row {
  readonly line: number
  readonly cells: readonly string[]
}

/** What stands between two cells, the usual one first. */
export const SEPARATORS = [',', ';', '\t'] as const

/** How a file is written. */
export interface Form {
  readonly path: string
  readonly encoding: Encoding
  readonly separator: (typeof SEPARATORS)[number]
}

/** A file that has been looked through: which columns it has, at which places, and how many rows. */
export interface Sheet extends Form {
  readonly layout: Layout
  readonly columns: ReadonlyMap<Column, number>
  readonly titles: readonly string[]
  readonly leftOut: readonly string[]
  /** Earlier names of fields and relations that stand as titles. */
  readonly earlier: readonly string[]
  readonly options: ImportOptions
  readonly width: number
  readonly rows: number
}

/** A longer record is refused: room for the longest text of a record, with every character a quote. */
const RECORD_LENGTH = 1_048_576

/** Looks a whole file through before anything of it is used; throws validation_failed for `file` when it is no CSV file of this layout. */
export async function inspectFile(
  path: string,
  layout: Layout,
  options: ImportOptions,
  longest: number,
  strict: boolean,
): Promise<Sheet> {
  const form = await formOf(path, layout, options)
  let header: ReturnType<typeof headerOf> | undefined
  let rows = 0
  for await (const { cells } of records(form)) {
    if (header === undefined) header = headerOf(cells, layout, options.renames, strict)
    else if (++rows > longest) throw fileRefused(`The file has more than ${longest} rows`)
  }
  if (header === undefined) throw fileRefused('The file is empty')
  return { ...form, ...header, layout, options, width: header.titles.length, rows }
}

/** The rows of a file that was looked through, without its header. */
export async function* rowsOf(sheet: Sheet): AsyncGenerator<Row, void> {
  let header = true
  for await (const row of records(sheet)) {
    if (!header) yield row
    header = false
  }
}

/** The encoding of a file, and the separator by which most of its titles are known, or which gives most cells. */
async function formOf(path: string, layout: Layout, { renames }: ImportOptions): Promise<Form> {
  const encoding = await encodingOf(path)
  const read: { form: Form; known: number; width: number }[] = []
  let refusal: unknown
  for (const separator of SEPARATORS) {
    const form = { path, encoding, separator }
    try {
      const titles = await firstRecord(form)
      read.push({ form, known: knownTitles(titles, layout, renames), width: titles.length })
    } catch (error) {
      refusal ??= error
    }
  }
  const [best] = read.sort((a, b) => b.known - a.known || b.width - a.width)
  if (best === undefined) throw refusal
  return best.form
}

async function firstRecord(form: Form): Promise<readonly string[]> {
  for await (const { cells } of records(form)) return cells
  throw fileRefused('The file is empty')
}

/** What csv-parse gives of a record with `raw`, and its line. */
interface Parsed {
  readonly raw: string
  readonly record: readonly string[]
  line: number
}

/** Counts lines from record to record; csv-parse itself counts a break of two characters inside quotes twice. */
function lineCounter(): { readonly line: () => number; readonly count: (parsed: Parsed) => void } {
  let next = 1
  const breaks = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0
  return {
    line: () => next,
    count: (parsed) => {
      // Empty lines before a record are part of its raw text; of what ends a line, it has the first character.
      const empty = /^[\r\n]*/.exec(parsed.raw)?.[0].length ?? 0
      parsed.line = next + empty
      next = parsed.line + breaks(parsed.raw.slice(empty))
    },
  }
}

async function* records({ path, encoding, separator }: Form): AsyncGenerator<Row, void> {
  const counter = lineCounter()
  const parser = parse({
    delimiter: separator,
    raw: true,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: RECORD_LENGTH,
    on_record: (given: unknown) => {
      counter.count(given as Parsed)
      return given as string[]
    },
  })
  const decoded = textOf(path, encoding)
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
      const { line, record } = parsed as Parsed
      yield { line, cells: record }
    }
    await feeding
  } catch (error) {
    throw refusalOf(error, counter.line())
  } finally {
    parser.destroy()
    await decoded.return()
  }
}

function refusalOf(error: unknown, line: number): unknown {
  if (!(error instanceof CsvError)) return error
  const where = ` in the row of line ${line}`
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return fileRefused(`The file is no CSV: a quote is opened${where} and never closed`)
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return fileRefused(`The file has a row that is too long: that of line ${line}`)
  return fileRefused(`The file is no CSV: a quote stands in the wrong place${where}`)
}
