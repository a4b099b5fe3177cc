/** A policy asked of values that were kept apart from their record: whether it let the actor see the record as it was then. */

import type { Catalog, Clause, FieldPath, Filter, Resource } from '../catalog/catalog.ts'
import { isStored } from '../catalog/stored.ts'
import { toSql } from '../filter/to-sql.ts'
import { castType, columnComparison, forActor } from './condition.ts'
import { clausesFor } from './policy.ts'
import { type Asking, appending } from './readable.ts'

/** The name under which a path's value is kept: columns, so that resources on one table agree on it. */
function keptName({ relations, field }: FieldPath): string {
  return [...relations.map((relation) => relation.field.column), field.column].join('.')
}

function pathsOf(filter: Filter): readonly FieldPath[] {
  if (filter.kind === 'compare') return [filter.path]
  return filter.kind === 'not' ? pathsOf(filter.of) : filter.of.flatMap(pathsOf)
}

const known = new WeakMap<Resource, ReadonlyMap<string, FieldPath>>()

/**
 * What has to be kept of a record so that its policy `view` can be asked later, by the name it is kept under: every
 * stored value that a condition compares, of this resource and of the others on its table.
 */
export function policyPaths(catalog: Catalog, resource: Resource): ReadonlyMap<string, FieldPath> {
  const found = known.get(resource)
  if (found !== undefined) return found
  const siblings = [...catalog.resources.values()].filter(({ owner }) => owner === resource.owner)
  // A computed or counted value may differ from reader to reader, so there is no one value to keep.
  const paths = siblings
    .flatMap(({ policies }) => policies.view.flatMap(({ where }) => (where === undefined ? [] : pathsOf(where))))
    .filter(({ field }) => isStored(field))
  const named = new Map(paths.map((path) => [keptName(path), path]))
  known.set(resource, named)
  return named
}

/**
 * The SQL condition that the actor's policy `view` holds for the values in `kept`, a jsonb expression with the names of
 * `policyPaths`. True for those who see every record; a condition on a value that was not kept never holds.
 */
export function keptWithinSql(asking: Asking, resource: string, kept: string, values: unknown[]): string {
  const { actor, catalog } = asking
  const found = catalog.resources.get(resource)
  if (found === undefined) throw new Error(`no resource is named ${resource}`)
  const clauses = clausesFor(found.policies.view, actor)
  if (actor.kind === 'system' || clauses.some(({ where }) => where === undefined)) return 'true'
  const binder = appending(values, asking)
  const holds = ({ where }: Clause): string => {
    const paths = pathsOf(where!)
    if (!paths.every(({ field }) => isStored(field))) return 'false'
    const present = paths.map((path) => `(${kept}) ? ${textOf(keptName(path))}`)
    const condition = toSql(where!, (comparison, negated) => {
      const name = textOf(keptName(comparison.path))
      const { field } = comparison.path
      const value =
        field.type.wire === 'json' ? `((${kept}) -> ${name})` : `((${kept}) ->> ${name})::${castType(field)}`
      return forActor(comparison, columnComparison(comparison, value, binder, negated), binder, negated)
    })
    return `(${[...present, condition].join(' and ')})`
  }
  return clauses.length === 0 ? 'false' : `coalesce(${clauses.map(holds).join(' or ')}, false)`
}

/** A name of the catalog as an SQL text. */
function textOf(name: string): string {
  return `'${name.replaceAll("'", "''")}'`
}
