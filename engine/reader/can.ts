/** What a caller may do to a record that it reads: asked in the statement of the read, by the conditions of the clauses. */
import type { Actor } from '../actor.ts'
import { type ActorClass, classOf, clausesFor } from '../ask/policy.ts'
import type { BelongsTo, Catalog, Clause, FieldPath, Filter, Moves, Resource, WayPath } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/stored.ts'
import { fold } from '../filter/walk.ts'
import type { JsonObject } from '../json.ts'
import { memo } from '../memo.ts'
import type { CanShape } from '../plan/read-plan.ts'
import { isWritable } from '../record/decode.ts'
import { isWordShown, wordsAfter } from '../statement/moves.ts'
import { writtenUnder } from './part.ts'

/** A clause with the place of its condition among the columns; undefined: it has none, and reaches every record. */
interface AskedClause {
  readonly clause: Clause
  readonly at: number | undefined
}

/** Records that may be created below one, under the last part of their path. */
interface Below {
  readonly path: string
  readonly child: Resource
  readonly by: BelongsTo
  readonly clauses: readonly AskedClause[]
}

/** What is asked of each record, and what the answers mean. */
export interface Can {
  readonly shape: CanShape
  /** The rights, from the values of the columns. */
  readonly read: (values: readonly (string | null)[]) => JsonObject
}

/** The question for all records of a resource, made once for a class of callers. */
export function canOf(catalog: Catalog, resource: Resource, actor: Actor): Can {
  return known(classOf(actor))(catalog)(resource)
}

const known = memo(({ rights }: ActorClass) =>
  memo((catalog: Catalog) => memo((resource: Resource) => canFor(catalog, resource, rights))),
)

function canFor(catalog: Catalog, resource: Resource, actor: Actor): Can {
  const conditions: Filter[] = []
  const asked = (clauses: readonly Clause[], where = (clause: Clause) => clause.where): readonly AskedClause[] =>
    clausesFor(clauses, actor).map((clause) => {
      const filter = where(clause)
      return { clause, at: filter === undefined ? undefined : conditions.push(filter) - 1 }
    })
  const { actions, policies } = resource
  const isSystem = actor.kind === 'system'
  const updates = actions.has('update') ? asked(policies.update) : []
  const removes = actions.has('delete') ? asked(policies.delete) : []
  const below = [...catalog.resources.values()].flatMap((child) =>
    child.nested.flatMap(({ actions: offered, path, relation }): Below[] => {
      if (targetOf(catalog, relation) !== resource || !offered.includes('create')) return []
      const clauses = asked(child.policies.create, ({ where }) => where && aboutParent(where, relation))
      return clauses.length === 0 ? [] : [{ path, child, by: relation, clauses }]
    }),
  )
  const moves = resource.moves.filter((one) => isWordShown({ catalog, actor }, resource, one))
  const words: readonly FieldPath[] = moves.map(({ path }) => path)
  const shape: CanShape = { planId: 'can', conditions, words }
  const fieldsUnder = remembered((clauses, of: Resource, action) => namesUnder(of, actor, clauses, action))
  return {
    shape,
    read: (values) => {
      const holding = (clauses: readonly AskedClause[]): readonly AskedClause[] =>
        clauses.filter(({ at }) => at === undefined || values[at] === 't')
      const update = isSystem
        ? namesUnder(resource, actor, [], 'update')
        : fieldsUnder(holding(updates), resource, 'update')
      const created = below.flatMap(({ by, child, clauses, path }) => {
        const reached = holding(clauses)
        const names = fieldsUnder(reached, child, 'create').filter((name) => name !== by.field.name)
        return reached.length === 0 ? [] : [[path, names] as const]
      })
      return {
        update: [...update],
        delete: isSystem ? actions.has('delete') : holding(removes).length > 0,
        ...(moves.length === 0 ? {} : { moves: movesFrom(moves, values.slice(conditions.length), update, actor) }),
        ...(below.length === 0 ? {} : { create: Object.fromEntries(created) }),
      }
    },
  }
}

type NamesOf = (clauses: readonly AskedClause[], of: Resource, action: 'create' | 'update') => readonly string[]

/** The same for the same clauses: a resource has few. */
function remembered(make: NamesOf): NamesOf {
  const made = new Map<string, readonly string[]>()
  return (clauses, of, action) => {
    const key = `${of.name} ${action} ${clauses.map(({ clause }) => of.policies[action].indexOf(clause)).join()}`
    const names = made.get(key) ?? make(clauses, of, action)
    made.set(key, names)
    return names
  }
}

/** The keys of bodies that may be sent under the clauses. */
function namesUnder(
  resource: Resource,
  actor: Actor,
  clauses: readonly AskedClause[],
  action: 'create' | 'update',
): readonly string[] {
  const { fields, relations } = writtenUnder(
    resource,
    actor,
    clauses.map(({ clause }) => clause),
  )
  const own = [...fields.values()].filter((field) => isWritable(field) && !(action === 'update' && field.immutable))
  const lists = [...relations.values()].flatMap((one) => (one.kind === 'many_to_many' ? [one.writeAs] : []))
  return [...own.map(({ name }) => name), ...lists]
}

/** By field, the words to which the record may be moved. */
function movesFrom(
  moves: readonly Moves[],
  words: readonly (string | null)[],
  update: readonly string[],
  actor: Actor,
): JsonObject {
  return Object.fromEntries(
    moves.map((one, at) => {
      const may = update.includes(one.field.name)
      return [one.name, may ? [...wordsAfter(one, words[at] ?? null, actor)] : []]
    }),
  )
}

/**
 * What a condition on a record to come below another says of that other one. What it says of the record itself is not
 * known before its values are, and counts as true.
 */
function aboutParent(filter: Filter, relation: BelongsTo): Filter {
  const unknown = (negated: boolean): Filter => ({ kind: negated ? 'or' : 'and', of: [] })
  const all = (kind: 'and' | 'or') => (of: readonly Told[]) => (negated: boolean) =>
    ({ kind, of: of.map((part) => part(negated)) }) as const
  const told = fold<FieldPath, WayPath, Told>(filter, {
    compare: (part) => {
      const [first, ...relations] = part.path.relations
      const isKnown = first?.name === relation.name && part.operand.kind !== 'record' && part.operand.kind !== 'before'
      return isKnown ? () => ({ ...part, path: { ...part.path, relations } }) : unknown
    },
    related: (part) => {
      const [first, ...relations] = part.path.relations
      return first?.name === relation.name ? () => ({ ...part, path: { ...part.path, relations } }) : unknown
    },
    not: (of) => (negated) => ({ kind: 'not', of: of(!negated) }),
    and: all('and'),
    or: all('or'),
  })
  return told(false)
}

/** A part of a condition, within a `not` or outside. */
type Told = (negated: boolean) => Filter
