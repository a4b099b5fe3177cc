/** What readers see of values of records, compiled: one statement for each class of readers and any number of records. */
import type { Actor } from '../actor.ts'
import type { BelongsTo, EmbedEntry, Field, FieldPath, Resource } from '../catalog/catalog.ts'
import { idsType } from '../catalog/key.ts'
import { idSql } from '../catalog/stored.ts'
import { and, join, type Parameter, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { type Compiled, compiled } from './compiled.ts'
import { castType } from './comparison.ts'
import { fieldSql } from './condition.ts'
import { perReader, READER } from './per-reader.ts'
import { allowsOne, reach, readable } from './policy.ts'
import { existenceSql, joiner, reachSql, type SelectScope } from './scope.ts'

/** The statement of a class of readers; its rows are the number of a pair, and the values of the paths. */
export interface CompiledSight extends Compiled {
  readonly brought: readonly Parameter[]
}

/**
 * Compiles what readers see of records: pairs of a record and a reader, of which those are left where the reader may see
 * the record. Slots: `records` and `readers`, an entry for each pair, and those of `perReader`.
 */
export function compileSight(scope: SelectScope, resource: Resource, paths: readonly FieldPath[]): CompiledSight {
  const each = perReader()
  const joins: string[] = []
  const joinOnce = joiner(scope.catalog, joins)
  const values = paths.map((path) => each.of(valueSql(scope, path, joinOnce)))
  const conditions = [
    ...existenceSql(scope, resource, 't'),
    reachSql(scope, reach(resource.policies.view, scope.actor), 't'),
  ]
  const where = each.of(and(conditions))
  const pairs = sql`unnest(${slot('records')}::${idsType(resource)}, ${slot('readers')}::integer[]) with ordinality as plinth_pair(id, reader, n)`
  const from = sql`${pairs} join ${each.rows()} on ${READER}.n = plinth_pair.reader join ${quoted(resource.table)} t on ${idSql(resource, 't')} = plinth_pair.id ${joins.join(' ')}`
  const read = compiled(sql`select ${join(['plinth_pair.n', ...values])} from ${from} where ${where}`)
  return { ...read, brought: each.brought }
}

/** The value at the end of a path, as far as the reader sees it; null otherwise. */
function valueSql(scope: SelectScope, path: FieldPath, joinOnce: (from: string, relation: BelongsTo) => string): Sql {
  const { field, relations } = path
  if (!isOpen(scope.actor, path)) return sql`null::${castType(field)}`
  const within: Sql[] = []
  let alias = 't'
  for (const relation of relations) {
    alias = joinOnce(alias, relation)
    const target = scope.catalog.resources.get(relation.target)!
    within.push(...existenceSql(scope, target, alias), reachSql(scope, reach(target.policies.view, scope.actor), alias))
  }
  const value = fieldSql(field, alias)
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
