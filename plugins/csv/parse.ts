/** ⇄ Reads a CSV file as a stream: first whether it is one at all, then its rows, each with its line in the file. */
import type { Column, Layout } from './layout.ts'
import type { ImportOptions } from './options.ts'
import { type Row, recordsOf } from './records.ts'
import { type Encoding, encodingOf, fileRefused, textOf } from './text.ts'
import { headerOf, knownTitles } from './titles.ts'

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
  for await (const group of records(form)) {
    header ??= headerOf(titlesIn(group[0]!.cells), layout, options.renames, strict)
    rows += group.length
    if (rows - 1 > longest) throw fileRefused(`The file has more than ${longest} rows`)
  }
  if (header === undefined) throw fileRefused('The file is empty')
  return { ...form, ...header, layout, options, width: header.titles.length, rows: rows - 1 }
}

/** The rows of a file that was looked through, without its header, in groups as they come. */
export async function* rowsOf(sheet: Sheet): AsyncGenerator<readonly Row[], void> {
  let isFirst = true
  for await (const group of records(sheet)) {
    yield isFirst ? group.slice(1) : group
    isFirst = false
  }
}

/** A file that was looked through before, as it was recognised then. */
export interface Known {
  readonly encoding: Encoding
  readonly separator: Form['separator']
  readonly rows: number
}

/** The sheet of a file that was looked through before; throws validation_failed for `file` when it has not these columns any more. */
export async function knownFile(
  path: string,
  layout: Layout,
  options: ImportOptions,
  { encoding, rows, separator }: Known,
  strict: boolean,
): Promise<Sheet> {
  const form = { path, encoding, separator }
  const header = headerOf(titlesIn(await firstRecord(form)), layout, options.renames, strict)
  return { ...form, ...header, layout, options, width: header.titles.length, rows }
}

/** The encoding of a file, and the separator by which most of its titles are known, or which gives most cells. */
async function formOf(path: string, layout: Layout, { renames }: ImportOptions): Promise<Form> {
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
      read.push({ form, known: knownTitles(titles, layout, renames), width: titles.length })
    } catch (error) {
      refusal ??= error
    }
  }
  const [best] = read.sort((a, b) => b.known - a.known || b.width - a.width)
  if (best === undefined) throw refusal
  return best.form
}

/** The titles of a first line without the empty ones at its end, below which nothing may stand. */
function titlesIn(cells: readonly string[]): readonly string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1)
}

async function firstRecord(form: Form): Promise<readonly string[]> {
  for await (const [first] of records(form)) return first!.cells
  throw fileRefused('The file is empty')
}

/** The records of a file in groups, as its text comes, without the line that tells a spreadsheet of the separator. */
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

/** Spreadsheets write rows of separators alone where somebody has cleared cells. */
function hasText({ cells }: Row): boolean {
  return cells.some((cell) => cell !== '' && cell.trim() !== '')
}

function allRecords({ path, encoding, separator }: Form): AsyncGenerator<readonly Row[], void> {
  return recordsOf(textOf(path, encoding), separator)
}

/** What the first line of a file says by `sep=;` of its separator; undefined where it is no such line. */
function hintIn(cells: readonly string[], { separator }: Form): string | undefined {
  return /^sep=(.)$/i.exec(cells.join(separator).trimStart())?.[1]
}

async function hintOf(form: Form): Promise<string | undefined> {
  for await (const [first] of allRecords(form)) return hintIn(first!.cells, form)
  return undefined
}
