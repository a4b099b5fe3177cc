/** What a write's statement tests before it writes: references, uniqueness, the resource's scope, the policy. */
import type { BelongsTo, Field, Filter, Resource } from '../catalog/catalog.ts'
import { conditionSql, quoted } from './condition.ts'
import { reach } from './policy.ts'
import { existenceSql, reachSql } from './read-statement.ts'
import type { SelectScope } from './scope.ts'
import type { WriteShape } from './write-shape.ts'

/** A condition that the statement tests before it writes, and what its failure means. */
export type Check =
  | { readonly kind: 'reference'; readonly relation: BelongsTo }
  | { readonly kind: 'missing'; readonly field: Field }
  | { readonly kind: 'unique'; readonly field: Field }
  /** What is written must be one of the resource's own records; the field is the one that says so. */
  | { readonly kind: 'scope'; readonly field: Field }
  | { readonly kind: 'policy' }

/** The checks of a write over the row `v`, with their SQL. */
export function checksOf(
  scope: SelectScope,
  resource: Resource,
  shape: WriteShape,
  exists: boolean,
): readonly (readonly [Check, string])[] {
  const found: [Check, string][] = []
  for (const field of shape.given) {
    if (shape.trusted.has(field.name)) continue
    const relation = field.relation === undefined ? undefined : resource.relations.get(field.relation)
    if (relation?.kind === 'belongs_to') found.push([{ kind: 'reference', relation }, referenceSql(scope, relation)])
  }
  for (const { field, ...value } of shape.assigned) {
    // A record that is not there, or a value that the actor does not have.
    if (('selection' in value || value.operand.kind === 'actor') && !field.nullable)
      found.push([{ kind: 'missing', field }, `v.${quoted(field.column)} is not null`])
  }
  for (const field of shape.given) {
    if (!field.unique) continue
    const others = [`u.${quoted(field.column)} = v.${quoted(field.column)}`, ...(exists ? [`u."id" <> v."id"`] : [])]
    if (resource.live !== undefined) others.push(conditionSql(scope.catalog, resource.live, 'u', scope.binder))
    found.push([
      { kind: 'unique', field },
      `not exists (select 1 from ${quoted(resource.table)} u where ${others.join(' and ')})`,
    ])
  }
  const outside = scopeField(resource, shape, exists)
  if (outside !== undefined && resource.scope !== undefined)
    found.push([
      { kind: 'scope', field: outside },
      `(${conditionSql(scope.catalog, resource.scope, 'v', scope.binder)}) is true`,
    ])
  if (shape.clause?.where !== undefined) {
    found.push([{ kind: 'policy' }, `(${conditionSql(scope.catalog, shape.clause.where, 'v', scope.binder)}) is true`])
  }
  return found
}

/** The written field by which a record could be outside the resource's scope; undefined when the scope fixes all it speaks of. */
function scopeField(resource: Resource, shape: WriteShape, exists: boolean): Field | undefined {
  if (resource.scope === undefined || shape.returning === 'checks') return undefined
  const spoken = [...rootFields(resource.scope)]
  const fixed = new Set(shape.assigned.map((assignment) => assignment.field.name))
  const given = spoken.find((field) => shape.given.some(({ name }) => name === field.name))
  return given ?? (exists ? undefined : spoken.find((field) => !fixed.has(field.name)))
}

/** The fields of the record itself that a filter looks at. */
function rootFields(filter: Filter): ReadonlySet<Field> {
  if (filter.kind === 'compare') return new Set([filter.path.relations[0]?.field ?? filter.path.field])
  if (filter.kind === 'not') return rootFields(filter.of)
  return new Set(filter.of.flatMap((part) => [...rootFields(part)]))
}

/** A chosen record must exist, match the relation's condition and be one that the caller may view. */
function referenceSql(scope: SelectScope, relation: BelongsTo): string {
  const target = scope.catalog.resources.get(relation.target)!
  const column = `v.${quoted(relation.field.column)}`
  const where = [`r."id" = ${column}`, ...existenceSql(scope, target, 'r')]
  if (relation.where !== undefined) where.push(conditionSql(scope.catalog, relation.where, 'r', scope.binder))
  const visible = reachSql(scope, reach(target.policies.view, scope.actor), 'r')
  if (visible !== 'true') where.push(visible)
  return `(${column} is null or exists (select 1 from ${quoted(target.table)} r where ${where.join(' and ')}))`
}
