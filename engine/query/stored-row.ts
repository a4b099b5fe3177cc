/** The stored row of an update: found by its id and version, or by the update itself. */
import type { Clause, Resource } from '../catalog/catalog.ts'
import { idType } from '../catalog/key.ts'
import { castType, idSql } from '../catalog/stored.ts'
import { and, or, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { shapeOf } from '../plan/plan.ts'
import type { WriteShape } from '../plan/write-shape.ts'
import { holdsSql } from './condition.ts'
import { reach } from './policy.ts'
import { existenceSql, reachSql, type SelectScope } from './scope.ts'

/** Where an update reads the row that is stored, and how it sees that it still is. */
export interface StoredRow {
  /** Definitions of a `with` that come before the row to write. */
  readonly definitions: readonly Sql[]
  /** The row as `t`. */
  readonly source: Sql
  /** What the update reads beside the row `v`. */
  readonly also: string
  /** The conditions on `t` under which the update takes place. */
  readonly same: readonly Sql[]
  /** The written row `w` beside the row `o` that it was. */
  readonly former: Sql
}

/** The stored row of an update, by the slots `id` and `version`, or `lookup`. */
export function storedRow(scope: SelectScope, plan: WriteShape): StoredRow {
  const { resource } = plan
  if (plan.finds !== undefined) {
    const table = quoted(resource.table)
    const found = sql`select t.xmin as ${FOUND_VERSION}, t.* from ${table} t where ${and(findings(scope, plan))}`
    const same = [sql`${idSql(resource, 't')} = ${idSql(resource, 's')}`, sql`t.xmin = s.${FOUND_VERSION}`]
    return {
      definitions: [sql`s as materialized (${found})`],
      source: sql`s t`,
      also: ', s',
      same,
      former: sql`w cross join s o`,
    }
  }
  const same = [sql`${idSql(resource, 't')} = ${slot('id')}::${idType(resource)}`]
  // A row that is locked cannot have been changed by others, only by hooks of this very transaction.
  if (plan.answer === 'record') same.push(sql`t.xmin::text = ${slot('version')}::text`)
  const source = sql`${quoted(resource.table)} t where ${and(same)}`
  return { definitions: [], source, also: '', same, former: withFormer(resource) }
}

/** The written row `w` beside the row `o` that it was: a statement sees its own tables as they were before it. */
export function withFormer(resource: Resource): Sql {
  return sql`w join ${quoted(resource.table)} o on ${idSql(resource, 'o')} = ${idSql(resource, 'w')}`
}

/** The column of the row's xmin. */
const FOUND_VERSION = 'plinth_version'

/**
 * What must hold of the row `t` that an update `finds`: it is what the lookup names, it is live, the clause reaches it,
 * its caller sees it, and what is sent changes it. Slots: `lookup`, `f_<field>`.
 */
export function findings(scope: SelectScope, { clause, finds, given, resource }: WriteShape): readonly Sql[] {
  const others = given.map(
    (field) => sql`t.${quoted(field.column)} is distinct from ${slot(`f_${field.name}`)}::${castType(field)}`,
  )
  return [
    ...(finds === undefined ? [] : [sql`t.${quoted(finds.column)} = ${slot('lookup')}::${castType(finds)}`]),
    ...existenceSql(scope, resource, 't'),
    ...(clause?.where === undefined ? [] : [holdsSql(scope.catalog, clause.where, 't')]),
    ...seenSql(scope, resource, clause),
    sql`(${or(others)})`,
  ]
}

/** That the caller may view the row `t`; nothing where it may view all, or all that the clause reaches. */
function seenSql(scope: SelectScope, resource: Resource, clause: Clause | undefined): readonly Sql[] {
  const reached = reach(resource.policies.view, scope.actor)
  if (reached.kind === 'all' || clause === undefined) return []
  if (reached.kind === 'matching' && clause.where !== undefined) {
    const alternatives = reached.filter.kind === 'or' ? [reached.filter, ...reached.filter.of] : [reached.filter]
    const wanted = shapeOf(clause.where)
    if (alternatives.some((one) => shapeOf(one) === wanted)) return []
  }
  return [reachSql(scope, reached, 't')]
}
