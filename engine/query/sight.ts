/** What readers see of values of records, compiled: one statement for several classes of readers and any number of records. */
import type { Actor } from '../actor.ts'
import type { BelongsTo, Catalog, EmbedEntry, Field, FieldPath, Resource } from '../catalog/catalog.ts'
import { idsType } from '../catalog/key.ts'
import { castType, idSql } from '../catalog/stored.ts'
import { and, join, type Parameter, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { type Compiled, compiled } from './compiled.ts'
import { fieldSql } from './condition.ts'
import { perReader, READER } from './per-reader.ts'
import { allowsOne, reach, readable } from './policy.ts'
import { existenceSql, joiner, joinWay, reachSql, type SelectScope } from './scope.ts'

/** The statement of several classes of readers; its rows are the place of a pair, and the values of the paths. */
export interface CompiledSights extends Compiled {
  /** What the readers of each class bring along. */
  readonly brought: readonly (readonly Parameter[])[]
}

/** What a class of readers asks: its slots are the same words behind its number. */
export const ofClass = (at: number, name: string): string => `${at} ${name}`

/** Which paths are read of a resource, and whether values of before, or of a change, are laid over the records. */
export interface Seen {
  readonly resource: Resource
  readonly paths: readonly FieldPath[]
  readonly laid: boolean
}

/**
 * Compiles what readers see of records, for one actor of each class: pairs of a record and a reader, of which those are
 * left where the reader may see the record. Slots of each class: `records`, `readers`, `places` and perhaps `values`, an
 * entry for each pair, and those of `perReader`.
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
  // Who may see a record is asked of the record as it is now, whatever is laid over its values.
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
  return sql`(select f.*, f as plinth_row from ${quoted(table)} f where f.${quoted(key.column)} = ${id} offset 0)`
}

/** The value at the end of a path, as far as the reader sees it; null otherwise. What is computed has its field's type for every class. */
function valueSql(scope: SelectScope, path: FieldPath, joinOnce: (from: string, relation: BelongsTo) => string): Sql {
  const { field, relations } = path
  if (!isOpen(scope.actor, path)) return sql`null::${castType(field)}`
  const { alias, within } = joinWay(scope, relations, joinOnce, (target, at) => [
    ...existenceSql(scope, target, at),
    reachSql(scope, reach(target.policies.view, scope.actor), at),
  ])
  const value =
    field.computed === undefined ? fieldSql(field, alias) : sql`(${fieldSql(field, alias)})::${castType(field)}`
  if (relations.length === 0 || isEmbedded(path)) return value
  return sql`case when ${and(within)} then ${value} end`
}

/** Whether the actor's role lets it read the field and the relations that lead to it; nobody but the system reads what is never shown. */
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

/** Whether answers show the value beside the record, to whoever may see that. */
export function isEmbedded({ field, relations: [first, ...further] }: FieldPath): boolean {
  return first?.embed !== undefined && embeds(first.embed, further, field)
}

function embeds(entries: readonly EmbedEntry[], relations: readonly BelongsTo[], field: Field): boolean {
  return entries.some(({ value }) => {
    if (value.kind === 'embed')
      return value.relation === relations[0] && embeds(value.entries, relations.slice(1), field)
    const { path } = value
    return (
      path.field === field &&
      path.relations.length === relations.length &&
      path.relations.every((one, at) => one === relations[at])
    )
  })
}
