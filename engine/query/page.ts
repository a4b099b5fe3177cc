/** The SQL of a page: its rows first, then what is embedded in them. */
import { and, type Fragment, join, type Sql, sql } from '../filter/sql.ts'
import type { SortKey } from './order.ts'

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
