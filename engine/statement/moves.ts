/** Which value may follow which, as conditions on the row `v` and the stored one, and the words for what may follow. */
import type { Actor } from '../actor.ts'
import { isOpen } from '../ask/askable.ts'
import { allowsAll, filterable, reach } from '../ask/policy.ts'
import type { Catalog, Move, Moves, Resource } from '../catalog/catalog.ts'
import { idSql, idType } from '../catalog/stored.ts'
import { join, or, parameter, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { type Compiled, compiled, type SelectScope } from './compiled.ts'
import { beforeSql, fieldSql, type Judged, pathValueSql, reachSql } from './condition.ts'

/** A move to be judged: whether anybody may make it, or whether this actor may. */
export interface MoveSql {
  readonly check: { readonly kind: 'move'; readonly moves: Moves; readonly whose: 'anyone' | 'own' }
  readonly condition: Sql
  /** The word that is left, for the sentence. */
  readonly tells: readonly Sql[]
}

/** Whether anybody may make a move of an update, and whether this actor may, where that is another question. */
export function movesSql({ catalog, actor }: SelectScope, resource: Resource, moves: Moves): readonly MoveSql[] {
  const judged: Judged = { record: 'v', before: resource.table }
  const own = moves.allow.filter((move) => speaksOf(move, actor))
  const check = (whose: 'anyone' | 'own', allow: readonly Move[]): MoveSql => ({
    check: { kind: 'move', moves, whose },
    condition: allowedSql(catalog, moves, allow, judged),
    tells: whose === 'own' ? [] : wordsSql(catalog, moves, judged),
  })
  const anyone = check('anyone', moves.allow)
  return own.length === moves.allow.length ? [anyone] : [anyone, check('own', own)]
}

/** Whether a move is allowed to an actor. */
export function speaksOf({ access }: Move, actor: Actor): boolean {
  return actor.kind === 'system' || allowsAll(access, actor)
}

/** Whether the actor may read the word that a record of the resource has, if it may view the record. */
export function isWordShown({ catalog, actor }: SelectScope, resource: Resource, { path }: Moves): boolean {
  return path.relations.length === 0 ? filterable(path, actor) : isOpen({ catalog, actor }, resource, path)
}

/** The words that may follow `word` for an actor, in the order of the field's own. */
export function wordsAfter({ allow, words }: Moves, word: string | null, actor: Actor | undefined): readonly string[] {
  const open = allow.filter(
    (move) => (actor === undefined || speaksOf(move, actor)) && (move.from === undefined || move.from.has(word ?? '')),
  )
  const named = [...new Set(open.flatMap(({ to }) => [...(to ?? words ?? [])]))]
  const ordered = words === undefined ? named : words.filter((one) => named.includes(one))
  return ordered.filter((one) => one !== word)
}

/**
 * Compiles what a record's moves depend on: whether the caller may view it, and for each field that shows its moves the
 * word that it has, and whether the caller may change the field at all. Slot: `id`.
 */
export function compileOpen(scope: SelectScope, resource: Resource, shown: readonly Moves[]): Compiled {
  const seen = reachSql(scope, reach(resource.policies.view, scope.actor), 't')
  const columns = shown.flatMap(({ field, path }) => {
    const clauses = resource.policies.update.filter(({ fields }) => fields === undefined || fields.has(field.name))
    return [pathValueSql(scope.catalog, path, 't'), reachSql(scope, reach(clauses, scope.actor), 't')]
  })
  return compiled(
    sql`select ${join([seen, ...columns])} from ${quoted(resource.table)} t where ${idSql(resource, 't')} = ${slot('id')}::${idType(resource)}`,
  )
}

function wordsSql(catalog: Catalog, { path }: Moves, judged: Judged): readonly [from: Sql, to: Sql] {
  return [beforeSql(catalog, path, judged, 'text'), pathValueSql(catalog, path, judged.record)]
}

function allowedSql(catalog: Catalog, moves: Moves, allow: readonly Move[], judged: Judged): Sql {
  const { field } = moves
  const [from, to] = wordsSql(catalog, moves, judged)
  const stays = beforeSql(catalog, { relations: [], field }, judged, field.sqlType)
  const same = sql`${fieldSql(field, judged.record)} is not distinct from ${stays}`
  const each = allow.map((move) => sql`(${side(from, move.from)} and ${side(to, move.to)})`)
  return sql`coalesce(${or([same, ...each])}, false)`
}

function side(word: Sql, words: ReadonlySet<string> | undefined): Sql {
  if (words === undefined) return sql`true`
  return sql`${word} = any(${parameter({ kind: 'literal', value: [...words] })}::text[])`
}
