/** What an automation gives records, as SQL: values for several records at once, and the choice of a record for one. */
import type { Field, Pick, Resource, Value } from '../catalog/catalog.ts'
import { idSql, idsType, idType, targetOf } from '../catalog/stored.ts'
import { compileSerializer } from '../field/wire.ts'
import { and, join, parameter, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { type Compiled, type CompiledRecord, compiled, type SelectScope } from './compiled.ts'
import { conditionSql, existenceSql, type Judged } from './condition.ts'
import { valueSql } from './written-values.ts'

const RECORD: Judged = { record: 't', before: undefined }

/**
 * Compiles values made of records: a row for each of `ids`, its id and then the values, as JSON by their fields. Without a
 * resource there is one row, of id 0.
 */
export function compileValues(
  scope: SelectScope,
  resource: Resource | undefined,
  set: readonly { readonly field: Field; readonly value: Value }[],
): CompiledRecord {
  const values = set.map(({ field, value }) => valueSql(scope, field, value, RECORD))
  const serialize = compileSerializer({
    kind: 'object',
    present: undefined,
    entries: set.map(({ field }, i) => ({
      name: field.name,
      node: { kind: 'column', index: i + 1, wire: field.type.wire },
    })),
  })
  const from =
    resource === undefined
      ? sql``
      : sql` from ${quoted(resource.table)} t where ${idSql(resource, 't')} = any(${slot('ids')}::${idsType(resource)})`
  const id = resource === undefined ? sql`0` : sql`${idSql(resource, 't')}`
  return { ...compiled(sql`select ${join([id, ...values])}${from}`), serialize }
}

/** Compiles the choice of a record for the one of `id`: no row where there is none. Slots: `id`, `automation`. */
export function compilePick(scope: SelectScope, resource: Resource, field: Field, pick: Pick): Compiled {
  const { catalog } = scope
  const target = targetOf(catalog, pick.relation)
  const name = sql`${parameter({ kind: 'literal', value: field.name })}::text`
  const where = and([
    sql`${idSql(resource, 't')} = ${slot('id')}::${idType(resource)}`,
    conditionSql(catalog, pick.from, 'c', RECORD),
    ...existenceSql(scope, target, 'c'),
  ])
  const order: readonly Sql[] = [
    ...(pick.by === 'fewest' ? [countSql(scope, resource, field, pick)] : []),
    sql`coalesce(k.turn, 0)`,
    sql`${idSql(target, 'c')}`,
  ]
  return compiled(
    sql`select ${idSql(target, 'c')} from ${quoted(resource.table)} t cross join ${quoted(target.table)} c left join plinth_automation_turn k on k.automation = ${slot('automation')}::text and k.field = ${name} and k.chosen_id = ${idSql(target, 'c')} where ${where} order by ${join(order)} limit 1`,
  )
}

/** How many other records of the resource lead to `c` already. */
function countSql(scope: SelectScope, resource: Resource, field: Field, { relation, where }: Pick): Sql {
  const counted = and([
    sql`o.${quoted(field.column)} = ${idSql(targetOf(scope.catalog, relation), 'c')}`,
    sql`${idSql(resource, 'o')} <> ${idSql(resource, 't')}`,
    ...existenceSql(scope, resource, 'o'),
    ...(where === undefined ? [] : [conditionSql(scope.catalog, where, 'o', RECORD)]),
  ])
  return sql`(select count(*) from ${quoted(resource.table)} o where ${counted})`
}
