/** Whether a policy let the actor see a record as it was: the policy is asked of values that were kept then. */

import type { FieldPath, Filter } from '../catalog/catalog.ts'
import { keptName, pathsOf } from '../catalog/policy-paths.ts'
import { castType, isStored } from '../catalog/stored.ts'
import { and, or, type Sql, sql } from '../filter/sql.ts'
import { toSql } from '../filter/to-sql.ts'
import { leaves } from '../filter/walk.ts'
import { columnSql, forActor } from './condition.ts'
import { clausesFor } from './policy.ts'
import { type Asking, appended, resourceNamed } from './readable.ts'

/** Whether a filter asks for other records, of which nothing is kept. */
function asksForOthers(filter: Filter): boolean {
  return leaves(filter).some(({ kind }) => kind === 'related')
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
