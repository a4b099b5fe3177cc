/** ⇄ Reads a CSV file as a stream: first inspects whether it is valid, then returns its rows with their lines. */
import type { Column, Layout } from './columns.ts'
import { headerOf, knownTitles } from './header.ts'
import type { ImportOptions } from './options.ts'
import { type Row, recordsOf } from './records.ts'
import { type Encoding, encodingOf, fileRefused, textOf } from './text.ts'

/** Separators of cells, the usual one first. */
export const SEPARATORS = [',', ';', '\t'] as const

/** The form of a file. */
export interface Form {
  readonly path: string
  readonly encoding: Encoding
  readonly separator: (typeof SEPARATORS)[number]
}

/** An inspected file: its columns with their places, and the number of its rows. */
export interface Sheet extends Form {
  readonly layout: Layout
  readonly columns: ReadonlyMap<Column, number>
  readonly titles: readonly string[]
  readonly leftOut: readonly string[]
  /** Earlier names of fields and relations among the titles. */
  readonly earlier: readonly string[]
  readonly options: ImportOptions
  readonly width: number
  readonly rows: number
}

/**
 * Inspects a whole file before any of it is used; throws validation_failed for `file` where it is no CSV file with
 * these columns.
 */
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
  for await (const group of records(form)) {
    header ??= headerOf(titlesIn(group[0]!.cells), layout, options.titleMap, strict)
    rows += group.length
    if (rows - 1 > longest) throw fileRefused(`The file has more than ${longest} rows`)
  }
  if (header === undefined) throw fileRefused('The file is empty')
  return { ...form, ...header, layout, options, width: header.titles.length, rows: rows - 1 }
}

/** The rows of an inspected file without its header, in groups. */
export async function* rowsOf(sheet: Sheet): AsyncGenerator<readonly Row[], void> {
  let isFirst = true
  for await (const group of records(sheet)) {
    yield isFirst ? group.slice(1) : group
    isFirst = false
  }
}

/** A file that was inspected earlier, as it was recognised then. */
export interface Known {
  readonly encoding: Encoding
  readonly separator: Form['separator']
  readonly rows: number
}

/**
 * The sheet of a file that was inspected earlier; throws validation_failed for `file` where its columns no longer fit.
 */
export async function knownFile(
  path: string,
  layout: Layout,
  options: ImportOptions,
  { encoding, rows, separator }: Known,
  strict: boolean,
): Promise<Sheet> {
  const form = { path, encoding, separator }
  const header = headerOf(titlesIn(await firstRecord(form)), layout, options.titleMap, strict)
  return { ...form, ...header, layout, options, width: header.titles.length, rows }
}

/** The encoding of a file, and the separator with the most known titles, or the most cells. */
async function formOf(path: string, layout: Layout, { titleMap }: ImportOptions): Promise<Form> {
  const encoding = await encodingOf(path)
  const hint = await hintOf({ path, encoding, separator: ',' }).catch(() => undefined)
  const hinted = SEPARATORS.find((one) => one === hint)
  if (hinted !== undefined) return { path, encoding, separator: hinted }
  const read: { form: Form; known: number; width: number }[] = []
  let refusal: unknown
  for (const separator of SEPARATORS) {
    const form = { path, encoding, separator }
    try {
      const titles = titlesIn(await firstRecord(form))
      read.push({ form, known: knownTitles(titles, layout, titleMap), width: titles.length })
    } catch (error) {
      refusal ??= error
    }
  }
  const [best] = read.sort((a, b) => b.known - a.known || b.width - a.width)
  if (best === undefined) throw refusal
  return best.form
}

/** The titles of a first line without the empty ones at its end, below which cells must be empty. */
function titlesIn(cells: readonly string[]): readonly string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1)
}

async function firstRecord(form: Form): Promise<readonly string[]> {
  for await (const [first] of records(form)) return first!.cells
  throw fileRefused('The file is empty')
}

/** The records of a file in groups, without the line that tells a spreadsheet the separator. */
async function* records(form: Form): AsyncGenerator<readonly Row[], void> {
  let isFirst = true
  for await (const all of allRecords(form)) {
    const group = all.filter(hasText)
    if (group.length === 0) continue
    const rest = isFirst && hintIn(group[0]!.cells, form) !== undefined ? group.slice(1) : group
    isFirst = false
    if (rest.length > 0) yield rest
  }
}

/** Spreadsheets write rows of separators where somebody has cleared cells. */
function hasText({ cells }: Row): boolean {
  return cells.some((cell) => cell !== '' && cell.trim() !== '')
}

function allRecords({ path, encoding, separator }: Form): AsyncGenerator<readonly Row[], void> {
  return recordsOf(textOf(path, encoding), separator)
}

/** The separator in a first line `sep=;`; undefined in other lines. */
function hintIn(cells: readonly string[], { separator }: Form): string | undefined {
  return /^sep=(.)$/i.exec(cells.join(separator).trimStart())?.[1]
}

async function hintOf(form: Form): Promise<string | undefined> {
  for await (const [first] of allRecords(form)) return hintIn(first!.cells, form)
  return undefined
}
