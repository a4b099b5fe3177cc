/** Linked filters as SQL conditions on a table alias; relations are followed by sub-selects, but those that a statement joins once. */
import { createHash } from 'node:crypto'
import type { BelongsTo, Catalog, Field, FieldPath, Filter, Relation, Resource } from '../catalog/catalog.ts'
import { idSql, ownerOf, targetOf } from '../catalog/stored.ts'
import type { Operator } from '../field/field-type.ts'
import type { Comparison, OnTheWay } from '../filter/filter.ts'
import {
  and,
  type Comparable,
  comparand,
  compareSql,
  type Fragment,
  join,
  parameter,
  quoted,
  type Sql,
  slot,
  sql,
  toSql,
} from '../filter/sql.ts'
import type { Json } from '../json.ts'
import type { Reach } from '../plan/read-plan.ts'

/** The SQL of a computed field over an alias, cut where it names the actor's account. */
export function computedTexts(computed: string, alias: string): readonly string[] {
  return computed.replace(/\bt\./g, `${alias}.`).split('{actor}')
}

/** A field's value on an alias: its column, or what it is computed from. */
export function fieldSql(field: Field, alias: string): Sql {
  if (field.computed === undefined) return sql`${alias}.${quoted(field.column)}`
  const actorId = sql`${parameter({ kind: 'actor', attribute: undefined })}::integer`
  const texts = computedTexts(field.computed, alias)
  return sql`(${join(
    texts.flatMap((text, i) => (i === 0 ? [text] : [actorId, text])),
    '',
  )})`
}

/** The rows that `$record` and `$before` mean while a filter is judged, and the table that a write changes. */
export interface Judged {
  /** The alias of the row that `$record` means. */
  readonly record: string
  /** The table that keeps the row as it is before the write; undefined for a record to come, which has no such values. */
  readonly before: string | undefined
  /** Joins the record as it is before the write, once for all that look at it, and gives its alias. */
  readonly stored?: (() => string) | undefined
  /** The table that is written, which is to be read as it will be: with the row `v` instead of the stored one. */
  readonly after?: After | undefined
  /** Joins the record that a relation of the judged one leads to, once for all that look at it, and gives its alias. */
  readonly beside?: ((relation: BelongsTo) => string) | undefined
  /** What is read instead of a table that is to be read as it was. */
  readonly was?: ReadonlyMap<string, Sql> | undefined
}

/** What a statement writes. */
export interface After {
  readonly table: string
  readonly columns: readonly string[]
  readonly resource: Resource
  /** Columns of its other rows `s` that get other values because of it. */
  readonly others: ReadonlyMap<string, Sql>
  /** The row goes for good. */
  readonly removed: boolean
}

/** The condition that a filter puts on the records of `alias`; it is true or not true. `$record` is that record itself unless `judged` says more. */
export function conditionSql(
  catalog: Catalog,
  filter: Filter,
  alias: string,
  judged: Judged = { record: alias, before: undefined },
): Sql {
  return toSql(
    filter,
    (comparison, negated) => {
      const asked = { comparison, negated, value: recordValue(catalog, comparison, judged) }
      return forActor(asked, pathSql(catalog, asked, comparison.path.relations, alias, judged))
    },
    false,
    (asked, negated) => relatedSql(catalog, asked, asked.path.relations, negated, alias, judged),
  )
}

/** What makes a record one that is not deleted; nothing where records are not kept when they are deleted. */
export function liveSql(catalog: Catalog, { live }: Pick<Resource, 'live'>, alias: string): readonly Sql[] {
  return live === undefined ? [] : [conditionSql(catalog, live, alias)]
}

/** What to select from: the row set after this write, the table before a batch, or the stored table. */
export function tableSql(table: string, { after, was }: Pick<Judged, 'after' | 'was'>): Sql {
  const former = was?.get(table)
  if (former !== undefined) return former
  if (after === undefined || after.table !== table) return sql`${quoted(table)}`
  const columns = after.columns.map(quoted).join(', ')
  const others = sql`select ${join(after.columns.map((column) => after.others.get(column) ?? quoted(column)))} from ${quoted(table)} s where ${idSql(after.resource, 's')} is distinct from (select ${idSql(after.resource, 'v')} from plinth_v v)`
  return sql`(${after.removed ? others : sql`${others} union all select ${columns} from plinth_v`})`
}

type Asking = Extract<Filter, { kind: 'related' }>

/** What is asked of the records that a relation leads to; the to-one relations before it are sub-selects. */
function relatedSql(
  catalog: Catalog,
  asked: Asking,
  relations: readonly BelongsTo[],
  negated: boolean,
  alias: string,
  judged: Judged,
): Sql {
  const [relation, ...further] = relations
  if (relation === undefined) return manySql(catalog, asked, negated, alias, judged)
  const inner = innerAlias(alias, relation.name)
  return stepSql(catalog, asked, { relation, alias, inner, judged, isJoined: false }, negated, (opposite) =>
    relatedSql(catalog, asked, further, opposite, inner, judged),
  )
}

function manySql(catalog: Catalog, asking: Asking, negated: boolean, alias: string, judged: Judged): Sql {
  const { count } = asking
  const rows = rowsSql(catalog, asking, alias, judged)
  if (count === undefined) return sql`${negated ? 'not ' : ''}exists (select 1 ${rows})`
  const { operator, value } = count
  const counted = typeof value === 'number' ? sql`${value}` : sql`${slot(`v${value.index}`)}::bigint`
  return compareSql(sql`(select count(*) ${rows})`, operator, () => counted, negated)
}

/** The records that a relation leads to, of those that are asked for. */
export function rowsSql(catalog: Catalog, { path: { many }, of, seen }: Asking, alias: string, judged: Judged): Sql {
  const target = targetOf(catalog, many)
  const inner = innerAlias(alias, many.name)
  // The condition of a belongs_to says what may be chosen, not what was.
  const belonging = many.kind === 'belongs_to' ? undefined : many.where
  const filters = [target.scope, target.live, belonging, seen].flatMap((filter) =>
    filter === undefined
      ? []
      : [conditionSql(catalog, filter, inner, { ...judged, record: inner, beside: undefined, stored: undefined })],
  )
  const conditions = [
    linkSql(catalog, many, alias, inner, judged),
    ...filters,
    conditionSql(catalog, of, inner, judged),
  ]
  return sql`from ${tableSql(target.table, judged)} ${inner} where ${and(conditions)}`
}

/** PostgreSQL cuts names after 63 bytes, and two that are equal up to there would be one. */
const ALIAS_LENGTH = 60

function innerAlias(alias: string, name: string): string {
  const whole = `${alias.replaceAll('"', '')}_${name.toLowerCase()}`
  if (whole.length <= ALIAS_LENGTH) return quoted(whole)
  return quoted(`t_${createHash('sha1').update(whole).digest('hex')}`)
}

/** The record of `inner` is one that the relation leads to from the record of `outer`; records between them must be live. */
export function linkSql(
  catalog: Catalog,
  relation: Relation,
  outer: string,
  inner: string,
  judged: Judged = { record: outer, before: undefined },
): Sql {
  const far = idSql(targetOf(catalog, relation), inner)
  if (relation.kind === 'belongs_to') return sql`${far} = ${outer}.${quoted(relation.field.column)}`
  if (relation.kind === 'has_many') return bySql(catalog, relation.by, outer, inner, judged)
  const { table, from, to } = relation.through
  const near = idSql(holderOf(catalog, relation), outer)
  return sql`${far} in (select j.${quoted(to)} from ${tableSql(table, judged)} j where j.${quoted(from)} = ${near})`
}

/** The resource that declares a relation. */
function holderOf(catalog: Catalog, relation: Relation): Resource {
  return [...catalog.resources.values()].find(({ relations }) => relations.get(relation.name) === relation)!
}

function bySql(
  catalog: Catalog,
  [relation, ...further]: readonly BelongsTo[],
  outer: string,
  inner: string,
  judged: Judged,
): Sql {
  const key = `${inner}.${quoted(relation!.field.column)}`
  const [next] = further
  if (next === undefined) return sql`${key} = ${idSql(targetOf(catalog, relation!), outer)}`
  const between = holderOf(catalog, next)
  const at = inner.includes('"') ? innerAlias(inner, 'v') : `${inner}_v`
  const conditions = [bySql(catalog, further, outer, at, judged), ...liveSql(catalog, between, at)]
  return sql`${key} in (select ${idSql(between, at)} from ${tableSql(between.table, judged)} ${at} where ${and(conditions)})`
}

/** The SQL of another value of the judged record, where that is compared with. */
function recordValue(
  catalog: Catalog,
  { operand, path, withDeleted: asked }: Comparison<FieldPath>,
  judged: Judged,
): Sql | undefined {
  if (operand.kind !== 'record' && operand.kind !== 'before') return undefined
  const withDeleted = asked === true
  return operand.kind === 'record'
    ? pathValueSql(catalog, operand.path, judged.record, judged, withDeleted)
    : beforeSql(catalog, operand.path, judged, path.field.sqlType, withDeleted)
}

/** What a path has before the write: read from the stored row; null of the type `type` where there is none. */
export function beforeSql(
  catalog: Catalog,
  path: FieldPath,
  { record, before, stored }: Judged,
  type: string,
  withDeleted = true,
): Sql {
  if (before === undefined) return sql`null::${type}`
  if (stored !== undefined) return pathValueSql(catalog, path, stored(), undefined, withDeleted)
  const value = pathValueSql(catalog, path, 'b', undefined, withDeleted)
  const owner = ownerOf(catalog, before)!
  return sql`(select ${value} from ${quoted(before)} b where ${idSql(owner, 'b')} = ${idSql(owner, record)})`
}

/**
 * The value of a path from the row `alias`; each relation is a sub-select, and absent anywhere is null. A value that is
 * copied or told is that of a deleted record too, one that a condition compares is not.
 */
export function pathValueSql(
  catalog: Catalog,
  { relations, field }: FieldPath,
  alias: string,
  judged: Judged = { record: alias, before: undefined },
  withDeleted = true,
): Sql {
  const [relation, ...further] = relations
  if (relation === undefined) return fieldSql(field, alias)
  const target = targetOf(catalog, relation)
  const from = (at: string): Sql => pathValueSql(catalog, { relations: further, field }, at, judged, withDeleted)
  const liveOf = (at: string): readonly Sql[] => (withDeleted ? [] : liveSql(catalog, target, at))
  const joined = besideOf(relation, alias, judged)
  if (joined !== undefined) {
    const live = liveOf(joined)
    return live.length === 0 ? from(joined) : sql`(case when ${and(live)} then ${from(joined)} end)`
  }
  const inner = quoted(`${alias}.${relation.name.toLowerCase()}`)
  const named = sql`${idSql(target, inner)} = ${alias}.${quoted(relation.field.column)}`
  return sql`(select ${from(inner)} from ${tableSql(target.table, judged)} ${inner} where ${and([named, ...liveOf(inner)])})`
}

/** The alias of the record that the relation leads to from the judged one, where the statement joins it. */
function besideOf(relation: BelongsTo, alias: string, { beside, record }: Judged): string | undefined {
  return alias === record ? beside?.(relation) : undefined
}

/** Whether a filter holds for the record of `alias`, as a column: true or false, never null. Without a filter it does. */
export function holdsSql(catalog: Catalog, filter: Filter | undefined, alias: string, judged?: Judged): Sql {
  return filter === undefined ? sql`true` : sql`(${conditionSql(catalog, filter, alias, judged)}) is true`
}

/** A comparison over a path. Each relation is a sub-select; the innermost has the comparison and the conditions of the records on the way. */
function pathSql(catalog: Catalog, asked: Asked, relations: readonly BelongsTo[], alias: string, judged: Judged): Sql {
  const { comparison, negated } = asked
  const [relation, ...further] = relations
  if (relation === undefined) return columnSql(asked, fieldSql(comparison.path.field, alias))
  const joined = besideOf(relation, alias, judged)
  const inner = joined ?? innerAlias(alias, relation.name)
  const step = { relation, alias, inner, judged, isJoined: joined !== undefined }
  return stepSql(catalog, comparison, step, holdsForAbsent(asked), (opposite) =>
    pathSql(
      catalog,
      { ...asked, negated: opposite === holdsForAbsent(asked) ? negated : !negated },
      further,
      inner,
      judged,
    ),
  )
}

/** One step of a path: from the row `alias` over a relation to the row `inner`. */
interface Step {
  readonly relation: BelongsTo
  readonly alias: string
  readonly inner: string
  readonly judged: Judged
  /** The statement joins the row `inner` already. */
  readonly isJoined: boolean
}

/**
 * What is asked of the record that a step leads to; `forAbsent` says that it holds where there is none. A deleted record is
 * none, unless the filter says `with_deleted`. `asked` gives the condition there, or its opposite.
 *
 * Next to an `or`, PostgreSQL reads the whole table for an `in`, even for one row. For an `exists` it looks up the key, or
 * reads the table once where many rows ask.
 */
function stepSql(
  catalog: Catalog,
  { decides, withDeleted }: OnTheWay,
  { alias, inner, isJoined, judged, relation }: Step,
  forAbsent: boolean,
  asked: (forAbsent: boolean) => Sql,
): Sql {
  const target = targetOf(catalog, relation)
  const key = `${alias}.${quoted(relation.field.column)}`
  const live = withDeleted === true ? [] : liveSql(catalog, target, inner)
  const found = (condition: Sql): Sql => {
    if (isJoined) return sql`(${and([sql`${idSql(target, inner)} is not null`, ...live, condition])})`
    const named = sql`${idSql(target, inner)} = ${key}`
    return sql`exists (select 1 from ${tableSql(target.table, judged)} ${inner} where ${and([named, ...live, sql`(${condition})`])})`
  }
  if (!forAbsent) return found(asked(false))
  // Where access is decided, a deleted record is no absent one: over it nothing holds, nor does the opposite.
  if (decides === true || live.length === 0) return sql`(${key} is null or ${found(asked(true))})`
  return isJoined ? sql`(${found(asked(false))}) is not true` : sql`not ${found(asked(false))}`
}

/** A comparison as `toSql` asks it of a record; `negated` asks for its opposite. */
export interface Asked {
  readonly comparison: Comparison<FieldPath>
  readonly negated: boolean
  /** The other value of the record that it is compared with, where it is no operand of the request. */
  readonly value?: Sql | undefined
}

/** The condition, unless it would hold only because the actor has no value to compare with: then nothing matches. */
export function forActor(asked: Asked, condition: Sql): Sql {
  const { decides, operand, path } = asked.comparison
  if (decides !== true || operand.kind !== 'actor' || !holdsForAbsent(asked)) return condition
  return sql`(${parameter(operand)}::${path.field.sqlType} is not null and ${condition})`
}

/** Whether what is asked holds for a value that is not there. */
function holdsForAbsent({ comparison: { operator }, negated }: Asked): boolean {
  return (operator === 'ne' || operator === 'not_in' || operator === 'null') !== negated
}

/** What is asked of `column`, the SQL of the value at the end of the path. */
export function columnSql({ comparison, negated, value: other }: Asked, column: Fragment): Sql {
  const { operator, path } = comparison
  if (other !== undefined) return besideSql(operator, column, other, negated)
  const stored = path.field.type.wire === 'json' ? 'json' : 'scalar'
  const type = comparandType(operator, path.field)
  const value = (part: 0 | 1): Sql => sql`${operandSql(comparison, part, stored)}::${type}`
  return compareSql(column, operator, value, negated, stored)
}

/** Two values of records side by side: what is absent equals nothing, on either side. */
function besideSql(operator: Operator, column: Fragment, other: Sql, negated: boolean): Sql {
  if (operator === 'ne') return besideSql('eq', column, other, !negated)
  const positive = compareSql(column, operator, () => other)
  return negated ? sql`(${positive}) is not true` : positive
}

/** Patterns are texts, lists are arrays of the field's type, and anything else has the field's type itself. */
function comparandType(operator: Operator, field: Field): string {
  switch (operator) {
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      return 'text'
    case 'in':
    case 'not_in':
      return `${field.sqlType}[]`
    default:
      return field.sqlType
  }
}

/** The parameter that is compared with; a literal in the form that its operator takes, and `between` has two. */
function operandSql({ operator, operand }: Comparison<FieldPath>, part: 0 | 1, stored: Comparable): Sql {
  if (operand.kind === 'slot') return slot(`v${operand.index}`)
  if (operand.kind === 'record' || operand.kind === 'before') throw new Error(`$${operand.kind} means nothing here`)
  if (operand.kind !== 'literal') return parameter(operand)
  const value = operator === 'between' && Array.isArray(operand.value) ? (operand.value[part] as Json) : operand.value
  return parameter({ kind: 'literal', value: comparand(operator, value, stored) })
}

/** The conditions under which a record of a resource exists for callers: it is in scope, and live unless told otherwise. */
export function existenceSql(
  { catalog }: { readonly catalog: Catalog },
  resource: Resource,
  alias: string,
  includeDead = false,
): Sql[] {
  const filters = includeDead ? [resource.scope] : [resource.scope, resource.live]
  return filters.flatMap((filter) => (filter === undefined ? [] : [conditionSql(catalog, filter, alias)]))
}

/** Whether the record of `alias` is within reach: true or false, never null. */
export function reachSql({ catalog }: { readonly catalog: Catalog }, reached: Reach, alias: string): Sql {
  if (reached.kind === 'all') return sql`true`
  if (reached.kind === 'none') return sql`false`
  return holdsSql(catalog, reached.filter, alias)
}
