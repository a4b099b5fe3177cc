/** The first line of a file: which columns of the layout its titles are. */
import { invalid, LIMITS, nearest } from '../../engine/index.ts'
import { type Column, headerWord, type Layout } from './layout.ts'
import type { Renames } from './rename.ts'
import { fileRefused } from './text.ts'

/** Where the columns of the layout stand in a file. */
export interface Header {
  /** Each column with its place. */
  readonly columns: ReadonlyMap<Column, number>
  readonly titles: readonly string[]
  /** Titles of columns that are not read. */
  readonly leftOut: readonly string[]
  /** Earlier names of fields and relations that stand as titles, or in the map. */
  readonly earlier: readonly string[]
}

interface Named {
  readonly title: string
  /** The same, or what the map says of it, as titles are compared. */
  readonly word: string
  /** What the title stands for; a column, nothing because it is left out, or nothing that is known. */
  readonly column: Column | 'left out' | 'unknown'
}

/** How many titles are known: the separator of a file is chosen by it. */
export function knownTitles(titles: readonly string[], layout: Layout, renames: Renames): number {
  return named(titles, layout, renames).filter(({ column }) => typeof column === 'object').length
}

/** The columns of a file; throws validation_failed that names everything that is wrong with its first line at once. */
export function headerOf(titles: readonly string[], layout: Layout, renames: Renames, strict: boolean): Header {
  judgeRenames(titles, layout, renames)
  const found = named(titles, layout, renames)
  const columns = new Map<Column, number>()
  const faults: string[] = []
  for (const [at, { column }] of found.entries()) {
    if (typeof column !== 'object') continue
    // Each place of such a column is a column of its own.
    if (column.intake.kind === 'child' && columns.has(column)) columns.set({ ...column }, at)
    else if (columns.has(column)) faults.push(`The file has the column "${column.title}" twice`)
    else columns.set(column, at)
  }
  for (const column of layout.columns) {
    if (column.required && !columns.has(column))
      faults.push(`The file has no column "${column.title}" in its first line`)
  }
  const unknown = found.filter(({ column }) => column === 'unknown').map(({ title }) => title)
  if (strict && !renames.othersOut && unknown.length > 0) faults.push(...unknownFaults(unknown, layout))
  if (faults.length > 0) throw fileRefused(...faults)
  return {
    columns,
    titles,
    leftOut: found.filter(({ column }) => typeof column !== 'object').map(({ title }) => title),
    earlier: found.flatMap(earlierName),
  }
}

function earlierName({ column, word }: Named): readonly string[] {
  if (typeof column !== 'object' || headerWord(column.title) === word) return []
  return column.before.filter((name) => headerWord(name) === word)
}

function named(titles: readonly string[], { columns }: Layout, renames: Renames): readonly Named[] {
  const before = columns.flatMap((column) => column.before.map((name) => [headerWord(name), column] as const))
  const known = new Map([...before, ...columns.map((column) => [headerWord(column.title), column] as const)])
  const renamed = new Map(renames.titles.map(([title, to]) => [headerWord(title), to]))
  return titles.map((title) => {
    const word = headerWord(title)
    if (!renamed.has(word)) return { title, word, column: known.get(word) ?? 'unknown' }
    const to = renamed.get(word)
    if (to === undefined) return { title, word, column: 'left out' }
    return { title, word: headerWord(to), column: known.get(headerWord(to)) ?? 'unknown' }
  })
}

function unknownFaults(unknown: readonly string[], { columns }: Layout): readonly string[] {
  const names = columns.map(({ title }) => title)
  const shown = unknown.slice(0, LIMITS.bodyErrors).map((title) => {
    if (title.trim() === '') return 'The file has a column without a title'
    const short = title.slice(0, LIMITS.unknownKeyLength)
    const meant = nearest(short, names)
    return `The file has an unknown column "${short}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`
  })
  const more = unknown.length - shown.length
  return [
    ...shown,
    ...(more > 0 ? [`The file has ${more} more unknown columns`] : []),
    `Known columns are: ${names.join(', ')}. Say by map=Title:Column what another one is, by map=Title: that it is left out`,
  ]
}

/** Titles of a file among which a nearest one is looked for: more would take long to compare. */
const COMPARED = 200

function judgeRenames(titles: readonly string[], { columns }: Layout, renames: Renames): void {
  const names = columns.map(({ title }) => title)
  const before = columns.flatMap((column) => column.before)
  const [there, known] = [new Set(titles.map(headerWord)), new Set([...names, ...before].map(headerWord))]
  const hint = (one: string, all: readonly string[]): string => {
    const meant = nearest(one.slice(0, LIMITS.unknownKeyLength), all)
    return meant === undefined ? '' : `; did you mean "${meant}"?`
  }
  const wrong = renames.titles
    .filter(([title, to]) => !there.has(headerWord(title)) || (to !== undefined && !known.has(headerWord(to))))
    .slice(0, LIMITS.bodyErrors)
  if (wrong.length === 0) return
  const compared = titles.slice(0, COMPARED).map((title) => title.slice(0, LIMITS.unknownKeyLength))
  throw invalid({
    map: wrong.map(([title, to]) =>
      there.has(headerWord(title))
        ? `The map leads to an unknown column "${to}"${hint(to ?? '', names)}`
        : `The map has "${title}", which is no column of the file${hint(title, compared)}`,
    ),
  })
}
