/** Orders as SQL: the keys of a total order, and the rows after a cursor. */
import type { Resource, SortTerm } from '../catalog/catalog.ts'
import { idSql, targetOf } from '../catalog/stored.ts'
import { and, join, or, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import type { SelectScope } from './compiled.ts'
import { fieldSql, liveSql } from './condition.ts'

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
    cast: term.path.field.sqlType,
    nullable: term.path.field.nullable || term.path.relations.length > 0,
    direction: term.direction,
  }))
}

/**
 * The condition of the rows after the cursor, for sort expressions in order, the id last. The cursor's values are the
 * slots `k0`, `k1` …, or from another number on; `nulls` says which of them are absent.
 * PostgreSQL's order is kept: NULL last when ascending, first when descending.
 */
export function afterSql(keys: readonly SortKey[], nulls: string, from = 0): Sql {
  const value = (i: number): Sql => sql`${slot(`k${from + i}`)}::${keys[i]!.cast}`
  const absent = (i: number): boolean => nulls[i] === 'n'
  const after = (i: number): Sql => {
    const { sql: key, direction, nullable } = keys[i]!
    if (absent(i)) return direction === 'asc' ? sql`false` : sql`${key} is not null`
    if (direction === 'desc') return sql`${key} < ${value(i)}`
    return nullable ? sql`(${key} > ${value(i)} or ${key} is null)` : sql`${key} > ${value(i)}`
  }
  const tied = (i: number): Sql => (absent(i) ? sql`${keys[i]!.sql} is null` : sql`${keys[i]!.sql} = ${value(i)}`)
  // A row comparison is what an index can start from; NULLs in ascending keys would escape it.
  const [{ direction }] = keys as [SortKey, ...SortKey[]]
  const comparable = keys.every(
    (key, i) => key.direction === direction && !absent(i) && (direction === 'desc' || !key.nullable),
  )
  if (comparable) {
    const [row, values] = [join(keys.map((key) => key.sql)), join(keys.map((_, i) => value(i)))]
    return sql`(${row}) ${direction === 'asc' ? '>' : '<'} (${values})`
  }
  const alternatives = keys.map(
    (_, i) => sql`(${and([...keys.slice(0, i).map((_key, before) => tied(before)), after(i)])})`,
  )
  return sql`(${or(alternatives)})`
}
