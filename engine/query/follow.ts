/** What follows from a write: the row as the caller sends it becomes the row `v` that is judged and stored. */
import type { Catalog, Field, Follow, Resource } from '../catalog/catalog.ts'
import type { WrittenBy } from '../catalog/following.ts'
import { computedSql } from '../catalog/formula.ts'
import { castType, idSql, meets, tableFields } from '../catalog/stored.ts'
import { and, join, or, quoted, type Sql, sql } from '../filter/sql.ts'
import { columnsSet } from '../plan/follow-steps.ts'
import type { WriteShape } from '../plan/write-shape.ts'
import { valueSql } from './assigned.ts'
import { beforeSql, holdsSql, type Judged } from './condition.ts'
import { joiner, type SelectScope } from './scope.ts'

/** How the record of a plan comes to be written. */
export function writtenBy({ action, bulk }: WriteShape): WrittenBy {
  if (action === 'create') return bulk ? 'import' : 'create'
  return 'update'
}

/**
 * The row to write, with what follows on top of `row`, as the definitions of a `with`; the last of them is `v`. `place`: a
 * column of several rows that tells them apart, and goes along.
 */
export function followedRow(scope: SelectScope, plan: WriteShape, row: Sql, place?: string): Sql {
  const { catalog } = scope
  const { assigned, follows, given, resource } = plan
  const by = writtenBy(plan)
  const written = new Set([...given, ...assigned.map(({ field }) => field)].map(({ column }) => column))
  const names = [...follows.map((_, i) => `i${i}`), 'v']
  const rows = follows.map((step, i) =>
    computedRow(catalog, resource, stepSql(scope, resource, step, by, `i${i}`, place), by, columnsSet(step), place),
  )
  const first = computedRow(catalog, resource, row, by, by === 'update' ? written : undefined, place)
  return join([first, ...rows].map((one, i) => sql`${names[i] ?? 'v'} as materialized (${one})`))
}

/**
 * A row with the columns that the database will compute, because these columns of it were written; undefined: all were.
 * The database computes them only when it stores the row, and by then it is judged.
 */
export function computedRow(
  catalog: Catalog,
  resource: Resource,
  row: Sql,
  by: WrittenBy,
  written: ReadonlySet<string> | undefined,
  place?: string,
): Sql {
  const fields = tableFields(catalog, resource)
  const due = fields.filter(({ stored }) => stored && (written === undefined || meets(stored.reads, written)))
  if (due.length === 0) return row
  // What a new record gets from the database only when it is stored is not known before.
  const given = new Set(by === 'update' ? [] : fields.filter(isGiven).map(({ column }) => column))
  const list = fields.map((field) => {
    if (!due.includes(field)) return `r.${quoted(field.column)}`
    const known = !meets(field.stored!.reads, given)
    return `${known ? computedSql(field, 'r') : `null::${castType(field)}`} as ${quoted(field.column)}`
  })
  return sql`select ${join([...list, ...(place === undefined ? [] : [`r.${place}`])])} from (${row}) r`
}

function isGiven({ name, options, type }: Field): boolean {
  return name === 'id' || type.generated?.(options, '') !== undefined
}

function stepSql(
  scope: SelectScope,
  resource: Resource,
  step: readonly Follow[],
  by: WrittenBy,
  alias: string,
  place?: string,
): Sql {
  const joins: string[] = []
  const joinOnce = joiner(scope.catalog, joins)
  const judged: Judged = {
    record: alias,
    before: by === 'update' ? resource.table : undefined,
    beside: (relation) => joinOnce(alias, relation),
    stored: () => storedBeside(resource, alias, joins),
  }
  const columns = tableFields(scope.catalog, resource).map(({ column }) => {
    const own = `${alias}.${quoted(column)}`
    // The last of several that set one field counts.
    const cases = [...step].reverse().flatMap((follow) => {
      const set = follow.set.find(({ field }) => field.column === column)
      if (set === undefined) return []
      return [sql`when ${concernsSql(scope, follow, by, judged)} then ${valueSql(scope, set.field, set.value, judged)}`]
    })
    return cases.length === 0 ? sql`${own}` : sql`case ${join(cases, ' ')} else ${own} end as ${quoted(column)}`
  })
  const carried = place === undefined ? [] : [`${alias}.${place}`]
  return sql`select ${join([...columns, ...carried])} from ${alias} ${joins.join(' ')}`
}

/** Joins the stored row of the record `alias` once and gives its alias. */
function storedBeside(resource: Resource, alias: string, joins: string[]): string {
  const stored = `${alias}_b`
  const text = `left join ${quoted(resource.table)} ${stored} on ${idSql(resource, stored)} = ${idSql(resource, alias)}`
  if (!joins.includes(text)) joins.push(text)
  return stored
}

/** Whether an entry concerns the row: what it waits for has changed, and its condition holds. */
function concernsSql({ catalog }: SelectScope, { changed, when }: Follow, by: WrittenBy, judged: Judged): Sql {
  const moved = (changed ?? []).map((field) => {
    const before = beforeSql(catalog, { relations: [], field }, judged, castType(field))
    return sql`${judged.record}.${quoted(field.column)} is distinct from ${before}`
  })
  const conditions = [
    ...(by !== 'update' || changed === undefined ? [] : [sql`(${or(moved)})`]),
    ...(when === undefined ? [] : [holdsSql(catalog, when, judged.record, judged)]),
  ]
  return and(conditions)
}
