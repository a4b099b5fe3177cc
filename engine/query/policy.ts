/** Policies: which clauses speak of an actor, and what the refused are told. */
import { type Actor, holds } from '../actor.ts'
import type { Access, Clause, EmbedEntry, Field, FieldPath, Filter } from '../catalog/catalog.ts'
import { ApiError } from '../error.ts'
import { memo } from '../memo.ts'

/** Whether all of a clause's or one of an access rule's conditions speak of the actor. */
export function allows(access: Access, actor: Actor): boolean {
  switch (access.kind) {
    case 'anyone':
      return true
    case 'signed_in':
      return actor.kind !== 'anonymous'
    case 'role':
      return actor.kind === 'system' || (actor.role !== null && access.roles.includes(actor.role))
    case 'permission':
      return holds(actor, access.permission)
  }
}

/** Whether one of the alternatives speaks of the actor; no alternatives at all means nothing is asked. */
export function allowsOne(alternatives: readonly Access[] | undefined, actor: Actor): boolean {
  return actor.kind === 'system' || alternatives === undefined || alternatives.some((access) => allows(access, actor))
}

/** Whether the actor may read a field at all: neither a secret nor kept from the actor's role. */
export function readable(field: Field, actor: Actor): boolean {
  return field.type.hidden !== true && allowsOne(field.read, actor)
}

/** Whether the actor may filter by a path: only by what it may read. */
export function filterable(path: FieldPath, actor: Actor): boolean {
  return readable(path.field, actor) && path.relations.every((relation) => readable(relation.field, actor))
}

/** Whether the actor may read what an embed has of another record: a field and the way to it, or a further record. */
export function readableEntry({ value }: Pick<EmbedEntry, 'value'>, actor: Actor): boolean {
  return value.kind === 'embed' ? allowsOne(value.relation.read, actor) : filterable(value.path, actor)
}

/** The clauses whose access speaks of the actor, in order; the system is held to none. Decided once for a class of actors. */
export function clausesFor(clauses: readonly Clause[], actor: Actor): readonly Clause[] {
  return classOf(actor).speaking(clauses)
}

/** The read or write condition of an actor: every record, none, or those that match. */
export type Reach =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'matching'; readonly filter: Filter }

/** How far a policy lets an actor reach: the union of the clauses that speak of it. */
export function reach(clauses: readonly Clause[], actor: Actor): Reach {
  if (actor.kind === 'system') return { kind: 'all' }
  const speaking = clausesFor(clauses, actor)
  if (speaking.length === 0) return { kind: 'none' }
  const filters: Filter[] = []
  for (const clause of speaking) {
    if (clause.where === undefined) return { kind: 'all' }
    filters.push(clause.where)
  }
  return { kind: 'matching', filter: filters.length === 1 ? filters[0]! : { kind: 'or', of: filters } }
}

/**
 * The clauses of an action that speak of the actor, in order. Throws when there is none, before any record is looked
 * for: 401 to the anonymous, else 403 that names the permission. The system needs none.
 */
export function requireClause(clauses: readonly Clause[], actor: Actor): readonly Clause[] {
  const speaking = clausesFor(clauses, actor)
  if (speaking.length === 0 && actor.kind !== 'system') throw noClause(clauses, actor)
  return speaking
}

function noClause(clauses: readonly Clause[], actor: Actor): ApiError {
  if (actor.kind === 'anonymous') return new ApiError('unauthenticated')
  return forbiddenBy(
    clauses.flatMap((clause) => clause.access),
    actor,
  )
}

/** The error of an actor who is refused: it names the first permission that is missing. */
export function forbiddenBy(rules: readonly Access[], actor: Actor): ApiError {
  for (const rule of rules) {
    if (rule.kind === 'permission' && !holds(actor, rule.permission)) {
      return new ApiError('forbidden', { message: `You need the permission ${rule.permission}` })
    }
  }
  return new ApiError('forbidden', { message: 'Forbidden' })
}

/** What actors of one kind, role and set of permissions have in common. */
interface ActorClass {
  readonly key: string
  /** The clauses that speak of them, by the policy that holds all. */
  readonly speaking: (clauses: readonly Clause[]) => readonly Clause[]
}

const classesWith = memo((_permissions: ReadonlySet<string>) => new Map<string, ActorClass>())

function classOf(actor: Actor): ActorClass {
  const byRole = classesWith(actor.permissions)
  const key = `${actor.kind}|${actor.role ?? ''}`
  let found = byRole.get(key)
  if (found === undefined) {
    const speaking = memo((clauses: readonly Clause[]) =>
      clauses.filter((clause) => clause.access.every((access) => allows(access, actor))),
    )
    found = { key: shortly(`${key}|${[...actor.permissions].sort().join(',')}`), speaking }
    byRole.set(key, found)
  }
  return found
}

const names = new Map<string, string>()

/** A short name for a class, because it is a part of every statement's identity. */
function shortly(rights: string): string {
  const name = names.get(rights) ?? `c${names.size}`
  names.set(rights, name)
  return name
}

/**
 * What actors have in common that statements are compiled for: kind, role and permissions.
 * Actors of one class share compiled statements; ids and attributes are parameters.
 */
export function actorClass(actor: Actor): string {
  return classOf(actor).key
}
