/** Which records a relation of a record may be set to, as conditions: what the write of the relation checks of one of them. */
import type { Filter } from '../catalog/catalog.ts'
import { idSql, idType, tableFields, targetOf } from '../catalog/stored.ts'
import { join, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { comparisons } from '../filter/walk.ts'
import type { ChoiceShape } from '../plan/read-plan.ts'
import type { SelectScope } from './compiled.ts'
import { conditionSql } from './condition.ts'

/**
 * The conditions on the records `alias`, in addition to those of their list. Slots: `chooser`, the id of a stored record,
 * and the values that are given.
 */
export function choosableSql(scope: SelectScope, choice: ChoiceShape, alias: string): readonly Sql[] {
  const { relation, resource, stored } = choice
  if (relation.where === undefined) return []
  if (relation.kind === 'belongs_to') {
    const chosen = conditionSql(scope.catalog, relation.where, alias, { record: 'v', before: undefined })
    if (!asksRecord(relation.where)) return [chosen]
    return [sql`exists (select 1 from (${recordSql(scope, choice)}) v where ${chosen})`]
  }
  const shown = conditionSql(scope.catalog, relation.where, alias)
  if (!stored) return [shown]
  // What is linked already stays a choice, so that a list may be sent back as it is.
  const { from, table, to } = relation.through
  const links = sql`select j.${quoted(to)} from ${quoted(table)} j where j.${quoted(from)} = ${slot('chooser')}::${idType(resource)}`
  return [sql`(${shown} or ${idSql(targetOf(scope.catalog, relation), alias)} in (${links}))`]
}

function asksRecord(filter: Filter): boolean {
  return comparisons(filter).some(({ operand }) => operand.kind === 'record')
}

/** The record as a row: what is given, then what is stored, then nothing. */
function recordSql({ catalog }: SelectScope, { given, resource, stored }: ChoiceShape): Sql {
  const named = new Set(given.map(({ column }) => column))
  const columns = tableFields(catalog, resource).map(({ column, name, sqlType }) => {
    if (named.has(column)) return sql`${slot(`f_${name}`)}::${sqlType} as ${quoted(column)}`
    return stored ? sql`b.${quoted(column)}` : sql`null::${sqlType} as ${quoted(column)}`
  })
  const row = sql`select ${join(columns)}`
  if (!stored) return row
  return sql`${row} from ${quoted(resource.table)} b where ${idSql(resource, 'b')} = ${slot('chooser')}::${idType(resource)}`
}
