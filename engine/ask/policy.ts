/** Policies: which clauses speak of an actor, what it may read, and what the refused are told. */
import type { Actor } from '../actor.ts'
import type { Access, Clause, EmbedEntry, Field, FieldPath, Filter, Relation, Resource } from '../catalog/catalog.ts'
import type { Show } from '../definition/definition.ts'
import { ApiError } from '../error.ts'
import { memo } from '../memo.ts'
import { type Answer, type Mode, type Part, type Reach, USUAL } from '../plan/read-plan.ts'

/** Whether the actor holds a permission; `*` among an actor's permissions means all of them. */
export function holds(actor: Actor, permission: string): boolean {
  return actor.kind === 'system' || actor.permissions.has(permission) || actor.permissions.has('*')
}

/**
 * Whether a permission lets the actor do what a handler is about to do; a key that is let in has used it then. `holds`
 * only looks.
 */
export function admits(actor: Actor, permission: string): boolean {
  const held = holds(actor, permission)
  if (held) actor.used?.(permission)
  return held
}

/** Whether one condition of a clause or an access rule speaks of the actor's account. */
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
  if (actor.kind === 'system' || alternatives === undefined) return true
  return alternatives.some((access) => allowsAll([access], actor))
}

/** Whether all conditions of a clause speak of the actor, and the clause is within its scope. */
export function allowsAll(clause: readonly Access[], actor: Actor): boolean {
  return clause.every((access) => allows(access, actor)) && (actor.scope !== 'permissions' || isInScope(clause))
}

/** Whether a clause names a permission, or speaks of everybody. */
function isInScope(clause: readonly Access[]): boolean {
  return clause.some(({ kind }) => kind === 'permission') || clause.every(({ kind }) => kind === 'anyone')
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

/** Whether something declared with `show` appears in an answer of this mode. */
export function shown(show: Show, mode: Mode): boolean {
  return show === 'always' || show === mode
}

/** What is answered of each record where nothing is asked for. Decided once for a class of actors. */
export function usualAnswer(actor: Actor, resource: Resource, mode: Mode): Answer {
  return usual(classOf(actor))[mode](resource)
}

const usual = memo(({ rights }: ActorClass) => ({
  list: memo((resource: Resource) => answerOf(resource, rights, 'list')),
  single: memo((resource: Resource) => answerOf(resource, rights, 'single')),
}))

function answerOf(resource: Resource, rights: Actor, mode: Mode): Answer {
  return { planId: USUAL, parts: partsOf(resource, rights, (show) => shown(show, mode)) }
}

/** The parts of an answer that an actor may read, of those whose `show` is `wanted`, in the order of answers. */
export function partsOf(resource: Resource, actor: Actor, wanted: (show: Show) => boolean): readonly Part[] {
  const parts: Part[] = []
  const add = (relation: Relation | undefined): void => {
    if (relation?.embed !== undefined && wanted(relation.show) && allowsOne(relation.read, actor))
      parts.push({ relation, entries: relation.embed })
  }
  for (const field of resource.fields.values()) {
    add(field.relation === undefined ? undefined : resource.relations.get(field.relation))
    if (readable(field, actor) && wanted(field.show)) parts.push(field)
  }
  for (const relation of resource.relations.values()) if (relation.kind !== 'belongs_to') add(relation)
  return parts
}

/** The clauses whose access speaks of the actor, in order; the system is held to none. Decided once for a class of actors. */
export function clausesFor(clauses: readonly Clause[], actor: Actor): readonly Clause[] {
  return classOf(actor).speaking(clauses)
}

/** How far a policy lets an actor reach: the union of the clauses that speak of it. Decided once for a class of actors. */
export function reach(clauses: readonly Clause[], actor: Actor): Reach {
  return classOf(actor).reach(clauses)
}

function reachOf(clauses: readonly Clause[], rights: Actor): Reach {
  if (rights.kind === 'system') return { kind: 'all' }
  const speaking = clausesOf(clauses, rights)
  if (speaking.length === 0) return { kind: 'none' }
  const filters: Filter[] = []
  for (const clause of speaking) {
    if (clause.where === undefined) return { kind: 'all' }
    filters.push(clause.where)
  }
  return { kind: 'matching', filter: filters.length === 1 ? filters[0]! : { kind: 'or', of: filters } }
}

function clausesOf(clauses: readonly Clause[], rights: Actor): readonly Clause[] {
  return clauses.filter((clause) => allowsAll(clause.access, rights))
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
  if (actor.scope === 'permissions')
    return new ApiError('forbidden', {
      message: 'No permission allows this, and a key acts by its permissions alone unless it says own: true',
    })
  return new ApiError('forbidden', { message: 'Forbidden' })
}

/** Actors of one kind, role and set of permissions. Statements and plans are made for a class; ids and attributes are parameters. */
export interface ActorClass {
  /** A short name, because it is a part of every statement's identity. */
  readonly key: string
  /** What its actors may do, as an actor without an id and without attributes. */
  readonly rights: Actor
  /** The clauses that speak of them, by the policy that holds all. */
  readonly speaking: (clauses: readonly Clause[]) => readonly Clause[]
  readonly reach: (clauses: readonly Clause[]) => Reach
}

const classes = new Map<string, ActorClass>()

/** The class of an actor, the same object for all actors of it. */
export const classOf = memo((actor: Actor): ActorClass => {
  const { kind, permissions, role, scope } = actor
  const text = `${kind}|${role ?? ''}|${scope ?? ''}|${listed(permissions)}`
  const known = classes.get(text)
  if (known !== undefined) return known
  const rights: Actor = { kind, role, permissions, id: null, attributes: {}, ...(scope !== undefined && { scope }) }
  const found: ActorClass = {
    key: `c${classes.size}`,
    rights,
    speaking: memo((clauses: readonly Clause[]) => clausesOf(clauses, rights)),
    reach: memo((clauses: readonly Clause[]) => reachOf(clauses, rights)),
  }
  classes.set(text, found)
  return found
})

/** The permissions as one text, whatever their order; accounts of one role share the set. */
const listed = memo((permissions: ReadonlySet<string>) => [...permissions].sort().join(','))

/** The name of the class of an actor. */
export function actorClass(actor: Actor): string {
  return classOf(actor).key
}
