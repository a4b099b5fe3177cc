/** Which other records a filter looks at: the ways that lead away from the record that it judges. */
import type { BelongsTo, Field, FieldPath, Filter, HasMany, ManyToMany, Resource } from './catalog.ts'

/** One way to other records: to-one relations, and at its end the field that is compared, or a relation to many. */
export interface Reached {
  readonly relations: readonly BelongsTo[]
  readonly end: Field | HasMany | ManyToMany
}

function reachedOver({ relations, field }: FieldPath): readonly Reached[] {
  return relations.length === 0 ? [] : [{ relations, end: field }]
}

/** Every way that a filter takes away from its record; what it asks of many records is not followed further. */
export function reachedBy(filter: Filter): readonly Reached[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.of.flatMap(reachedBy)
    case 'not':
      return reachedBy(filter.of)
    case 'related':
      return [{ relations: filter.path.relations, end: filter.path.many }]
    case 'compare': {
      const { operand, path } = filter
      const beside = operand.kind === 'record' || operand.kind === 'before' ? reachedOver(operand.path) : []
      return [...reachedOver(path), ...beside]
    }
  }
}

/** The resources at the ends of relations on which it depends who sees a record, and which filters match it. */
export function resourcesLookedAt(
  resource: Pick<Resource, 'policies' | 'scope' | 'filters' | 'specials'>,
): ReadonlySet<string> {
  const conditions = [resource.scope, ...resource.policies.view.map(({ where }) => where)]
  const specials = [...resource.specials.values()].flatMap(({ values }) => [...values.values()])
  const ways = [
    ...[...conditions, ...specials].flatMap((filter) => (filter === undefined ? [] : reachedBy(filter))),
    ...[...resource.filters.values()].flatMap(reachedOver),
  ]
  return new Set(
    ways.flatMap(({ relations, end }) => [
      ...relations.map(({ target }) => target),
      ...('target' in end ? [end.target] : []),
    ]),
  )
}
