/** The SQL of a page of a search, with its total: its matches, how well they answer, and misspelt words corrected. */

import { isSearchable } from '../ask/askable.ts'
import type { Field, FieldPath, Resource, SearchPath } from '../catalog/catalog.ts'
import { idSql } from '../catalog/stored.ts'
import { and, type Fragment, join, quoted, type Sql, sql } from '../filter/sql.ts'
import { hasStemSql } from '../filter/stem.ts'
import { foldSql } from '../filter/text-forms.ts'
import type { SearchShape } from '../plan/read-plan.ts'
import type { SelectScope } from './compiled.ts'
import { pathValueSql } from './condition.ts'
import {
  correctedWord,
  namedFirstSql,
  type SearchParts,
  type Source,
  searchParts,
  textsSql,
  type WantedWord,
  wantedWord,
  wordSql,
} from './search.ts'
import type { SortKey } from './select.ts'

/** What a page is made of. `columns`, `joins` and `where` are over the row `t` of the table. */
export interface PageParts {
  readonly table: string
  /** The column of the id. */
  readonly id: string
  readonly where: readonly Sql[]
  readonly sorted: readonly SortKey[]
  readonly limit: Sql
  readonly columns: readonly Fragment[]
  readonly joins: string
}

/** Columns before the cursor's where a searched page counts: the total, whether there may be more, and the id that is null on an empty page. */
export const COUNTED_COLUMNS = ['counted.total', 'counted.more', 'p."id"'] as const

/** How far a search looks. */
export interface SearchBounds {
  /** Texts with one word that are looked at for the total. */
  readonly counted: number
  /** Records at the beginning of the order in which common words are looked for. */
  readonly walked: number
  /** Rows that the page needs, those before it included. */
  readonly needed: Sql
  /** Whether nearly every record is in the list, so that each match is looked up by itself. */
  readonly open: boolean
  /** The order of the list, over `t`; of a ranked one that of equal ranks. */
  readonly order: Sql
  /** Texts with the rarest of the words up to which matches are ranked. */
  readonly ranked: number
  /** Where a ranked list goes on; another one has that among the conditions of its page. */
  readonly after: readonly Sql[]
}

/** A page of all matches of a search without a wanted word. They are found once: the page and the count both read `plinth_matches`. */
export function wholePage(parts: PageParts, { rest }: SearchParts, counted: boolean): Sql {
  const matches = sql`select ${rowsOf(parts)} from ${parts.table} t where ${and([...parts.where, ...rest])}`
  const count = sql`select count(*) as total, false as more from plinth_matches`
  return sql`with plinth_matches as materialized (${matches}) ${pageOf(parts, sql`plinth_matches m`, counted ? count : undefined)}`
}

/**
 * A page of the matches of words that may be common. So many rows of each word are looked at (`plinth_word_hits_0` …). Where one
 * has no more than that, its records are all candidates, and the total is exact (`plinth_matches`). Where every word has more,
 * records with all of them most likely come early in any order: the first of the list are looked through
 * (`plinth_first_walked`), and all matches are sorted (`plinth_all_sorted`) only where these do not fill the page. `plinth_common_words`
 * decides once which parts run at all, and whether matches are ranked. What the text names (`plinth_named`) is a match however
 * common the words are.
 */
export function boundedPage(parts: PageParts, search: SearchParts, counted: boolean, bounds: SearchBounds): Sql {
  const isCommon = sql`(select ${and(search.words.map((_, i) => commonWord(i)))} from plinth_common_words)`
  const tables = [
    ...search.tables,
    ...hitTables(parts, search, bounds),
    ...matchTables(parts, search, bounds, isCommon),
  ]
  // Which rows were looked at is a matter of how the database keeps them, hidden ones too: a round number tells nothing of that.
  const least =
    search.words.length === 1
      ? sql`(select count(distinct plinth_word_hits_0."id") / 100 * 100 from plinth_word_hits_0)`
      : sql`0`
  const found = sql`greatest((select count(*) from plinth_first_walked), (select count(*) from plinth_all_sorted))`
  const all = sql`(select count(*) from plinth_matches)`
  const total = sql`case when ${isCommon} then greatest(${all} + ${found}, ${least}) else ${all} end`
  const count = sql`select ${total} as total, ${isCommon} and not exists (select 1 from plinth_all_sorted) as more`
  const rows = sql`(select * from plinth_matches union all select * from plinth_first_walked where not exists (select 1 from plinth_all_sorted) union all select * from plinth_all_sorted) m`
  return sql`with ${join(tables)} ${pageOf(parts, rows, counted ? count : undefined)}`
}

/** The column of `plinth_common_words` that says whether a word is a common one. */
function commonWord(at: number): string {
  return `is_common_${at}`
}

/** The ids of the list's records that have a word. */
function idsOf({ id, table, where }: PageParts, sources: readonly Source[], how: 'from' | 'each'): Sql {
  const ids = sources.map((one) => sql`select t.${id} as "id" from ${one[how]} where ${and([...where, one.where])}`)
  return ids.length === 0 ? sql`select t.${id} as "id" from ${table} t where false` : join(ids, ' union all ')
}

/** The first hits of each word, what the text names, and which words are common. */
function hitTables(parts: PageParts, { named, words }: SearchParts, bounds: SearchBounds): readonly Sql[] {
  const { id, table, where } = parts
  const hits = words.map(({ sources }, i) => {
    const rows = idsOf(parts, sources, bounds.open ? 'each' : 'from')
    return sql`plinth_word_hits_${i} as materialized (select x."id" from (${rows}) x limit ${bounds.counted + 1})`
  })
  const common = words.map(
    (_, i) => sql`(select count(*) from plinth_word_hits_${i}) > ${bounds.counted} as ${commonWord(i)}`,
  )
  const rarest = sql`least(${join(words.map((_, i) => sql`(select count(*) from plinth_word_hits_${i})`))})`
  return [
    ...hits,
    ...(named === undefined
      ? []
      : [sql`plinth_named as materialized (select t.${id} as "id" from ${table} t where ${and([...where, named])})`]),
    sql`plinth_common_words as materialized (select ${join([...common, sql`${rarest} <= ${bounds.ranked} as is_ranked`])})`,
  ]
}

/** The matches among the hits of a rare word, those at the beginning of the list, and all of common words. */
function matchTables(parts: PageParts, search: SearchParts, bounds: SearchBounds, isCommon: Sql): readonly Sql[] {
  const { table, id, where } = parts
  const { named, words } = search
  const rest = [...search.rest, ...bounds.after]
  const found = rowsOf(parts)
  const before = (i: number): Sql =>
    and([...words.slice(0, i).map((_, one) => commonWord(one)), `not ${commonWord(i)}`])
  const candidates = words.map(
    (_, i) =>
      sql`select plinth_word_hits_${i}."id" from plinth_word_hits_${i} where (select ${before(i)} from plinth_common_words)`,
  )
  const held = words.map(
    ({ holds }, i) =>
      sql`(t.${id} in (select plinth_word_hits_${i}."id" from plinth_word_hits_${i}) or ((select ${commonWord(i)} from plinth_common_words) and ${holds}))`,
  )
  const matched = and(words.length === 1 ? ['true'] : held)
  const isNamed = sql`t.${id} in (select plinth_named."id" from plinth_named)`
  const others = named === undefined ? [] : [sql`not ${isNamed}`]
  if (named !== undefined) candidates.push(sql`select plinth_named."id" from plinth_named`)
  const holds = named === undefined ? matched : sql`(${isNamed} or (${matched}))`
  const walked = sql`(select t.* from ${table} t where ${and(where)} order by ${bounds.order} limit ${bounds.walked}) t`
  const probed = and([isCommon, ...words.map(({ probe }) => probe), ...others, ...rest])
  const needed = sql`(select count(*) from plinth_first_walked) < ${bounds.needed}`
  const all = and([
    isCommon,
    needed,
    sql`t.${id} in (${idsOf(parts, words[0]!.sources, 'from')})`,
    ...words.slice(1).map((word) => word.holds),
    ...others,
    ...rest,
  ])
  return [
    sql`plinth_matches as materialized (select ${found} from (select distinct d."id" from (${join(candidates, ' union all ')}) d) d join ${table} t on t.${id} = d."id" where ${and([holds, ...rest])})`,
    sql`plinth_first_walked as materialized (select ${found} from ${walked} where ${probed})`,
    sql`plinth_all_sorted as materialized (select ${found} from ${table} t where ${all})`,
  ]
}

/** The id of a match and what it is ordered by. */
function rowsOf({ id, sorted }: PageParts): Sql {
  return join([`t.${id} as "id"`, ...sorted.map((key, i) => sql`${key.sql} as s${i}`)])
}

/** The records of a page out of its matches, together with the `count` where there is one. */
function pageOf({ table, id, sorted, limit, columns, joins }: PageParts, matches: Sql, count: Sql | undefined): Sql {
  const orderOf = (alias: string): Sql => join(sorted.map((key, i) => `${alias}.s${i} ${key.direction}`))
  const page = sql`(select m.* from ${matches} order by ${orderOf('m')} ${limit}) p`
  const record = sql`join ${table} t on t.${id} = p."id"`
  const rows =
    count === undefined ? sql`${page} ${record}` : sql`(${count}) counted left join ${page} on true left ${record}`
  return sql`select ${join(columns)} from ${rows} ${joins} order by ${orderOf('p')}`
}

/** An identifier that is the word counts more than all weights together: its record comes first. */
const IDENTIFIER = 1_000

/** A record that the whole text names counts more than all words together. */
const NAMED = 1_000_000

/** The rank of the record `t`, as the first key of a ranked list: 0 where the words are too common to rank, and it is not named. */
export function rankKey(scope: SelectScope, resource: Resource, shape: SearchShape): SortKey {
  const paths = resource.search.filter((path) => isSearchable(scope, resource, path))
  const ranks = Array.from({ length: shape.wanted }, (_, at) => {
    const levels = paths.map((path) => levelSql(scope, resource, path, wantedWord(shape, at)))
    return sql`greatest(0, ${join(levels.length === 0 ? ['0'] : levels)})`
  })
  const { identifiers } = shape
  const named = identifiers.length === 0 ? '' : sql`${NAMED} * ${namedFirstSql(identifiers)} + `
  return {
    sql: sql`(${named}case when (select plinth_common_words.is_ranked from plinth_common_words) then ${join(ranks, ' + ')} else 0 end)`,
    cast: 'integer',
    nullable: false,
    direction: 'desc',
  }
}

/** What a word counts in one text: as the whole of it, as a word, as the beginning of one, or inside of one. */
function levelSql(scope: SelectScope, resource: Resource, path: SearchPath, wanted: WantedWord): Sql {
  const { through, weight } = path
  if (through !== undefined) return sql`case when ${wordSql(scope, path, 't', wanted)} then ${weight} else 0 end`
  const text = pathValueSql(scope.catalog, path, 't', undefined, false)
  const word = (text: Sql): Sql => sql`(select ${foldSql(text)})`
  const begins = sql`'\\m' || ${word(wanted.beginning)}`
  // Folded texts compare as bytes; where a word ends is a question about letters of every language.
  const words = 'f.x collate "default"'
  const whole = isIdentifier(resource, path) ? IDENTIFIER : 4 * weight
  // Another form of the word counts like the beginning of one.
  const { stem } = wanted
  const form = stem
    ? sql`when (f.x like ${foldSql(wanted.pattern)}) is not true and ${hasStemSql(stem, 'f.o', 'f.x')} then ${2 * weight} `
    : ''
  const level = sql`case ${form}when (f.x like ${foldSql(wanted.pattern)}) is not true then 0 when f.x = ${word(wanted.exact)} then ${whole} when ${words} ~ (${begins} || '\\M') then ${3 * weight} when ${words} ~ (${begins}) then ${2 * weight} else ${weight} end`
  return sql`(select ${level} from (select ${foldSql('v.x')} as x, v.x as o from (select ${text} as x offset 0) v offset 0) f)`
}

function isIdentifier({ lookup }: Resource, { relations, field }: FieldPath): boolean {
  return relations.length === 0 && (field.unique || lookup.includes(field))
}

/** The first key of a list in which a record that the search names comes first. */
export function namedKey(fields: readonly Field[]): SortKey {
  return { sql: namedFirstSql(fields), cast: 'integer', nullable: false, direction: 'desc' }
}

/** Trigrams that two words must share at least, of all that they have: what pg_trgm itself calls similar. */
const SIMILAR = 0.3

/**
 * The tables that correct a search: `plinth_word_known_0` … tell whether a word is anywhere, `plinth_known_texts` has the texts of the
 * newest `known` records of the list, and `plinth_corrected_words` is a row with a column for each word that may be misspelt. It
 * holds the most similar word of these texts where no record of the list has the word itself, and null otherwise. All of
 * it is what the caller may read, so no word gives away anything else.
 */
export function correctionTables(
  scope: SelectScope,
  resource: Resource,
  shape: SearchShape,
  where: readonly Sql[],
  known: number,
): readonly Sql[] {
  const asked = { ...shape, corrected: false }
  const paths = resource.search.filter((path) => isSearchable(scope, resource, path))
  const none = sql`select null::text as v, null::text as o where false`
  const texts = join([none, ...paths.map((path) => textsSql(scope, path, 't'))], ' union all ')
  const newest = sql`(select t.* from ${quoted(resource.table)} t where ${and(where)} order by ${idSql(resource, 't')} desc limit ${known}) t`
  const { words } = searchParts(scope, resource, asked)
  // Looking for one row alone, PostgreSQL would walk the table until it finds it; asked for many, it takes the indexes.
  const standing = shape.spelt.map((at) => {
    const rows = words[at]!.sources.map((one) => sql`select 1 from ${one.from} where ${and([...where, one.where])}`)
    const found = rows.length === 0 ? sql`select 1 where false` : join(rows, ' union all ')
    return sql`plinth_word_known_${at} as materialized (select 1 from (${found}) o limit ${known})`
  })
  const columns = shape.spelt.map(
    (at) =>
      sql`case when exists (select 1 from plinth_word_known_${at}) then null else (${nearestSql(wantedWord(asked, at).exact)}) end as ${correctedWord(at)}`,
  )
  return [
    ...standing,
    sql`plinth_known_texts as materialized (select distinct v.v from ${newest} cross join lateral (${texts}) v)`,
    sql`plinth_corrected_words as materialized (select ${join(columns)})`,
  ]
}

/**
 * The most similar word of `plinth_known_texts`. Only words that begin like it or end like it are compared: people who mistype a word
 * get one of its ends right, and most texts have no such word.
 */
function nearestSql(asked: Sql): Sql {
  const word = sql`(select ${foldSql(asked)})`
  const [begin, end] = [sql`left(${word}, 2)`, sql`right(${word}, 3)`]
  const pattern = sql`'\\m(?:' || ${begin} || '\\w*|\\w*' || ${end} || ')\\M'`
  const found = sql`select distinct (regexp_matches(x.v collate "default", ${pattern}, 'g'))[1] as word from plinth_known_texts x where x.v like '%' || ${begin} || '%' or x.v like '%' || ${end} || '%'`
  const nearness = sql`similarity(f.word, ${word})`
  return sql`select f.word from (${found}) f where f.word ~ '^[[:alpha:]]+$' and ${nearness} >= ${SIMILAR} order by ${nearness} desc, f.word collate "C" limit 1`
}
