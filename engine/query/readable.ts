/** What a caller may read of a resource, as a condition inside SQL that a plugin writes itself. */
import type { Actor } from '../actor.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { type Binder, createBinder, parameterValues } from './binder.ts'
import { conditionSql } from './condition.ts'
import { reach } from './policy.ts'
import { existenceSql } from './read-statement.ts'
import type { SelectScope } from './scope.ts'

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
  const { catalog, actor } = asking
  const found = catalog.resources.get(resource)
  if (found === undefined) throw new Error(`no resource is named ${resource}`)
  const scope: SelectScope = { catalog, actor, binder: appending(values, asking) }
  const reached = reach(found.policies.view, actor)
  // Nothing else is said then: a parameter that is bound and not in the text would be refused.
  if (reached.kind === 'none') return 'false'
  const conditions = existenceSql(scope, found, alias, deleted)
  if (reached.kind === 'matching') conditions.push(conditionSql(catalog, reached.filter, alias, scope.binder))
  return conditions.length === 0 ? 'true' : `(${conditions.join(' and ')})`
}

/** A binder that goes on counting after the values that a statement has already, and gives its own at once. */
export function appending(values: unknown[], { actor, now }: Asking): Binder {
  const own = createBinder()
  const offset = values.length
  const bind: Binder['bind'] = (source) => {
    const at = Number(own.bind(source).slice(1))
    if (offset + at > values.length) values.push(...parameterValues([source], { actor, now: now(), slots: {} }))
    return `$${offset + at}`
  }
  const slot = (name: string): string => bind({ kind: 'slot', name })
  return {
    sources: own.sources,
    bind,
    slot,
    operand: (operand) => (operand.kind === 'slot' ? slot(`v${operand.index}`) : bind(operand)),
  }
}
