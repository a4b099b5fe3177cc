/** Sort terms as SQL: what rows are ordered by, always in a total order. */
import type { Resource, SortTerm } from '../catalog/catalog.ts'
import { idSql } from '../catalog/stored.ts'
import { targetOf } from '../catalog/target.ts'
import { and, join, quoted, type Sql, sql } from '../filter/sql.ts'
import { castType } from './comparison.ts'
import { fieldSql, liveSql } from './condition.ts'
import type { SelectScope } from './scope.ts'

/** ORDER BY of linked sort terms, always ending with the id so that the order is total. */
export function orderSql(scope: SelectScope, resource: Resource, terms: readonly SortTerm[], alias: string): Sql {
  const parts = terms.map((term) => sql`${sortSql(scope, term, alias)} ${term.direction}`)
  const last = terms.at(-1)
  if (last?.path.field.name !== 'id' || last.path.relations.length > 0)
    parts.push(sql`${idSql(resource, alias)} ${last?.direction ?? 'asc'}`)
  return join(parts)
}

/** What one sort term orders by: a value of the record, or one that a chain of sub-selects finds; a deleted record on it is none. */
function sortSql(scope: SelectScope, { path: { relations, field } }: SortTerm, alias: string): Sql {
  const follow = (at: number, from: string): Sql => {
    const relation = relations[at]
    if (relation === undefined) return fieldSql(field, from)
    const next = `${from}_s`
    const target = targetOf(scope.catalog, relation)
    const named = sql`${idSql(target, next)} = ${from}.${quoted(relation.field.column)}`
    const where = and([named, ...liveSql(scope.catalog, target, next)])
    return sql`(select ${follow(at + 1, next)} from ${quoted(target.table)} ${next} where ${where})`
  }
  return follow(0, alias)
}

/** One expression of a sort, with what a cursor has to know of it. */
export interface SortKey {
  readonly sql: Sql
  readonly cast: string
  readonly nullable: boolean
  readonly direction: 'asc' | 'desc'
}

/** The sort's expressions over the row `t`; the last is the id. */
export function sortKeys(scope: SelectScope, sort: readonly SortTerm[]): readonly SortKey[] {
  return sort.map((term) => ({
    sql: sortSql(scope, term, 't'),
    cast: castType(term.path.field),
    nullable: term.path.field.nullable || term.path.relations.length > 0,
    direction: term.direction,
  }))
}
