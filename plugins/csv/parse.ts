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
    header ??= headerOf(group[0]!.cells, layout, options.renames, strict)
    rows += group.length
    if (rows - 1 > longest) throw fileRefused(`The file has more than ${longest} rows`)
  }
  if (header === undefined) throw fileRefused('The file is empty')
  return { ...form, ...header, layout, options, width: header.titles.length, rows: rows - 1 }
}

/** The rows of a file that was looked through, without its header and without the first `done`, in groups as they come. */
export async function* rowsOf(sheet: Sheet, done: number): AsyncGenerator<readonly Row[], void> {
  let left = done + 1
  for await (const group of records(sheet)) {
    if (group.length > left) yield left === 0 ? group : group.slice(left)
    left = Math.max(0, left - group.length)
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
  const header = headerOf(await firstRecord(form), layout, options.renames, strict)
  return { ...form, ...header, layout, options, width: header.titles.length, rows }
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
  for await (const [first] of records(form)) return first!.cells
  throw fileRefused('The file is empty')
}

/** The records of a file in groups, as its text comes. */
function records({ path, encoding, separator }: Form): AsyncGenerator<readonly Row[], void> {
  return recordsOf(textOf(path, encoding), separator)
}
