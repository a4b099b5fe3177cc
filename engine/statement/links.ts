/**
 * Links of many-to-many relations compiled to SQL: a caller that sees only some of the records knows and changes the
 * links to these alone.
 */

import { reach } from '../ask/policy.ts'
import type { ManyToMany, Resource } from '../catalog/catalog.ts'
import { idSql, idsType, idType, targetOf } from '../catalog/stored.ts'
import { and, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { type Compiled, compiled, type SelectScope } from './compiled.ts'
import { conditionSql, existenceSql, reachSql } from './condition.ts'

/**
 * Compiles which records may be linked to a record: of those that the caller may view, what exists and matches the
 * relation's condition, and what is linked already. Slots: `ids`, `id`.
 */
export function compileSelectable(scope: SelectScope, resource: Resource, relation: ManyToMany): Compiled {
  const target = targetOf(scope.catalog, relation)
  const allowed = shownSql(scope, relation)
  const { table, from, to } = relation.through
  const links = sql`select j.${quoted(to)} from ${quoted(table)} j where j.${quoted(from)} = ${slot('id')}::${idType(resource)}`
  const id = idSql(target, 'r')
  const seen = reachSql(scope, reach(target.policies.view, scope.actor), 'r')
  return compiled(
    sql`select ${id} from ${quoted(target.table)} r
      where ${id} = any(${slot('ids')}::${idsType(target)}) and ${seen} and ((${and(allowed)}) or ${id} in (${links}))`,
  )
}

/** Compiles the ids of the records that the relation shows the caller of a record. Slot: `id`. */
export function compileLinked(scope: SelectScope, resource: Resource, relation: ManyToMany): Compiled {
  const { table, to } = relation.through
  const where = and(linksSql(scope, resource, relation, shownSql(scope, relation)))
  return compiled(sql`select j.${quoted(to)} from ${quoted(table)} j where ${where}`)
}

/** Compiles removing the links that the relation shows the caller of a record, but those to `ids`; gives the ids that it was linked to. Slots: `ids`, `id`. */
export function compileUnlink(scope: SelectScope, resource: Resource, relation: ManyToMany): Compiled {
  const { table, to } = relation.through
  const where = and(otherLinks(scope, resource, relation))
  return compiled(sql`delete from ${quoted(table)} j where ${where} returning j.${quoted(to)}`)
}

/** Compiles finding the pairs of such links in the table of `joining`: their ids, and those that they lead to. Slots: `ids`, `id`. */
export function compileLeaving(
  scope: SelectScope,
  resource: Resource,
  relation: ManyToMany,
  joining: Resource,
): Compiled {
  const { table, to } = relation.through
  const id = idSql(joining, 'j')
  const where = and(otherLinks(scope, resource, relation))
  return compiled(sql`select ${id}, j.${quoted(to)} from ${quoted(table)} j where ${where} order by ${id}`)
}

/** Compiles which of `ids` a record is not linked to yet, lowest first. Slots: `ids`, `id`. */
export function compileComing({ catalog }: SelectScope, resource: Resource, relation: ManyToMany): Compiled {
  const { from, table, to } = relation.through
  const linked = sql`select 1 from ${quoted(table)} j where j.${quoted(from)} = ${slot('id')}::${idType(resource)} and j.${quoted(to)} = i.id`
  const ids = idsType(targetOf(catalog, relation))
  return compiled(sql`select i.id from unnest(${slot('ids')}::${ids}) as i(id) where not exists (${linked}) order by 1`)
}

/** Links to what is deleted, or is none of the relation's records, stay: nobody who sends a list knows of them. */
function otherLinks(scope: SelectScope, resource: Resource, relation: ManyToMany): readonly Sql[] {
  const target = targetOf(scope.catalog, relation)
  const others = sql`not j.${quoted(relation.through.to)} = any(${slot('ids')}::${idsType(target)})`
  return [...linksSql(scope, resource, relation, shownSql(scope, relation)), others]
}

/** The conditions on the records `r` that the relation shows, the same for every caller. */
function shownSql(scope: SelectScope, relation: ManyToMany): readonly Sql[] {
  const target = targetOf(scope.catalog, relation)
  return [
    ...existenceSql(scope, target, 'r'),
    ...(relation.where === undefined ? [] : [conditionSql(scope.catalog, relation.where, 'r')]),
  ]
}

/** The conditions of links `j` of a record to records `r` that the caller may view and that meet `further`. */
function linksSql(
  scope: SelectScope,
  resource: Resource,
  relation: ManyToMany,
  further: readonly Sql[],
): readonly Sql[] {
  const { from, to } = relation.through
  const target = targetOf(scope.catalog, relation)
  const own = sql`j.${quoted(from)} = ${slot('id')}::${idType(resource)}`
  const reached = reach(target.policies.view, scope.actor)
  const seen = [...(reached.kind === 'all' ? [] : [reachSql(scope, reached, 'r')]), ...further]
  if (seen.length === 0) return [own]
  const ids = sql`select ${idSql(target, 'r')} from ${quoted(target.table)} r where ${and(seen)}`
  return [own, sql`j.${quoted(to)} in (${ids})`]
}
