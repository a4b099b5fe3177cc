/** What a batch of changes means for the readers of a stream, compiled: one statement for each class of readers, and the other records on which it depends what they see. */

import { clausesFor, usualAnswer } from '../ask/policy.ts'
import type { BelongsTo, Filter, HasMany, Resource } from '../catalog/catalog.ts'
import { policyPaths, reachedBy } from '../catalog/policy-paths.ts'
import { endOf, idSql, idsType, isStored, orderedId, targetOf } from '../catalog/stored.ts'
import type { Serializer } from '../field/wire.ts'
import { and, join, type Parameter, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import type { ListPlan, ShownRelation } from '../plan/read-plan.ts'
import { isLogged } from './change-log.ts'
import { type Compiled, compiled, type SelectScope } from './compiled.ts'
import { conditionSql, existenceSql } from './condition.ts'
import { perReader, READER } from './many-records.ts'
import { heldSql } from './readable.ts'
import { asItWas, bounded, type FormerTable, formerRows, formerTable } from './rows-before.ts'
import { searchSql } from './search.ts'
import { selectList } from './select.ts'

/** The statement of a class of readers; its rows are in the order of readers, then of ids. */
export interface CompiledStream extends Compiled {
  readonly serialize: Serializer
  /** What each reader brings along, in the order of the slots of `perReader`, which hold one text for each reader. */
  readonly brought: readonly Parameter[]
  /** The tables that are read as they were; the first is the resource's own. */
  readonly former: readonly FormerTable[]
}

/** The columns before those of the record: which reader, which record, whether it sees it now, and whether it did before. */
export const STREAM_COLUMNS = ['x.n', 'x.id', 'x.now', 'x.before'] as const

/** The slots of a batch, next to those of `perReader`: ids of the records, and for those that are gone what policies compare. */
export const IDS = 'changed ids'
export const KEPT = 'changed kept'

const NOW = 'plinth_n'
const BEFORE = 'plinth_o'
const CHANGED = 'plinth_changed'

/** What the statement itself is given; everything else that a request knows may differ from reader to reader. */
const OF_BATCH = /^changed /

function differs(parameter: Parameter): boolean {
  return parameter.kind === 'actor' || (parameter.kind === 'slot' && !OF_BATCH.test(parameter.name))
}

/** Compiles the events of a batch for a class of readers; `further` are other tables in which the batch changed records. */
export function compileStream(scope: SelectScope, plan: ListPlan, further: readonly Resource[]): CompiledStream {
  const { resource } = plan
  const each = perReader(differs)
  const former = [resource, ...further].map(formerTable)
  const { columns, joins, serialize } = selectList(scope, resource, 't', 'list', STREAM_COLUMNS)
  const now = each.of(nowSql(scope, plan))
  const before = each.of(beforeSql(scope, plan, former))
  const shown = join(columns.map((column) => each.of(column, 'x')))
  const table = quoted(resource.table)
  const changed = sql`unnest(${slot(IDS)}::${idsType(resource)}, ${slot(KEPT)}::text[]) as ${CHANGED}(id, kept)`
  // Without `offset 0` the conditions would be worked out again wherever they are named.
  const told = sql`select ${READER}.*, ${CHANGED}.id, coalesce(${now}, false) as now, coalesce(${before}, false) as before from ${each.rows()} cross join ${changed} left join ${table} ${NOW} on ${idSql(resource, NOW)} = ${CHANGED}.id left join ${former[0]!.name} ${BEFORE} on ${idSql(resource, BEFORE)} = ${CHANGED}.id offset 0`
  // What a reader does not see now is not even read.
  const text = sql`with ${join(former.map(formerRows))} select ${shown} from (${told}) x left join ${table} t on ${idSql(resource, 't')} = x.id and x.now ${joins} where x.now or x.before order by x.n, ${orderedId(scope.catalog, 'x.id')}`
  return { ...compiled(text), serialize, brought: each.brought, former }
}

function withinSql({ within }: ListPlan, condition: (filter: Filter) => Sql): Sql {
  if (within.kind === 'matching') return condition(within.filter)
  return within.kind === 'all' ? sql`true` : sql`false`
}

function found(scope: SelectScope, { resource, search }: ListPlan, alias: string): readonly Sql[] {
  return search ? [searchSql(scope, resource, search, alias)] : []
}

/** Whether the reader's list shows the record. */
function nowSql(scope: SelectScope, plan: ListPlan): Sql {
  const { filters, resource } = plan
  const holds = (filter: Filter): Sql => conditionSql(scope.catalog, filter, NOW)
  const conditions = [
    ...existenceSql(scope, resource, NOW),
    withinSql(plan, holds),
    ...filters.map(holds),
    ...found(scope, plan, NOW),
  ]
  return sql`(${idSql(resource, NOW)} is not null and ${and(conditions)})`
}

/**
 * Whether the reader's list showed it before. Where a value is not known, the policy counts as one that did not admit the
 * record, and a filter as one that matched it: a reader who could not see the record hears nothing of it, and a reader
 * who could hears too much rather than too little.
 */
function beforeSql(scope: SelectScope, plan: ListPlan, former: readonly FormerTable[]): Sql {
  const { catalog } = scope
  const { filters, resource } = plan
  const kept = policyPaths(catalog, resource)
  const isKnown = (field: Resource['key']): boolean =>
    field === resource.key || !isStored(field) || isLogged(resource, field) || kept.has(field.column)
  const was = new Map(former.map((one) => [one.table, asItWas(one)]))
  const judged = { record: BEFORE, before: undefined, was }
  const holds = (most: boolean) => (filter: Filter) =>
    conditionSql(catalog, bounded(filter, isKnown, most), BEFORE, judged)
  const conditions = [
    ...(resource.scope === undefined ? [] : [holds(false)(resource.scope)]),
    ...(resource.live === undefined ? [] : [conditionSql(catalog, resource.live, BEFORE, judged)]),
    withinSql(plan, holds(false)),
    ...filters.map(holds(true)),
    ...found(scope, plan, BEFORE),
  ]
  const gone = resource.scope === undefined ? withinSql(plan, keptSql) : sql`false`
  return sql`((${idSql(resource, BEFORE)} is not null and ${and(conditions)}) or (${idSql(resource, NOW)} is null and ${CHANGED}.kept is not null and ${gone}))`
}

/** Of a record that was removed for good only what its policies compare is known. */
function keptSql(filter: Filter): Sql {
  return heldSql(filter, `${CHANGED}.kept::jsonb`)
}

/** Records on which it depends whether a reader sees another one. */
export interface Dependency {
  /** The resource whose table they are in. */
  readonly owner: string
  /** The columns of theirs that matter; undefined: any change may. */
  readonly columns: ReadonlySet<string> | undefined
  readonly relations: readonly BelongsTo[]
  /** The relation by which they point back at that record. */
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

/** The records of other tables on which it depends what the readers of a list see. */
export function dependencies(scope: SelectScope, { filters, resource }: ListPlan): readonly Dependency[] {
  const clauses = scope.actor.kind === 'system' ? [] : clausesFor(resource.policies.view, scope.actor)
  const conditions = [resource.scope, ...clauses.map(({ where }) => where), ...filters]
  const all = conditions.flatMap((filter) => (filter === undefined ? [] : dependenciesOf(scope, filter)))
  const keyOf = ({ columns, many, relations }: Dependency): string =>
    [...relations, ...(many === undefined ? [] : [many])].map(({ name }) => name).join('.') + [...(columns ?? ['*'])]
  return [...new Map(all.map((one) => [keyOf(one), one])).values()]
}

/** Compiles the records of the list that a change of the others concerns. Slots: `ids0`, `was0` … of each dependency, `most`. */
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
    return sql`select m.${quoted(key)} from ${table} m where ${idSql(target, 'm')} = any(${ids}) union select (c.was::jsonb ->> ${name})::${many.by[0]!.field.sqlType} from ${was}`
  }

  /** The resource whose records changed. */
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
 * Whether the reader's list shows other values of these columns, or with `touched` an update by itself. A reader hears of
 * no other change: the fact that there was one would reveal a value that the reader may not read.
 */
export function showsIn(
  { actor }: SelectScope,
  resource: Resource,
): (columns: ReadonlySet<string>, touched: boolean) => boolean {
  const { parts } = usualAnswer(actor, resource, 'list')
  const columns = new Set(parts.flatMap((part) => ('column' in part ? [part.column] : foreignKey(part))))
  const stamped = resource.updateSets.some(({ field }) => columns.has(field.column))
  const computed = parts.flatMap((part) => ('column' in part && part.computed !== undefined ? [part.computed] : []))
  const isNamed = (column: string): boolean => computed.some((text) => names(text, column))
  return (changed, touched) =>
    (touched && stamped) || [...changed].some((column) => columns.has(column) || isNamed(column))
}

/** Whether the SQL of a computed field names a column of its row `t`. */
function names(text: string, column: string): boolean {
  const literally = column.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`\\bt\\."?${literally}(?![\\p{L}\\p{N}_])`, 'u').test(text)
}

function foreignKey({ relation }: ShownRelation): readonly string[] {
  return relation.kind === 'belongs_to' ? [relation.field.column] : []
}
