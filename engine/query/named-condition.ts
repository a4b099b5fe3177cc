/** Conditions to which an author gives a name, as one caller asks them: of the records and fields that it may see. */

import type { Filter, FilterPath, ManyPath, Resource } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/target.ts'
import { mapLeaves } from '../filter/walk.ts'
import { type Asker, amongMany, isAskable, isManyAskable, overPath } from './askable.ts'
import { readable } from './policy.ts'

/** The words of a parameter that the caller may ask for, each with what it means to this caller; none where it may ask for none. */
export function askedWords(
  asker: Asker,
  resource: Resource,
  words: ReadonlyMap<string, Filter>,
): ReadonlyMap<string, Filter> {
  const asked = [...words].flatMap(([word, filter]): [string, Filter][] => {
    const of = askedBy(asker, resource, filter)
    return of === undefined ? [] : [[word, of]]
  })
  return new Map(asked)
}

/** A condition as the caller asks it of records of `resource`; undefined where it compares what the caller may not read. */
function askedBy(asker: Asker, resource: Resource, filter: Filter): Filter | undefined {
  return mapLeaves(filter, (leaf): Filter | undefined => {
    if (leaf.kind === 'compare')
      return isAskable(asker, resource, leaf.path)
        ? overPath(asker, resource, leaf.path, holdsForAbsent(leaf), (path) => ({ ...leaf, path }))
        : undefined
    const { relations, many } = leaf.path
    if (many.kind === 'belongs_to' || !isManyAskableAt(asker, resource, { relations, many })) return undefined
    const of = askedBy(asker, targetOf(asker.catalog, many), leaf.of)
    return of && amongMany(asker, { relations, many }, of, leaf.count)
  })
}

/** Whether the comparison is true of a value that is not there. */
function holdsForAbsent({ operand, operator }: Extract<Filter, { kind: 'compare' }>): boolean {
  if (operator === 'null') return operand.kind === 'literal' && operand.value === true
  return operator === 'ne' || operator === 'not_in'
}

function isManyAskableAt(asker: Asker, from: Resource, { relations, many }: ManyPath): boolean {
  const last = relations.at(-1)
  const at = last === undefined ? from : targetOf(asker.catalog, last)
  const way: FilterPath = { relations, field: at.key }
  return (
    (last === undefined || isAskable(asker, from, way)) &&
    relations.every(({ field }) => readable(field, asker.actor)) &&
    isManyAskable(asker, at, many)
  )
}
