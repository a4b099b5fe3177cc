/** Whether creating a record depends on other rows of its table: several then cannot share one INSERT, which would not see them. */

import { clausesFor, reach } from '../ask/policy.ts'
import type { Assignment, Catalog, Field, Filter, Relation, Resource, Value } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/stored.ts'
import { comparedPaths, leaves } from '../filter/walk.ts'
import { speaksOf } from '../plan/reads-of-answer.ts'
import type { SelectScope } from './compiled.ts'

/** Whether other records of the table are asked before a record of the resource is created, or for what it gets. */
export function dependsOnTable(scope: Pick<SelectScope, 'catalog' | 'actor'>, resource: Resource): boolean {
  const { catalog, actor } = scope
  const { follows, policies, relations, rules, scope: own, scopeSets } = resource
  const clauses = actor.kind === 'system' ? [] : clausesFor(policies.create, actor)
  const chosen = [...relations.values()].flatMap((relation) => chosenBy(scope, relation))
  const conditions = [
    own,
    ...clauses.map(({ where }) => where),
    ...rules.flatMap(({ must, when }) => [must, when]),
    ...follows.map(({ when }) => when),
    ...chosen,
  ]
  const looks = new Look(catalog, resource.table)
  return (
    conditions.some((filter) => filter !== undefined && looks.filter(filter)) ||
    [...scopeSets, ...clauses.flatMap(({ set }) => set)].some((set) => looks.assignment(set)) ||
    [...relations.values()].some((relation) => looks.standIn(relation)) ||
    follows.some(({ set }) => set.some(({ value }) => looks.value(value)))
  )
}

/** What decides which records a relation may name. */
function chosenBy(
  { catalog, actor }: Pick<SelectScope, 'catalog' | 'actor'>,
  relation: Relation,
): readonly (Filter | undefined)[] {
  if (relation.kind !== 'belongs_to') return []
  const { live, policies, scope } = targetOf(catalog, relation)
  const seen = reach(policies.view, actor)
  return [live, scope, relation.where, seen.kind === 'matching' ? seen.filter : undefined]
}

/** Looks for a table in what is asked. One record that a key leads to is there already, and no new one. */
class Look {
  readonly #catalog: Catalog
  readonly #table: string

  constructor(catalog: Catalog, table: string) {
    this.#catalog = catalog
    this.#table = table
  }

  filter(filter: Filter): boolean {
    return leaves(filter).some((leaf) => {
      if (leaf.kind === 'compare') return comparedPaths(leaf).some(({ field }) => this.#field(field))
      const { many } = leaf.path
      const inner = [leaf.of, leaf.seen, many.kind === 'belongs_to' ? undefined : many.where]
      return this.#many(many) || inner.some((one) => one !== undefined && this.filter(one))
    })
  }

  assignment(assignment: Assignment): boolean {
    return 'selection' in assignment && this.value({ kind: 'selection', selection: assignment.selection })
  }

  /** Whether the default record of the relation depends on the table. */
  standIn(relation: Relation): boolean {
    if (relation.kind !== 'belongs_to' || relation.default === undefined) return false
    return this.value({ kind: 'selection', selection: { resource: relation.target, where: relation.default } })
  }

  value(value: Value): boolean {
    switch (value.kind) {
      case 'record':
        return this.#field(value.path.field)
      case 'selection':
        return this.#isIn(value.selection.resource) || this.filter(value.selection.where)
      case 'first':
      case 'sum':
      case 'difference':
      case 'product':
      case 'quotient':
      case 'text':
        return value.of.some((part) => typeof part !== 'string' && this.value(part))
      case 'later':
      case 'earlier': {
        const amounts = typeof value.by === 'string' ? [] : value.by.map(({ of }) => of)
        return [value.than, ...amounts].some((part) => this.value(part))
      }
      case 'between':
        return this.value(value.from) || this.value(value.to)
      default:
        return false
    }
  }

  #field(field: Field): boolean {
    return field.count !== undefined || speaksOf(field, this.#table)
  }

  #many(many: Relation): boolean {
    if (many.kind === 'belongs_to') return false
    const between = many.kind === 'has_many' ? many.by.slice(0, -1).some(({ target }) => this.#isIn(target)) : false
    return this.#isIn(many.target) || between || (many.kind === 'many_to_many' && many.through.table === this.#table)
  }

  #isIn(resource: string): boolean {
    return this.#catalog.resources.get(resource)?.table === this.#table
  }
}
