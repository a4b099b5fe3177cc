/** The SQL of a page: its rows first, then what is embedded in them. */
import { and, type Fragment, join, type Sql, sql } from '../filter/sql.ts'
import type { SortKey } from './order.ts'
import type { SearchParts } from './search.ts'

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

/** A page without a search. Where it is `deep`, ids are found first, so that the rows that are skipped stay unread. */
export function plainPage({ table, id, where, limit, columns, joins }: PageParts, order: Sql, deep: boolean): Sql {
  const rows = sql`from ${table} t where ${and(where)} order by ${order} ${limit}`
  const page = deep ? sql`(select t.${id} ${rows}) p join ${table} t on t.${id} = p.${id}` : sql`(select t.* ${rows}) t`
  return sql`select ${join(columns)} from ${page} ${joins} order by ${order}`
}

/** Columns before the cursor's where a searched page counts: the total, and the id that is null on an empty page. */
export function countedColumns(id: string): readonly string[] {
  return ['c.n', `p.${id}`]
}

/** A page of a search. The matches are found once, as `m`: the page and the count both read them. */
export function searchedPage(parts: PageParts, { sources, rest }: SearchParts, counted: boolean): Sql {
  const { table, id, where, sorted, limit, columns, joins } = parts
  const found = join([`t.${id}`, ...sorted.map((key, i) => sql`${key.sql} as s${i}`)])
  const matches = (sources.length === 0 ? [sql`false`] : sources).map(
    (source) => sql`select ${found} from ${table} t where ${and([...where, source, ...rest])}`,
  )
  const orderOf = (alias: string): Sql => join(sorted.map((key, i) => `${alias}.s${i} ${key.direction}`))
  const page = sql`(select m.* from m order by ${orderOf('m')} ${limit}) p`
  const record = sql`join ${table} t on t.${id} = p.${id}`
  const rows = counted
    ? sql`(select count(*) as n from m) c left join ${page} on true left ${record}`
    : sql`${page} ${record}`
  return sql`with m as materialized (${join(matches, ' union ')}) select ${join(columns)} from ${rows} ${joins} order by ${orderOf('p')}`
}
