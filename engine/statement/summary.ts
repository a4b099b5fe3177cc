/** Summaries compiled to SQL: one statement groups the records of a list, fills empty periods, and embeds what groups name. */

import { allowsOne } from '../ask/policy.ts'
import type { BelongsTo, Resource } from '../catalog/catalog.ts'
import type { WireKind } from '../field/field-type.ts'
import { compileSerializer, type WireEntry } from '../field/wire.ts'
import { and, type Fragment, join, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import type { FigureTerm, GroupTerm, Step, SummaryPlan, SummaryTerms } from '../plan/read-plan.ts'
import { type CompiledRecord, compiled, type KeptEmbed, type SelectScope } from './compiled.ts'
import { fieldSql } from './condition.ts'
import { foundSql } from './list.ts'
import { selectList } from './select.ts'

/** The statement of a summary; each row is one group. */
export interface CompiledSummary extends CompiledRecord {
  readonly kept: readonly KeptEmbed[]
}

/** A column of the groups: how it is called inside the statement, its value over `t`, and how it is answered. */
interface Column {
  readonly term: string
  readonly name: string
  readonly value: Sql
  readonly wire: WireKind
}

/** Compiles a summary. Slots: those of the filters, `search`, `zone`; at most one group more than asked. */
export function compileSummary(
  scope: SelectScope,
  { limit, list: chosen, resource, terms }: SummaryPlan,
): CompiledSummary {
  const groups = terms.by.map((term, at) => groupColumn(term, at))
  const figures = terms.of.map((term, at) => figureColumn(term, at))
  const columns = [...groups, ...figures]
  const grouped = sql`select ${join(columns.map(({ name, value }) => sql`${value} as ${name}`))} ${foundSql(scope, chosen)}${groupBy(groups)}`
  const relations = terms.by.flatMap(({ field }) => relationOf(scope, resource, field.relation))
  const whole = filled(terms, groups, figures, grouped)
  const before = columns.map(({ name }) => `g.${name}`)
  const parts = relations.map((relation) => ({ relation, entries: relation.embed ?? [] }))
  const list = selectList(scope, resource, 'g', 'list', before, parts)
  const text = sql`with ${whole.definitions} select ${join(list.columns)} from ${whole.name} g ${list.joins} order by ${join(orderOf(terms, columns, groups))} limit ${limit + 1}`
  const own = compileSerializer({
    kind: 'object',
    present: undefined,
    entries: columns.map(({ term, wire }, index): WireEntry => ({ name: term, node: { kind: 'column', index, wire } })),
  })
  return {
    ...compiled(text),
    kept: list.kept,
    serialize: (row) => {
      const embedded = parts.length === 0 ? '' : `,${list.serialize(row).slice(1)}`
      return embedded === '' ? own(row) : `${own(row).slice(0, -1)}${embedded}`
    },
  }
}

/** The relation whose record is shown next to its key, as the list shows it. */
function relationOf({ actor }: SelectScope, resource: Resource, name: string | undefined): readonly BelongsTo[] {
  const relation = name === undefined ? undefined : resource.relations.get(name)
  const isShown = relation?.kind === 'belongs_to' && relation.embed !== undefined && relation.show !== 'never'
  return isShown && allowsOne(relation.read, actor) ? [relation] : []
}

function groupBy(groups: readonly Column[]): Sql {
  return groups.length === 0 ? sql`` : sql` group by ${join(groups.map((_, at) => String(at + 1)))}`
}

/** A relation keeps the name of its column, so that its record is joined as everywhere. */
function groupColumn({ field, step, term }: GroupTerm, at: number): Column {
  const value = fieldSql(field, 't')
  if (step === undefined) {
    const name = field.relation === undefined ? `plinth_b${at}` : quoted(field.column)
    return { term, name, value, wire: field.type.wire }
  }
  const zone = sql`${slot('zone')}::text`
  const unit = `'${step}'`
  if (step === 'hour')
    return { term, name: `plinth_b${at}`, value: sql`date_trunc(${unit}, ${value}, ${zone})`, wire: 'timestamp' }
  const local = field.type.wire === 'date' ? sql`${value}::timestamp` : sql`${value} at time zone ${zone}`
  return { term, name: `plinth_b${at}`, value: sql`date_trunc(${unit}, ${local})::date`, wire: 'date' }
}

function figureColumn(figure: FigureTerm, at: number): Column {
  const { term } = figure
  const name = `plinth_f${at}`
  if (figure.kind === 'count') return { term, name, value: sql`count(*)`, wire: 'number' }
  const { field, kind, until } = figure
  const own = fieldSql(field, 't')
  const moment = (one: typeof field): Sql =>
    sql`${fieldSql(one, 't')}::${one.type.wire === 'date' ? 'timestamp' : one.sqlType}`
  const value = until === undefined ? own : sql`extract(epoch from ${moment(until)} - ${moment(field)})`
  const number = (inner: Sql): Column => ({ term, name, value: sql`(${inner})::double precision`, wire: 'number' })
  if (kind === 'distinct') return { term, name, value: sql`count(distinct ${value})`, wire: 'number' }
  if (kind === 'avg') return number(sql`avg(${value})`)
  if (kind === 'median') return number(sql`percentile_cont(0.5) within group (order by (${value})::double precision)`)
  if (until !== undefined) return number(sql`${kind}(${value})`)
  return { term, name, value: sql`${kind}(${value})`, wire: field.type.wire }
}

/** The groups, and where they go by one time, those of the periods between the first and the last that have no records. */
function filled(
  { by, of, sort }: SummaryTerms,
  groups: readonly Column[],
  figures: readonly Column[],
  grouped: Sql,
): { readonly definitions: Sql; readonly name: string } {
  const times = by.flatMap(({ step }, at) => (step === undefined ? [] : [{ step, at }]))
  const [time] = times
  if (time === undefined || times.length > 1 || sort.length > 0)
    return { definitions: sql`plinth_found as (${grouped})`, name: 'plinth_found' }
  const period = groups[time.at]!
  const others = groups.filter((one) => one !== period)
  const same = others.map(({ name }) => sql`f.${name} is not distinct from o.${name}`)
  const columns = [
    ...groups.map((one) => (one === period ? sql`p.at as ${one.name}` : sql`o.${one.name}`)),
    ...figures.map(({ name }, at) => sql`${emptyFigure(of[at]!, `f.${name}`)} as ${name}`),
  ]
  const names = others.map(({ name }) => name)
  const kinds = names.length === 0 ? 'select true as one' : sql`select distinct ${join(names)} from plinth_found`
  const definitions = join([
    sql`plinth_found as materialized (${grouped})`,
    sql`plinth_periods as (${periods(time.step, period.name)})`,
    sql`plinth_kinds as (${kinds})`,
    sql`plinth_whole as (select ${join(columns)} from plinth_kinds o cross join plinth_periods p left join plinth_found f on ${and([sql`f.${period.name} = p.at`, ...same])} union all select ${join([...groups, ...figures].map(({ name }) => `${name}`))} from plinth_found where ${period.name} is null)`,
  ])
  return { definitions, name: 'plinth_whole' }
}

const LENGTHS: Readonly<Record<Step, string>> = {
  hour: '1 hour',
  day: '1 day',
  week: '1 week',
  month: '1 month',
  quarter: '3 months',
  year: '1 year',
}

function periods(step: Step, name: string): Sql {
  const length = `interval '${LENGTHS[step]}'`
  if (step === 'hour') return sql`select generate_series(min(${name}), max(${name}), ${length}) as at from plinth_found`
  const bounds = `min(${name})::timestamp, max(${name})::timestamp`
  return sql`select generate_series(${bounds}, ${length})::date as at from plinth_found`
}

/** In a period without records there are none, and their sum is nothing. */
function emptyFigure({ kind }: FigureTerm, value: string): Fragment {
  return kind === 'count' || kind === 'distinct' || kind === 'sum' ? `coalesce(${value}, 0)` : value
}

/** In the order that is asked for, and by the groups where that leaves it open. */
function orderOf({ sort }: SummaryTerms, columns: readonly Column[], groups: readonly Column[]): readonly Sql[] {
  const asked = sort.flatMap(({ term, descending }) => {
    const column = columns.find((one) => one.term === term)
    return column === undefined ? [] : [sql`g.${column.name} ${descending ? 'desc' : 'asc'} nulls last`]
  })
  const rest = groups.map(({ name }) => sql`g.${name} asc nulls last`)
  return asked.length + rest.length === 0 ? [sql`1`] : [...asked, ...rest]
}
