/** What decides whether a rule holds of a record, compiled to SQL: each key of its conditions, and the values that it compares. */

import type { Catalog, FieldPath, Filter, RecordRule, WayPath } from '../catalog/catalog.ts'
import { join, type Sql, sql } from '../filter/sql.ts'
import { type Leaf, leaves } from '../filter/walk.ts'
import type { WriteShape } from '../plan/write-shape.ts'
import { type Compiled, compiled } from './compiled.ts'
import { beforeSql, holdsSql, type Judged, pathValueSql, rowsSql } from './condition.ts'
import { afterOf } from './rule-check.ts'
import type { SelectScope } from './scope.ts'
import { draftRow } from './write-statement.ts'

/** A value that a condition compares, as its author calls it. */
interface Compared {
  readonly name: string
  readonly value: Sql
}

export interface CompiledTold extends Compiled {
  /** For each part of the rule: how its values are called. Its columns are whether it holds, then the values. */
  readonly names: readonly (readonly string[])[]
}

/** Compiles what decides of the row that a write would make. Slots: `id`, `f_<field>`. */
export function compileTold(scope: SelectScope, rule: RecordRule, plan: WriteShape): CompiledTold {
  const { catalog } = scope
  const { resource } = plan
  const judged: Judged = { record: 'v', before: resource.table, after: afterOf(scope, resource, 'update', undefined) }
  const definitions = draftRow(scope, plan)
  const parts = rule.parts.map(({ filter }) => ({
    filter,
    compared: unique(leaves(filter).flatMap((leaf) => comparedIn(catalog, leaf, judged))),
  }))
  const columns = parts.flatMap(({ compared, filter }) => [
    holdsSql(catalog, filter, 'v', judged),
    ...compared.map(({ value }) => sql`(${value})::text`),
  ])
  const text = sql`with ${definitions} select ${join(columns)} from v`
  return { ...compiled(text), names: parts.map(({ compared }) => compared.map(({ name }) => name)) }
}

function unique(all: readonly Compared[]): readonly Compared[] {
  return all.filter(({ name }, i) => all.findIndex((one) => one.name === name) === i)
}

function comparedIn(catalog: Catalog, filter: Leaf<FieldPath, WayPath>, judged: Judged): readonly Compared[] {
  if (filter.kind === 'related') {
    const { many, relations } = filter.path
    if (relations.length > 0) return []
    const name = `how many of "${many.name}" it asks for`
    return [{ name, value: sql`(select count(*) ${rowsSql(catalog, filter, 'v', judged)})` }]
  }
  const { operand, path } = filter
  const withDeleted = filter.withDeleted === true
  // A secret is never shown, not even to operators.
  if (path.field.type.hidden === true) return []
  const own = { name: nameOf(path), value: pathValueSql(catalog, path, 'v', judged, withDeleted) }
  if (operand.kind === 'record')
    return [
      own,
      { name: `$record.${nameOf(operand.path)}`, value: pathValueSql(catalog, operand.path, 'v', judged, withDeleted) },
    ]
  if (operand.kind === 'before')
    return [
      own,
      { name: `$before.${nameOf(operand.path)}`, value: beforeSql(catalog, operand.path, judged, 'text', withDeleted) },
    ]
  return [own]
}

function nameOf({ field, relations }: Extract<Filter, { kind: 'compare' }>['path']): string {
  const end = field.relation ?? field.name
  return [...relations.map(({ name }) => name), end].join('.')
}
