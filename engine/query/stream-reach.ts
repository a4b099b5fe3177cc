/** On which other records it depends what a stream's readers see, and which of a reader's records a change of those concerns. */
import type { BelongsTo, Filter, HasMany, Resource } from '../catalog/catalog.ts'
import { idsType } from '../catalog/key.ts'
import { reachedBy } from '../catalog/policy-paths.ts'
import { castType, idSql } from '../catalog/stored.ts'
import { endOf, targetOf } from '../catalog/target.ts'
import { join, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import type { ListPlan, ShownRelation } from '../plan/read-plan.ts'
import { type Compiled, compiled } from './compiled.ts'
import { clausesFor, usualAnswer } from './policy.ts'
import type { SelectScope } from './scope.ts'

/** Other records that decide whether one is seen. */
export interface Dependency {
  /** The resource whose table they are in. */
  readonly owner: string
  /** The columns of theirs that matter; undefined: any change may. */
  readonly columns: ReadonlySet<string> | undefined
  readonly relations: readonly BelongsTo[]
  /** Where they point back at the record that is asked for them. */
  readonly many: HasMany | undefined
}

function dependenciesOf({ catalog }: SelectScope, filter: Filter): readonly Dependency[] {
  const ownerOf = (name: string): string => catalog.resources.get(name)!.owner
  return reachedBy(filter).flatMap(({ relations, end }) => {
    const onTheWay = relations.map((relation, at): Dependency => {
      const next = relations[at + 1]?.field ?? ('column' in end ? end : undefined)
      const columns = next?.computed === undefined && next !== undefined ? new Set([next.column]) : undefined
      return { owner: ownerOf(relation.target), columns, relations: relations.slice(0, at + 1), many: undefined }
    })
    if (!('target' in end) || end.kind !== 'has_many' || end.by.length !== 1) return onTheWay
    return [...onTheWay, { owner: ownerOf(end.target), columns: undefined, relations, many: end }]
  })
}

/** The other records on which it depends what these readers see. */
export function dependencies(scope: SelectScope, { filters, resource }: ListPlan): readonly Dependency[] {
  const clauses = scope.actor.kind === 'system' ? [] : clausesFor(resource.policies.view, scope.actor)
  const conditions = [resource.scope, ...clauses.map(({ where }) => where), ...filters]
  const all = conditions.flatMap((filter) => (filter === undefined ? [] : dependenciesOf(scope, filter)))
  const keyOf = ({ columns, many, relations }: Dependency): string =>
    [...relations, ...(many === undefined ? [] : [many])].map(({ name }) => name).join('.') + [...(columns ?? ['*'])]
  return [...new Map(all.map((one) => [keyOf(one), one])).values()]
}

/** Compiles which records a change of others concerns. Slots: `ids0`, `was0` … of each dependency, `most`. */
export function compileConcerned({ catalog }: SelectScope, resource: Resource, all: readonly Dependency[]): Compiled {
  const own = idSql(resource, 't')
  const each = all.map(({ many, relations }, at) => {
    const ids = sql`${slot(`ids${at}`)}::${idsType(changed(relations, many))}`
    const found = many === undefined ? sql`select unnest(${ids})` : pointedAt(many, ids, at)
    return sql`select ${own} from ${quoted(resource.table)} t where ${wayTo(relations, 't', found)}`
  })
  return compiled(
    sql`select ${idSql(resource, 'u')} from (${join(each, ' union ')}) u order by ${idSql(resource, 'u')} limit ${slot('most')}::integer`,
  )

  function pointedAt(many: HasMany, ids: Sql, at: number): Sql {
    const key = many.by[0]!.field.column
    const name = `'${key.replaceAll("'", "''")}'`
    const target = targetOf(catalog, many)
    const table = quoted(target.table)
    const was = sql`unnest(${slot(`was${at}`)}::text[]) as c(was)`
    return sql`select m.${quoted(key)} from ${table} m where ${idSql(target, 'm')} = any(${ids}) union select (c.was::jsonb ->> ${name})::${castType(many.by[0]!.field)} from ${was}`
  }

  /** The resource of which records changed. */
  function changed(relations: readonly BelongsTo[], many: HasMany | undefined): Resource {
    return endOf(catalog, resource, many === undefined ? relations : [many])
  }

  function wayTo([relation, ...further]: readonly BelongsTo[], alias: string, found: Sql): Sql {
    if (relation === undefined) return sql`${idSql(resource, alias)} in (${found})`
    const key = sql`${alias}.${quoted(relation.field.column)}`
    if (further.length === 0) return sql`${key} in (${found})`
    const next = `${alias}_n`
    const target = targetOf(catalog, relation)
    return sql`${key} in (select ${idSql(target, next)} from ${quoted(target.table)} ${next} where ${wayTo(further, next, found)})`
  }
}

/**
 * Whether other values of these columns, or with `touched` an update by itself, show in what the reader's list gives of a record. Of another change nothing is told:
 * that there was one would be news of a value that the reader may not read.
 */
export function showsIn(
  { actor }: SelectScope,
  resource: Resource,
): (columns: ReadonlySet<string>, touched: boolean) => boolean {
  const { parts } = usualAnswer(actor, resource, 'list')
  const columns = new Set(parts.flatMap((part) => ('column' in part ? [part.column] : foreignKey(part))))
  const stamped = resource.updateSets.some(({ field }) => columns.has(field.column))
  const computed = parts.flatMap((part) => ('column' in part && part.computed !== undefined ? [part.computed] : []))
  const isNamed = (column: string): boolean => computed.some((text) => new RegExp(`\\bt\\."?${column}\\b`).test(text))
  return (changed, touched) =>
    (touched && stamped) || [...changed].some((column) => columns.has(column) || isNamed(column))
}

function foreignKey({ relation }: ShownRelation): readonly string[] {
  return relation.kind === 'belongs_to' ? [relation.field.column] : []
}
