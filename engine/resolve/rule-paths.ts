/** What a filter looks at: the record's own columns, and other records. */

import type { FieldPath, Filter } from '../catalog/catalog.ts'
import { comparedPaths, comparisons, leaves } from '../filter/walk.ts'

/** The paths that a filter reads, those of other values of the record among them. */
export function pathsOf(filter: Filter): readonly FieldPath[] {
  return leaves(filter).flatMap((leaf) => {
    if (leaf.kind === 'compare') return comparedPaths(leaf)
    const { relations } = leaf.path
    const last = relations.at(-1)
    const way = last === undefined ? [] : [{ relations: relations.slice(0, -1), field: last.field }]
    return [...way, ...operandsIn(leaf.of)]
  })
}

/** The values of the judged record that a filter about others compares with. */
export function operandsIn(filter: Filter): readonly FieldPath[] {
  return comparisons(filter).flatMap((one) => comparedPaths(one).slice(1))
}

/** What a filter asks of the records that relations lead to. */
export function relatedIn(filter: Filter): readonly Extract<Filter, { kind: 'related' }>[] {
  return leaves(filter).flatMap((leaf) => (leaf.kind === 'compare' ? [] : [leaf, ...relatedIn(leaf.of)]))
}

/** The columns of the record itself that a path begins with. */
export function columnsOf({ relations, field }: FieldPath): readonly string[] {
  const first = relations[0]?.field ?? field
  if (first.computed === undefined) return [first.column]
  return [...first.computed.matchAll(/\bt\."?(\w+)/g)].map((match) => match[1] ?? '')
}

/** Whether a filter compares columns of the record itself with values that are written out, as an index must. */
export function isOfOwnValues(filter: Filter): boolean {
  return leaves(filter).every((leaf) => {
    if (leaf.kind === 'related') return false
    const { operand, path } = leaf
    return path.relations.length === 0 && path.field.computed === undefined && operand.kind === 'literal'
  })
}

export function columnsRead(filter: Filter): readonly string[] {
  return pathsOf(filter).flatMap(columnsOf)
}
