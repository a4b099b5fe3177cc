/** What a caller may read of a resource, as a condition inside SQL that a plugin writes itself. */
import type { Actor } from '../actor.ts'
import type { Catalog, Resource } from '../catalog/catalog.ts'
import { and, print, type Sql, sql } from '../filter/sql.ts'
import { parameterValues } from './compiled.ts'
import { conditionSql } from './condition.ts'
import { reach } from './policy.ts'
import { existenceSql } from './scope.ts'

/** Whose view it is: the catalog, who asks, and when. */
export interface Asking {
  readonly catalog: Catalog
  readonly actor: Actor
  readonly now: () => Date
}

/**
 * The SQL condition (for `where`, `filter` and `on`) that the row of `alias`, from the resource's table, is a record that
 * the actor may read: in the resource's scope, not deleted, and within the policy `view`. Its parameters are added to
 * `values` and stand in the text as `$n`. With `deleted`, deleted records are not left out. Throws for a resource that does not exist.
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
