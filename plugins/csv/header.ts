/** The header of a file: finds the columns for its titles, with the help of the option `map`. */
import { invalid, LIMITS, nearest } from '../../engine/index.ts'
import { type Column, headerWord, type Layout } from './columns.ts'
import { fileRefused } from './text.ts'

/** The name that means every unknown column. */
const OTHERS = '*'

export interface TitleMap {
  /** Titles of the file as written, each with its column; undefined: left out. */
  readonly titles: readonly (readonly [title: string, column: string | undefined])[]
  /** Whether all other unknown columns are left out. */
  readonly othersOut: boolean
}

export const NO_TITLE_MAP: TitleMap = { titles: [], othersOut: false }

/** Reads `Ticket ID:UID,Notes:`; throws validation_failed for `map`. */
export function titleMapOf(text: string): TitleMap {
  const entries = splitBy(text, ',').filter((entry) => entry.trim() !== '')
  const read = entries.map((entry) => {
    const parts = splitBy(entry, ':')
    const title = plain(parts.slice(0, -1).join(':'))
    if (parts.length < 2 || title === '')
      throw invalid({ map: [`The map has "${entry.trim().slice(0, 64)}", which is not in the form Title:Column`] })
    return [title, plain(parts.at(-1) ?? '')] as const
  })
  const words = new Set<string>()
  for (const [title] of read) {
    const word = headerWord(title)
    if (words.has(word)) throw invalid({ map: [`The map has the title "${title.slice(0, 64)}" twice`] })
    words.add(word)
  }
  const others = read.find(([title]) => title === OTHERS)
  if (others !== undefined && others[1] !== '')
    throw invalid({ map: ['The map can only leave out all other columns: write *:'] })
  return {
    titles: read.filter(([title]) => title !== OTHERS).map(([title, column]) => [title, column || undefined]),
    othersOut: others !== undefined,
  }
}

/** Splits at separators without a `\` before them; keeps the `\`. */
function splitBy(text: string, separator: string): readonly string[] {
  const parts: string[] = []
  let part = ''
  for (let at = 0; at < text.length; at++) {
    if (text[at] === separator) {
      parts.push(part)
      part = ''
    } else part += text[at] === '\\' ? text.slice(at, ++at + 1) : text[at]
  }
  return [...parts, part]
}

function plain(text: string): string {
  return text.replace(/\\(.)/gs, '$1').trim()
}

/** The columns of a file by their places. */
export interface Header {
  /** Each column with its place. */
  readonly columns: ReadonlyMap<Column, number>
  readonly titles: readonly string[]
  /** Titles of columns that are not read. */
  readonly leftOut: readonly string[]
  /** Earlier names of fields and relations among the titles, or in the map. */
  readonly earlier: readonly string[]
}

interface Named {
  readonly title: string
  /** The title, or its name in the map, in the form for comparison. */
  readonly word: string
  /** The meaning of the title: a column, nothing because it is left out, or unknown. */
  readonly column: Column | 'left out' | 'unknown'
}

/** The number of known titles, by which the separator of a file is chosen. */
export function knownTitles(titles: readonly string[], layout: Layout, titleMap: TitleMap): number {
  return named(titles, layout, titleMap).filter(({ column }) => typeof column === 'object').length
}

/** The columns of a file; throws validation_failed with all mistakes of its first line at once. */
export function headerOf(titles: readonly string[], layout: Layout, titleMap: TitleMap, strict: boolean): Header {
  judgeTitleMap(titles, layout, titleMap)
  const found = named(titles, layout, titleMap)
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
  if (strict && !titleMap.othersOut && unknown.length > 0) faults.push(...unknownFaults(unknown, layout))
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

function named(titles: readonly string[], { columns }: Layout, titleMap: TitleMap): readonly Named[] {
  const before = columns.flatMap((column) => column.before.map((name) => [headerWord(name), column] as const))
  const known = new Map([...before, ...columns.map((column) => [headerWord(column.title), column] as const)])
  const renamed = new Map(titleMap.titles.map(([title, to]) => [headerWord(title), to]))
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

/** The most titles among which a nearest one is looked for: more would take long. */
const COMPARED = 200

function judgeTitleMap(titles: readonly string[], { columns }: Layout, titleMap: TitleMap): void {
  const names = columns.map(({ title }) => title)
  const before = columns.flatMap((column) => column.before)
  const [there, known] = [new Set(titles.map(headerWord)), new Set([...names, ...before].map(headerWord))]
  const hint = (one: string, all: readonly string[]): string => {
    const meant = nearest(one.slice(0, LIMITS.unknownKeyLength), all)
    return meant === undefined ? '' : `; did you mean "${meant}"?`
  }
  const wrong = titleMap.titles
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
