/**
 * What a batch of changes means for the readers of a stream, compiled: one statement for each class of readers, which
 * tells its readers apart by the values that their conditions compare.
 */
import type { Filter, Resource } from '../catalog/catalog.ts'
import { idsType, orderedId } from '../catalog/key.ts'
import { policyPaths } from '../catalog/policy-paths.ts'
import { idSql, isStored } from '../catalog/stored.ts'
import { and, join, type Parameter, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import type { Serializer } from '../record/serializer.ts'
import { isLogged } from './change-log.ts'
import { type Compiled, compiled } from './compiled.ts'
import { conditionSql } from './condition.ts'
import { asItWas, bounded, type FormerTable, formerRows, formerTable } from './former.ts'
import { heldSql } from './past-policy.ts'
import { perReader, READER } from './per-reader.ts'
import { existenceSql, type SelectScope } from './scope.ts'
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

/** The slots of a batch, beside those of `perReader`: ids of the records, and of those that are gone what policies compare. */
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

/** Compiles what a class of readers is told of a batch; `further` are other tables of which the batch changed records. */
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
 * Whether the reader's list showed it before. Where a value is not known, the policy is taken not to have admitted it, and
 * a filter to have matched: who could not see a record hears nothing of it, and who could is told too much rather than
 * too little.
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
