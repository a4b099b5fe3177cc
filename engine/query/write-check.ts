/** What a write's statement tests before it writes: references, uniqueness, the resource's scope, the policy, its rules. */
import type { BelongsTo, Field, Filter, Resource } from '../catalog/catalog.ts'
import { fitsSql } from '../catalog/formula.ts'
import { computedFields, idSql, meets } from '../catalog/stored.ts'
import { targetOf } from '../catalog/target.ts'
import { nameSql } from '../filter/name.ts'
import { and, quoted, type Sql, sql } from '../filter/sql.ts'
import type { WriteShape } from '../plan/write-plan.ts'
import { conditionSql, holdsSql } from './condition.ts'
import { foreignChecks } from './foreign-check.ts'
import { type MoveSql, moveChecks } from './move-check.ts'
import { reach } from './policy.ts'
import { type RuleSql, ruleChecks } from './rule-check.ts'
import { existenceSql, reachSql, type SelectScope } from './scope.ts'
import { type TableRuleSql, tableChecks } from './table-check.ts'

/** A condition that the statement tests before it writes, and what its failure means. */
export type Check =
  | { readonly kind: 'reference'; readonly relation: BelongsTo }
  | { readonly kind: 'missing'; readonly field: Field }
  | { readonly kind: 'unique'; readonly field: Field }
  /** What is written must be one of the resource's own records; the field is the one that says so. */
  | { readonly kind: 'scope'; readonly field: Field }
  /** The column that the database computes can hold the value; `from` are the sent fields that it comes from. */
  | { readonly kind: 'fits'; readonly field: Field; readonly from: readonly Field[] }
  | { readonly kind: 'policy' }
  | RuleSql['check']
  | TableRuleSql['check']
  | MoveSql['check']

/** A check with its condition on the row `v`, the record as it would be written. */
export interface CheckSql {
  readonly check: Check
  readonly condition: Sql
  /** What the sentence about its failure needs to know. */
  readonly tells?: readonly Sql[]
}

/** The checks of a write of these columns over the row `v`. */
export function checksOf(scope: SelectScope, plan: WriteShape, columns: ReadonlySet<string>): readonly CheckSql[] {
  const { resource } = plan
  const exists = plan.action === 'update'
  const plain = [
    ...referenceChecks(scope, plan),
    ...missingChecks(plan),
    ...uniqueChecks(scope, plan, exists),
    ...scopeChecks(scope, plan, exists),
    ...policyChecks(scope, plan),
  ]
  if (plan.answer === 'checks') return plain
  const action = exists ? 'update' : 'create'
  const sent = new Set(plan.given.map(({ column }) => column))
  return [
    ...plain,
    ...fittingChecks(scope, plan, columns),
    ...(exists ? moveChecks(scope, resource, sent) : []),
    ...ruleChecks(scope, resource, action, columns, plan.links),
    ...tableChecks(scope, { resource, action, columns, leaving: plan.leaving }),
    ...foreignChecks(scope, resource, action, columns),
  ]
}

function referenceChecks(scope: SelectScope, { given, resource, trusted }: WriteShape): readonly CheckSql[] {
  return given.flatMap((field) => {
    const relation = field.relation === undefined ? undefined : resource.relations.get(field.relation)
    if (relation?.kind !== 'belongs_to') return []
    // Of the record of the path it is known that the caller may see it, and not whether it may be chosen.
    if (trusted.has(field.name) && relation.where === undefined) return []
    return [{ check: { kind: 'reference', relation }, condition: referenceSql(scope, relation) }]
  })
}

/** A rule writes nothing when the record it selects is not there, or the actor does not have the value. */
function missingChecks({ assigned }: WriteShape): readonly CheckSql[] {
  return assigned.flatMap(({ field, ...value }) => {
    const mayBeAbsent = 'selection' in value || value.operand.kind === 'actor'
    if (!mayBeAbsent || field.nullable) return []
    return [{ check: { kind: 'missing', field }, condition: sql`v.${quoted(field.column)} is not null` }]
  })
}

function uniqueChecks({ catalog }: SelectScope, { given, resource }: WriteShape, exists: boolean): readonly CheckSql[] {
  return (
    given
      // What the engine itself makes anew needs no look.
      .filter((field) => field.unique && !(field === resource.key && field.readOnly))
      .map((field) => {
        const others = [
          equalSql(resource, field),
          ...(exists ? [sql`${idSql(resource, 'u')} <> ${idSql(resource, 'v')}`] : []),
          ...(resource.live === undefined ? [] : [conditionSql(catalog, resource.live, 'u')]),
        ]
        const condition = sql`not exists (select 1 from ${quoted(resource.table)} u where ${and(others)})`
        return { check: { kind: 'unique', field }, condition }
      })
  )
}

/** Whether two rows have the same value: a text as people see it, except in the tables of others. */
function equalSql({ existing, key }: Resource, field: Field): Sql {
  const [other, own] = [sql`u.${quoted(field.column)}`, sql`v.${quoted(field.column)}`]
  const isAlike = field.alike === true && !existing && field !== key
  return isAlike ? sql`${nameSql(other)} = ${nameSql(own)}` : sql`${other} = ${own}`
}

function scopeChecks({ catalog }: SelectScope, plan: WriteShape, exists: boolean): readonly CheckSql[] {
  const { resource } = plan
  const field = scopeField(plan, exists)
  if (field === undefined || resource.scope === undefined) return []
  return [{ check: { kind: 'scope', field }, condition: holdsSql(catalog, resource.scope, 'v') }]
}

/** Without them the database itself would refuse the value, and name no field. */
function fittingChecks(
  { catalog }: SelectScope,
  { given, resource }: WriteShape,
  columns: ReadonlySet<string>,
): readonly CheckSql[] {
  return computedFields(catalog, resource)
    .filter(({ stored }) => meets(stored!.reads, columns))
    .map((field) => {
      const from = given.filter(({ column }) => field.stored?.reads.has(column))
      return { check: { kind: 'fits', field, from }, condition: sql`(${fitsSql(field, 'v')})` }
    })
}

function policyChecks({ catalog }: SelectScope, { clause }: WriteShape): readonly CheckSql[] {
  if (clause?.where === undefined) return []
  return [{ check: { kind: 'policy' }, condition: holdsSql(catalog, clause.where, 'v') }]
}

/** The written field by which a record could be outside the resource's scope; undefined when the scope fixes all it speaks of. */
function scopeField(plan: WriteShape, exists: boolean): Field | undefined {
  const { resource } = plan
  if (resource.scope === undefined || plan.answer === 'checks') return undefined
  const spoken = [...rootFields(resource.scope)]
  const fixed = new Set(plan.assigned.map((assignment) => assignment.field.name))
  const given = spoken.find((field) => plan.given.some(({ name }) => name === field.name))
  return given ?? (exists ? undefined : spoken.find((field) => !fixed.has(field.name)))
}

/** The fields of the record itself that a filter looks at. */
function rootFields(filter: Filter): ReadonlySet<Field> {
  if (filter.kind === 'compare') return new Set([filter.path.relations[0]?.field ?? filter.path.field])
  if (filter.kind === 'not') return rootFields(filter.of)
  if (filter.kind === 'related') return new Set(filter.path.relations.slice(0, 1).map(({ field }) => field))
  return new Set(filter.of.flatMap((part) => [...rootFields(part)]))
}

/** A chosen record must exist, match the relation's condition and be one that the caller may view. */
function referenceSql(scope: SelectScope, relation: BelongsTo): Sql {
  const target = targetOf(scope.catalog, relation)
  const reached = reach(target.policies.view, scope.actor)
  const column = `v.${quoted(relation.field.column)}`
  const where = [
    sql`${idSql(target, 'r')} = ${column}`,
    ...existenceSql(scope, target, 'r'),
    ...(relation.where === undefined
      ? []
      : [conditionSql(scope.catalog, relation.where, 'r', { record: 'v', before: undefined })]),
    ...(reached.kind === 'all' ? [] : [reachSql(scope, reached, 'r')]),
  ]
  return sql`(${column} is null or exists (select 1 from ${quoted(target.table)} r where ${and(where)}))`
}
