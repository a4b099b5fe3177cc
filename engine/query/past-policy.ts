/** Whether a policy let the actor see a record as it was: the policy is asked of values that were kept then. */

import type { Catalog, FieldPath, Filter, Resource } from '../catalog/catalog.ts'
import { isStored } from '../catalog/stored.ts'
import { and, or, type Sql, sql } from '../filter/sql.ts'
import { toSql } from '../filter/to-sql.ts'
import { castType, columnSql, forActor } from './comparison.ts'
import { clausesFor } from './policy.ts'
import { type Asking, appended, resourceNamed } from './readable.ts'

/** The name under which a path's value is kept: columns, so that resources on one table agree on it. */
function keptName({ relations, field }: FieldPath): string {
  return [...relations.map((relation) => relation.field.column), field.column].join('.')
}

function pathsOf(filter: Filter): readonly FieldPath[] {
  if (filter.kind === 'compare') {
    const { operand, path } = filter
    return operand.kind === 'record' || operand.kind === 'before' ? [path, operand.path] : [path]
  }
  if (filter.kind === 'related') return []
  return filter.kind === 'not' ? pathsOf(filter.of) : filter.of.flatMap(pathsOf)
}

/** Whether a filter asks for other records, of which nothing is kept. */
function asksForOthers(filter: Filter): boolean {
  if (filter.kind === 'compare' || filter.kind === 'related') return filter.kind === 'related'
  return filter.kind === 'not' ? asksForOthers(filter.of) : filter.of.some(asksForOthers)
}

const known = new WeakMap<Resource, ReadonlyMap<string, FieldPath>>()

/**
 * What has to be kept of a record so that its policy `view` can be asked later, by the name it is kept under: every
 * stored value that a condition compares, of this resource and of the others on its table.
 */
export function policyPaths(catalog: Catalog, resource: Resource): ReadonlyMap<string, FieldPath> {
  const found = known.get(resource)
  if (found !== undefined) return found
  const siblings = [...catalog.resources.values()].filter(({ owner }) => owner === resource.owner)
  // A computed or counted value may differ from reader to reader, so there is no one value to keep; a secret is never kept.
  const paths = siblings
    .flatMap(({ policies }) => policies.view.flatMap(({ where }) => (where === undefined ? [] : pathsOf(where))))
    .filter(({ field }) => isStored(field) && field.type.hidden !== true)
  const byName = new Map(paths.map((path) => [keptName(path), path]))
  known.set(resource, byName)
  return byName
}

/**
 * The SQL condition that the actor's policy `view` holds for the values in `kept`, a jsonb expression with the names of
 * `policyPaths`. True for those who see every record; a condition on a value that was not kept never holds.
 */
export function keptWithinSql(asking: Asking, resource: string, kept: string, values: unknown[]): string {
  const clauses = clausesFor(resourceNamed(asking.catalog, resource).policies.view, asking.actor)
  if (asking.actor.kind === 'system' || clauses.some(({ where }) => where === undefined)) return 'true'
  if (clauses.length === 0) return 'false'
  const held = clauses.map(({ where }) => heldSql(where!, kept))
  return appended(sql`coalesce(${or(held)}, false)`, values, asking)
}

/** The condition that a filter holds for kept values. */
export function heldSql(filter: Filter, kept: string): Sql {
  const paths = pathsOf(filter)
  if (asksForOthers(filter)) return sql`false`
  if (!paths.every(({ field }) => isStored(field))) return sql`false`
  const present = paths.map((path) => sql`(${kept}) ? ${textOf(keptName(path))}`)
  const condition = toSql(filter, (comparison, negated) => {
    const { operand, path } = comparison
    const value = operand.kind === 'record' || operand.kind === 'before' ? keptSql(operand.path, kept) : undefined
    const asked = { comparison, negated, value }
    return forActor(asked, columnSql(asked, keptSql(path, kept)))
  })
  return sql`(${and([...present, condition])})`
}

function keptSql(path: FieldPath, kept: string): Sql {
  const name = textOf(keptName(path))
  return path.field.type.wire === 'json'
    ? sql`((${kept}) -> ${name})`
    : sql`((${kept}) ->> ${name})::${castType(path.field)}`
}

/** A name of the catalog as an SQL text. */
function textOf(name: string): string {
  return `'${name.replaceAll("'", "''")}'`
}
