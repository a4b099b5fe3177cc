/** The SQL of a page of a search, with its total: all matches, or as many as one answer may look at. */
import { and, join, type Sql, sql } from '../filter/sql.ts'
import type { PageParts } from './page.ts'
import type { SearchParts, Source } from './search.ts'

/** Columns before the cursor's where a searched page counts: the total, whether there may be more, and the id that is null on an empty page. */
export const COUNTED_COLUMNS = ['c.n', 'c.more', 'p."id"'] as const

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

/** A page of all matches of a search without a wanted word. They are found once, as `m`: the page and the count both read them. */
export function wholePage(parts: PageParts, { rest }: SearchParts, counted: boolean): Sql {
  const matches = sql`select ${rowsOf(parts)} from ${parts.table} t where ${and([...parts.where, ...rest])}`
  const count = sql`select count(*) as n, false as more from m`
  return sql`with m as materialized (${matches}) ${pageOf(parts, sql`m`, counted ? count : undefined)}`
}

/**
 * A page of the matches of words that may be common. Of each word so many rows are looked at (`w0`, `w1` …). Where one
 * has no more than that, its records are all candidates, and the total is exact (`m`). Where every word has more, records
 * with all of them most likely come early in any order: the first of the list are looked through (`l`), and all matches
 * are sorted (`f`) only where these do not fill the page. `n` decides once which parts run at all,
 * and whether matches are ranked. What the text names (`e`) is a match however common the words are.
 */
export function boundedPage(parts: PageParts, search: SearchParts, counted: boolean, bounds: SearchBounds): Sql {
  const { table, id, where } = parts
  const { named, words } = search
  const rest = [...search.rest, ...bounds.after]
  const found = rowsOf(parts)
  const idsOf = (sources: readonly Source[], how: 'from' | 'each'): Sql => {
    const ids = sources.map((one) => sql`select t.${id} as "id" from ${one[how]} where ${and([...where, one.where])}`)
    return ids.length === 0 ? sql`select t.${id} as "id" from ${table} t where false` : join(ids, ' union all ')
  }
  const few = words.map(({ sources }, i) => {
    const rows = idsOf(sources, bounds.open ? 'each' : 'from')
    return sql`w${i} as materialized (select x."id" from (${rows}) x limit ${bounds.counted + 1})`
  })
  const many = words.map((_, i) => sql`(select count(*) from w${i}) > ${bounds.counted} as b${i}`)
  const rarest = sql`least(${join(words.map((_, i) => sql`(select count(*) from w${i})`))})`
  const before = (i: number): Sql => and([...words.slice(0, i).map((_, one) => `b${one}`), `not b${i}`])
  const candidates = words.map((_, i) => sql`select w${i}."id" from w${i} where (select ${before(i)} from n)`)
  const common = sql`(select ${and(words.map((_, i) => `b${i}`))} from n)`
  const held = words.map(
    ({ holds }, i) => sql`(t.${id} in (select w${i}."id" from w${i}) or ((select b${i} from n) and ${holds}))`,
  )
  const matched = and(words.length === 1 ? ['true'] : held)
  const isNamed = sql`t.${id} in (select e."id" from e)`
  const others = named === undefined ? [] : [sql`not ${isNamed}`]
  if (named !== undefined) candidates.push(sql`select e."id" from e`)
  const holds = named === undefined ? matched : sql`(${isNamed} or (${matched}))`
  const walked = sql`(select t.* from ${table} t where ${and(where)} order by ${bounds.order} limit ${bounds.walked}) t`
  const tables = [
    ...search.tables,
    ...few,
    ...(named === undefined
      ? []
      : [sql`e as materialized (select t.${id} as "id" from ${table} t where ${and([...where, named])})`]),
    sql`n as materialized (select ${join([...many, sql`${rarest} <= ${bounds.ranked} as ranked`])})`,
    sql`m as materialized (select ${found} from (select distinct d."id" from (${join(candidates, ' union all ')}) d) d join ${table} t on t.${id} = d."id" where ${and([holds, ...rest])})`,
    sql`l as materialized (select ${found} from ${walked} where ${and([common, ...words.map(({ probe }) => probe), ...others, ...rest])})`,
    sql`f as materialized (select ${found} from ${table} t where ${and([common, sql`(select count(*) from l) < ${bounds.needed}`, sql`t.${id} in (${idsOf(words[0]!.sources, 'from')})`, ...words.slice(1).map(({ holds }) => holds), ...others, ...rest])})`,
  ]
  // Which rows were looked at is a matter of how the database keeps them, hidden ones too: a round number tells nothing of that.
  const least = words.length === 1 ? sql`(select count(distinct w0."id") / 100 * 100 from w0)` : sql`0`
  const count = sql`select case when ${common} then greatest((select count(*) from m) + greatest((select count(*) from l), (select count(*) from f)), ${least}) else (select count(*) from m) end as n, ${common} and not exists (select 1 from f) as more`
  const rows = sql`(select * from m union all select * from l where not exists (select 1 from f) union all select * from f) m`
  return sql`with ${join(tables)} ${pageOf(parts, rows, counted ? count : undefined)}`
}

/** The id of a match and what it is ordered by. */
function rowsOf({ id, sorted }: PageParts): Sql {
  return join([`t.${id} as "id"`, ...sorted.map((key, i) => sql`${key.sql} as s${i}`)])
}

/** The records of a page out of its matches; with a `count`, beside what that gives. */
function pageOf({ table, id, sorted, limit, columns, joins }: PageParts, matches: Sql, count: Sql | undefined): Sql {
  const orderOf = (alias: string): Sql => join(sorted.map((key, i) => `${alias}.s${i} ${key.direction}`))
  const page = sql`(select m.* from ${matches} order by ${orderOf('m')} ${limit}) p`
  const record = sql`join ${table} t on t.${id} = p."id"`
  const rows = count === undefined ? sql`${page} ${record}` : sql`(${count}) c left join ${page} on true left ${record}`
  return sql`select ${join(columns)} from ${rows} ${joins} order by ${orderOf('p')}`
}
