/** The matches of a search in the records of a page: which fields have its words, and pieces of their texts with the words marked. */

import { isSearchable } from '../ask/askable.ts'
import type { Field, FilterPath, Resource } from '../catalog/catalog.ts'
import { join, or, type Sql, sql } from '../filter/sql.ts'
import { hasStemSql, type Stem } from '../filter/stem.ts'
import { foldSql, foldText } from '../filter/text-forms.ts'
import { writtenPath } from '../plan/plan.ts'
import type { SearchShape } from '../plan/read-plan.ts'
import type { SelectScope } from './compiled.ts'
import { fieldSql } from './condition.ts'
import { isValueSql, textsSql, wantedWord } from './search.ts'

/** Characters of a text that are read for a snippet, and how many of them before the first word. */
const READ = 600
const READ_BEFORE = 200

/** Characters of a text in which other forms of a word are looked for. */
const READ_FOR_FORMS = 10_000

/** A column of the page's record `t` for one field that is searched. */
export interface MatchColumn {
  readonly name: string
  /** Whether the field has a word; with snippets null, or a JSON array: the begin of the piece, the length of the text, the piece, and the words of a stem. */
  readonly sql: Sql
}

/** The columns of all fields that the caller may search and see. */
export function matchColumns(scope: SelectScope, resource: Resource, shape: SearchShape): readonly MatchColumn[] {
  if (shape.wanted === 0) return []
  const paths = resource.search.filter((path) => path.field.show !== 'never' && isSearchable(scope, resource, path))
  const words = Array.from({ length: shape.wanted }, (_, at) => wantedWord(shape, at))
  const stands = words.map(({ pattern, stem }) => {
    const written = sql`x.v like (select ${foldSql(pattern)})`
    return stem === undefined ? written : sql`(${written} or ${hasStemSql(stem, 'x.o', 'x.v')})`
  })
  const places = words.map(({ exact }) => sql`nullif(position((select ${foldSql(exact)}) in x.v), 0)`)
  const forms = formsSql(words.flatMap(({ stem }) => stem ?? []))
  if (forms !== undefined) places.push(sql`(select min(position(f in x.v)) from unnest(s.forms) f)`)
  // Of several texts that of most words is shown; which one it is may not depend on how the database keeps them.
  const most = join(
    stands.map((one) => sql`(${one})::integer`),
    ' + ',
  )
  const matchIn = (path: FilterPath): MatchColumn => {
    const texts = sql`(${textsSql(scope, path, 't')}) x`
    const name = writtenPath(path)
    if (!shape.snippets) return { name, sql: sql`exists (select 1 from ${texts} where ${or(stands)})` }
    const begin = sql`greatest(1, least(${join(places)}) - ${READ_BEFORE})`
    const told = forms === undefined ? '' : ', s.forms'
    const piece = sql`json_build_array(b.begin, length(x.o), substr(x.o, b.begin, ${READ})${told})::text`
    const found = forms === undefined ? '' : sql` cross join lateral (select ${forms} as forms) s`
    const from = sql`${texts}${found} cross join lateral (select ${begin} as begin) b`
    return { name, sql: sql`(select ${piece} from ${from} where ${or(stands)} order by ${most} desc, x.o limit 1)` }
  }
  // A field in which the words are sought shows its own value.
  const named = shape.identifiers.filter((field) => !paths.some((path) => isOwn(path) && path.field === field))
  return [...paths.map(matchIn), ...named.map((field) => namedColumn(field, shape.snippets))]
}

function isOwn({ relations, through }: FilterPath): boolean {
  return relations.length === 0 && through === undefined
}

/** A field whose value is the whole text of the search. */
function namedColumn(field: Field, snippets: boolean): MatchColumn {
  const { name } = field
  const named = isValueSql(field, 't')
  if (!snippets) return { name, sql: sql`(${named})` }
  const text = sql`(${fieldSql(field, 't')})::text`
  return { name, sql: sql`(case when ${named} then json_build_array(1, length(${text}), ${text})::text end)` }
}

/** The words of the text `x` that have one of the stems, without case and accents; undefined where none is sought. */
function formsSql(stems: readonly Stem[]): Sql | undefined {
  if (stems.length === 0) return undefined
  const has = or(stems.map((stem) => hasStemSql(stem, 'w', foldSql('w'))))
  const words = sql`regexp_split_to_table(left(x.o, ${READ_FOR_FORMS}), '[[:space:][:punct:]]+') w`
  return sql`array(select distinct ${foldSql('w')} from ${words} where w <> '' and ${has})`
}

/** What clients of earlier versions call a field. */
export function earlierNamesOf({ earlier }: Resource, name: string): readonly string[] {
  return [...(earlier?.names ?? [])].flatMap(([before, { instead }]) => (instead === name ? [before] : []))
}

/** Characters of a snippet, and how many of them before the first word that is marked. */
const LENGTH = 160
const BEFORE = 60

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

type Range = readonly [from: number, until: number]

/** A part of a text, with the numbers of characters before and after it. */
export interface Piece {
  readonly text: string
  readonly before: number
  readonly behind: number
}

/** HTML of a piece, in which nothing but `<mark>` is markup. */
export function snippet({ text, before, behind }: Piece, words: readonly string[]): string {
  const characters = [...text]
  const ranges = rangesOf(characters, words)
  const [first] = ranges
  const begin = first === undefined ? 0 : wordBegin(characters, Math.max(0, first[0] - BEFORE), first[0])
  const end = wordEnd(characters, Math.min(characters.length, begin + LENGTH), first?.[1] ?? 0)
  const html: string[] = [before + begin > 0 ? '…' : '']
  let at = begin
  for (const [from, until] of ranges) {
    if (until > end) break
    html.push(escaped(characters.slice(at, from)), '<mark>', escaped(characters.slice(from, until)), '</mark>')
    at = until
  }
  html.push(escaped(characters.slice(at, end)), behind > 0 || end < characters.length ? '…' : '')
  return html.join('')
}

/** The ranges of the words, in order, without overlaps. */
function rangesOf(characters: readonly string[], words: readonly string[]): readonly Range[] {
  const places: number[] = []
  let folded = ''
  characters.forEach((character, place) => {
    const plain = foldText(character)
    folded += plain
    for (let i = 0; i < plain.length; i += 1) places.push(place)
  })
  const found: Range[] = []
  for (const word of words.map(foldText)) {
    if (word === '') continue
    for (let at = folded.indexOf(word); at !== -1; at = folded.indexOf(word, at + word.length))
      found.push([places[at]!, places[at + word.length] ?? characters.length])
  }
  const merged: Range[] = []
  for (const [from, until] of found.sort((one, other) => one[0] - other[0] || other[1] - one[1])) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last[1]) merged[merged.length - 1] = [last[0], Math.max(last[1], until)]
    else merged.push([from, until])
  }
  return merged
}

/** The first place of a word at or after `at`, but not after `latest`. */
function wordBegin(characters: readonly string[], at: number, latest: number): number {
  if (at === 0) return 0
  const gap = characters.slice(at, latest).findIndex(isSpace)
  return gap === -1 ? at : at + gap + 1
}

/** The end of a word at or before `at`, but not before `earliest`. */
function wordEnd(characters: readonly string[], at: number, earliest: number): number {
  if (at === characters.length) return at
  for (let end = at; end > earliest; end -= 1) if (isSpace(characters[end]!)) return end
  return Math.max(at, earliest)
}

function isSpace(character: string): boolean {
  return /\s/u.test(character)
}

function escaped(characters: readonly string[]): string {
  return characters.join('').replace(/[&<>"']/g, (character) => ENTITIES[character]!)
}
