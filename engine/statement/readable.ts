/** What a caller may read of a resource, now and as it was, as conditions inside SQL that a plugin writes itself. */
import type { Actor } from '../actor.ts'
import { clausesFor, reach } from '../ask/policy.ts'
import type { Catalog, FieldPath, Filter, Resource } from '../catalog/catalog.ts'
import { keptName, pathsOf } from '../catalog/policy-paths.ts'
import { isStored } from '../catalog/stored.ts'
import { and, or, print, type Sql, sql, toSql } from '../filter/sql.ts'
import { leaves } from '../filter/walk.ts'
import { parameterValues } from './compiled.ts'
import { columnSql, conditionSql, existenceSql, forActor } from './condition.ts'

/** Whose view it is: the catalog, who asks, and when. */
export interface Asking {
  readonly catalog: Catalog
  readonly actor: Actor
  readonly now: () => Date
}

/**
 * The SQL condition (for `where`, `filter` and `on`) that the row of `alias`, from the resource's table, is a record that
 * the actor may read: in the resource's scope, not deleted, and within the policy `view`. Its parameters are added to
 * `values` and appear in the text as `$n`. With `deleted`, deleted records are not left out. Throws for a resource that does not exist.
 */
export function readableSql(
  asking: Asking,
  resource: string,
  alias: string,
  values: unknown[],
  { deleted = false }: { readonly deleted?: boolean } = {},
): string {
  const found = resourceNamed(asking.catalog, resource)
  const reached = reach(found.policies.view, asking.actor)
  if (reached.kind === 'none') return 'false'
  const conditions = existenceSql(asking, found, alias, deleted)
  if (reached.kind === 'matching') conditions.push(conditionSql(asking.catalog, reached.filter, alias))
  return conditions.length === 0 ? 'true' : appended(sql`(${and(conditions)})`, values, asking)
}

/** A resource by the name that a plugin writes; throws when there is none. */
export function resourceNamed(catalog: Catalog, name: string): Resource {
  const found = catalog.resources.get(name)
  if (found === undefined) throw new Error(`no resource is named ${name}`)
  return found
}

/** The text of a condition whose `$n` go on after the values that a statement has already; adds its own values to them. */
export function appended(condition: Sql, values: unknown[], { actor, now }: Asking): string {
  const { text, parameters } = print(condition, values.length)
  values.push(...parameterValues(parameters, { actor, now: now(), slots: {} }))
  return text
}

/** Whether a filter asks for other records. Nothing is kept of these. */
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
    : sql`((${kept}) ->> ${name})::${path.field.sqlType}`
}

/** A name of the catalog as an SQL text. */
function textOf(name: string): string {
  return `'${name.replaceAll("'", "''")}'`
}
