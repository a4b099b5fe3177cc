/** What is asked of many records by one statement: what several readers see of them, what conditions and values come to, and where relations lead. */
import type { Actor } from '../actor.ts'
import { isEmbedded } from '../ask/askable.ts'
import { allowsOne, reach, readable } from '../ask/policy.ts'
import type { BelongsTo, Catalog, FieldPath, Relation, Resource } from '../catalog/catalog.ts'
import type { ManyPath } from '../catalog/field.ts'
import { idSql, idsType, targetOf } from '../catalog/stored.ts'
import { and, type Fragment, join, or, type Parameter, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import type { Id } from '../id.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ChangeCondition } from './change-condition.ts'
import { type Compiled, compiled, type SelectScope } from './compiled.ts'
import { conditionSql, existenceSql, fieldSql, holdsSql, linkSql, reachSql } from './condition.ts'
import { joiner, joinWay } from './select.ts'

/** A record and somebody who may see it, or may not. */
export interface Sighting {
  readonly record: Id
  readonly reader: Actor
  /** Values by field that are read in place of the record's own, as a change left them; who may see it is asked of the record. */
  readonly values?: JsonObject
}

/** Questions about many records, which do not depend on what a caller sees. An object that is asked again is compiled once. */
export interface Survey {
  readonly conditions: readonly ChangeCondition[]
  /** Paths of relations, also over one that leads to many. */
  readonly ways: readonly string[]
  /** Paths to values. */
  readonly values: readonly string[]
}

/** A record that is asked, with the values that it has in place of its own: after a change, and before it. */
export interface Surveyed {
  readonly record: Id
  readonly now?: JsonObject
  readonly before?: JsonObject
}

/** What was found of a record. */
export interface Findings {
  readonly holds: readonly boolean[]
  /** The live records that each way leads to. */
  readonly led: readonly (readonly Id[])[]
  readonly values: readonly Json[]
}

/** A record, and one that the path leads to from it. */
export interface Related {
  readonly record: Id
  readonly related: Id
}

/** The alias of a reader's row; its column `n` is the reader's number. */
export const READER = 'plinth_reader'

/** Readers as rows of a statement. */
export interface PerReader {
  /** The piece with what differs between readers taken from the reader's row, or from that of another alias that holds it. */
  of(piece: Fragment, alias?: string): Sql
  /** The rows of all readers: slots `reader_n`, `reader_0`, `reader_1` …, a text for each reader. To be asked for last. */
  rows(): Sql
  /** What each reader brings along, in the order of those slots. */
  readonly brought: readonly Parameter[]
}

/** The slot with the numbers of the readers, and that of what they bring along at a place. */
export const READERS = 'reader_n'
export const broughtSlot = (at: number): string => `reader_${at}`

function isOfActor({ kind }: Parameter): boolean {
  return kind === 'actor'
}

/** Makes columns of what readers bring along: what belongs to the caller, or what `differs` says. */
export function perReader(differs: (parameter: Parameter) => boolean = isOfActor): PerReader {
  const brought: Parameter[] = []
  const places = new Map<string, number>()
  const placeOf = (parameter: Parameter): number => {
    const key = JSON.stringify(parameter)
    const place = places.get(key) ?? brought.push(parameter) - 1
    places.set(key, place)
    return place
  }
  return {
    brought,
    of: (piece, alias = READER) => ({
      parts: sql`${piece}`.parts.map((part) =>
        typeof part === 'string' || !differs(part) ? part : `${alias}.p${placeOf(part)}`,
      ),
    }),
    rows: () => {
      const lists = [sql`${slot(READERS)}::integer[]`, ...brought.map((_, at) => sql`${slot(broughtSlot(at))}::text[]`)]
      const names = ['n', ...brought.map((_, at) => `p${at}`)]
      return sql`unnest(${join(lists)}) as ${READER}(${names.join(', ')})`
    },
  }
}

/** The statement of several classes of readers; its rows are the place of a pair, and the values of the paths. */
export interface CompiledSights extends Compiled {
  /** What the readers of each class bring along. */
  readonly brought: readonly (readonly Parameter[])[]
}

/** The name of a slot of one class of readers: the number of the class, and then the word. */
export const ofClass = (at: number, name: string): string => `${at} ${name}`

/** The paths that are read of a resource, and whether values of a change take the place of those of the records. */
export interface Seen {
  readonly resource: Resource
  readonly paths: readonly FieldPath[]
  readonly laid: boolean
}

/**
 * Compiles what readers see of records, for one actor of each class. A row is a pair of a record and a reader who may see
 * it. Slots of each class: `records`, `readers`, `places` and perhaps `values`, an entry for each pair, and those of
 * `perReader`.
 */
export function compileSights(catalog: Catalog, actors: readonly Actor[], seen: Seen): CompiledSights {
  const classes = actors.map((actor) => sightOf({ catalog, actor }, seen))
  const pieces = classes.map(({ piece }, at) => ({ parts: piece.parts.map((part) => numbered(part, at)) }))
  return { ...compiled(join(pieces, ' union all ')), brought: classes.map(({ brought }) => brought) }
}

function numbered(part: Sql['parts'][number], at: number): Sql['parts'][number] {
  return typeof part !== 'string' && part.kind === 'slot' ? { ...part, name: ofClass(at, part.name) } : part
}

function sightOf(scope: SelectScope, { laid, paths, resource }: Seen) {
  const each = perReader()
  const joins: string[] = []
  const joinOnce = joiner(scope.catalog, joins)
  const values = paths.map((path) => each.of(valueSql(scope, path, joinOnce)))
  // Whether a reader may see a record is judged by the record as it is now, also with values of a change.
  const stored = laid ? 's' : 't'
  const conditions = [
    ...existenceSql(scope, resource, stored),
    reachSql(scope, reach(resource.policies.view, scope.actor), stored),
  ]
  const where = each.of(and(conditions))
  const lists = sql`${slot('records')}::${idsType(resource)}, ${slot('readers')}::integer[], ${slot('places')}::integer[]`
  const pairs = laid
    ? sql`unnest(${lists}, ${slot('values')}::text[]) as plinth_pair(id, reader, place, values)`
    : sql`unnest(${lists}) as plinth_pair(id, reader, place)`
  const records = laid
    ? sql`cross join lateral ${foundSql(resource, 'plinth_pair.id')} s cross join lateral jsonb_populate_record(s.plinth_row, plinth_pair.values::jsonb) t`
    : sql`join ${quoted(resource.table)} t on ${idSql(resource, 't')} = plinth_pair.id`
  const from = sql`${pairs} join ${each.rows()} on ${READER}.n = plinth_pair.reader ${records} ${joins.join(' ')}`
  const piece = sql`select ${join(['plinth_pair.place', ...values])} from ${from} where ${where}`
  return { piece, brought: each.brought }
}

/**
 * The record of an id, with itself as the column `plinth_row`, over which values can be laid. It is found first: a plan that
 * is made without values takes all records of a small table, and would lay every value over each of them.
 */
export function foundSql({ key, table }: Resource, id: string): Sql {
  return sql`(select f.*, (f.*)::${quoted(table)} as plinth_row from ${quoted(table)} f where f.${quoted(key.column)} = ${id} offset 0)`
}

/** The value at the end of a path, as far as the reader sees it; null otherwise. What is computed has its field's type for every class. */
function valueSql(scope: SelectScope, path: FieldPath, joinOnce: (from: string, relation: BelongsTo) => string): Sql {
  const { field, relations } = path
  if (!isOpen(scope.actor, path)) return sql`null::${field.sqlType}`
  const { alias, within } = joinWay(scope, relations, joinOnce, (target, at) => [
    ...existenceSql(scope, target, at),
    reachSql(scope, reach(target.policies.view, scope.actor), at),
  ])
  const value =
    field.computed === undefined ? fieldSql(field, alias) : sql`(${fieldSql(field, alias)})::${field.sqlType}`
  if (relations.length === 0 || isEmbedded(path)) return value
  return sql`case when ${and(within)} then ${value} end`
}

/** Whether the actor's role lets it read the field and the relations that lead to it; only the system reads what is never shown. */
function isOpen(actor: Actor, { field, relations }: FieldPath): boolean {
  if (field.type.hidden === true) return false
  if (actor.kind === 'system') return true
  const shown = field.show !== 'never' && relations.every(({ show }) => show !== 'never')
  return (
    shown &&
    readable(field, actor) &&
    relations.every((one) => allowsOne(one.read, actor) && readable(one.field, actor))
  )
}

interface Asked {
  readonly conditions: readonly ChangeCondition[]
  readonly ways: readonly (readonly Relation[])[]
  readonly paths: readonly FieldPath[]
}

/**
 * Compiles findings about records: rows of a record's place, and then whether each condition holds, the ids to which each
 * way leads, as JSON, and the values. Slots: `records`, and `now` and `before`, JSON by column that takes the place of the
 * record's own values.
 */
export function compileSurvey(scope: SelectScope, resource: Resource, { conditions, paths, ways }: Asked): Compiled {
  const joins: string[] = []
  const joinOnce = joiner(scope.catalog, joins)
  const columns = [
    ...conditions.map((one) => changeSql(scope, one)),
    ...ways.map((way) => waySql(scope, resource, way)),
    ...paths.map((path) => liveValueSql(scope, path, joinOnce)),
  ]
  const given = sql`unnest(${slot('records')}::${idsType(resource)}, ${slot('now')}::text[], ${slot('before')}::text[]) with ordinality as c(id, now, before, n)`
  const laid = sql`cross join lateral jsonb_populate_record(s.plinth_row, c.now::jsonb) t cross join lateral jsonb_populate_record(s.plinth_row, c.before::jsonb) b`
  const from = sql`${given} cross join lateral ${foundSql(resource, 'c.id')} s ${laid} ${joins.join(' ')}`
  return compiled(
    sql`select ${join(['c.n', ...columns])} from ${from} where ${and(existenceSql(scope, resource, 's'))}`,
  )
}

/** Whether a condition holds: true or false, never null. */
function changeSql(scope: SelectScope, condition: ChangeCondition): Sql {
  switch (condition.kind) {
    case 'now':
    case 'before':
      return holdsSql(scope.catalog, condition.filter, condition.kind === 'now' ? 't' : 'b')
    case 'not':
      return sql`(not ${changeSql(scope, condition.of)})`
    default: {
      const parts = condition.of.map((one) => changeSql(scope, one))
      return sql`(${condition.kind === 'all' ? and(parts) : or(parts)})`
    }
  }
}

/** Types of ids that grow from record to record. */
const COUNTED: ReadonlySet<string> = new Set(['integer', 'bigint'])

/** The ids of the live records that a way leads to; of those of the record's own table, only earlier ones count, or all others. */
function waySql(scope: SelectScope, resource: Resource, way: readonly Relation[]): Sql {
  const { catalog } = scope
  const earlier = COUNTED.has(resource.key.type.name) ? '<' : '<>'
  const where: Sql[] = []
  const tables: string[] = []
  let alias = 't'
  let end = resource
  for (const [at, relation] of way.entries()) {
    const inner = `e${at}`
    end = targetOf(catalog, relation)
    tables.push(`${quoted(end.table)} ${inner}`)
    where.push(linkSql(catalog, relation, alias, inner), ...existenceSql(scope, end, inner))
    if (relation.kind !== 'belongs_to') {
      if (relation.where !== undefined) where.push(conditionSql(catalog, relation.where, inner))
      if (end.owner === resource.owner) where.push(sql`${idSql(end, inner)} ${earlier} ${idSql(resource, 't')}`)
    }
    alias = inner
  }
  const ids = sql`select distinct ${idSql(end, alias)} from ${tables.join(', ')} where ${and(where)} order by 1`
  return sql`to_json(array(${ids}))`
}

/** The value at the end of a path; null where a record on the way is not live. */
function liveValueSql(scope: SelectScope, { field, relations }: FieldPath, joinOnce: ReturnType<typeof joiner>): Sql {
  const { alias, within } = joinWay(scope, relations, joinOnce, (target, at) => existenceSql(scope, target, at))
  const value = fieldSql(field, alias)
  return within.length === 0 ? value : sql`case when ${and(within)} then ${value} end`
}

/** To-one relations, and at the end perhaps one to many. */
export interface RelatedPath {
  readonly relations: readonly BelongsTo[]
  readonly many: ManyPath['many'] | undefined
}

/** Compiles which live records a path leads to: rows of the record that it begins at and the one that it ends at. Slot: `records`. */
export function compileRelated(scope: SelectScope, resource: Resource, { many, relations }: RelatedPath): Compiled {
  const joins: string[] = []
  const joinOnce = joiner(scope.catalog, joins)
  const where: Sql[] = [
    sql`${idSql(resource, 't')} = any(${slot('records')}::${idsType(resource)})`,
    ...existenceSql(scope, resource, 't'),
  ]
  let alias = 't'
  let end = resource
  for (const relation of relations) {
    alias = joinOnce(alias, relation)
    end = targetOf(scope.catalog, relation)
    where.push(...existenceSql(scope, end, alias))
  }
  if (many !== undefined) {
    const target = targetOf(scope.catalog, many)
    joins.push(`join ${quoted(target.table)} e on true`)
    where.push(linkSql(scope.catalog, many, alias, 'e'), ...existenceSql(scope, target, 'e'))
    if (many.where !== undefined) where.push(conditionSql(scope.catalog, many.where, 'e'))
    alias = 'e'
    end = target
  }
  where.push(sql`${idSql(end, alias)} is not null`)
  const from = sql`${quoted(resource.table)} t ${joins.join(' ')}`
  return compiled(
    sql`select ${idSql(resource, 't')}, ${idSql(end, alias)} from ${from} where ${and(where)} order by 1, 2`,
  )
}
