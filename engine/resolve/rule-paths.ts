/** What a filter looks at: the record's own columns, and other records. */
import type { FieldPath, Filter } from '../catalog/catalog.ts'

/** The paths that a filter reads, those of other values of the record among them. */
export function pathsOf(filter: Filter): readonly FieldPath[] {
  if (filter.kind === 'not') return pathsOf(filter.of)
  if (filter.kind === 'related') {
    const last = filter.path.relations.at(-1)
    const way = last === undefined ? [] : [{ relations: filter.path.relations.slice(0, -1), field: last.field }]
    return [...way, ...operandsIn(filter.of)]
  }
  if (filter.kind !== 'compare') return filter.of.flatMap(pathsOf)
  const { operand, path } = filter
  return operand.kind === 'record' || operand.kind === 'before' ? [path, operand.path] : [path]
}

/** The values of the judged record that a filter about others compares with. */
export function operandsIn(filter: Filter): readonly FieldPath[] {
  if (filter.kind === 'not' || filter.kind === 'related') return operandsIn(filter.of)
  if (filter.kind !== 'compare') return filter.of.flatMap(operandsIn)
  const { operand } = filter
  return operand.kind === 'record' || operand.kind === 'before' ? [operand.path] : []
}

/** What a filter asks of the records that relations lead to. */
export function relatedIn(filter: Filter): readonly Extract<Filter, { kind: 'related' }>[] {
  if (filter.kind === 'related') return [filter, ...relatedIn(filter.of)]
  if (filter.kind === 'compare') return []
  return filter.kind === 'not' ? relatedIn(filter.of) : filter.of.flatMap(relatedIn)
}

/** The columns of the record itself that a path begins with. */
export function columnsOf({ relations, field }: FieldPath): readonly string[] {
  const first = relations[0]?.field ?? field
  if (first.computed === undefined) return [first.column]
  return [...first.computed.matchAll(/\bt\."?(\w+)/g)].map((match) => match[1] ?? '')
}

/** Whether a filter compares columns of the record itself with values that are written out, as an index must. */
export function isOfOwnValues(filter: Filter): boolean {
  if (filter.kind === 'compare') {
    const { operand, path } = filter
    return path.relations.length === 0 && path.field.computed === undefined && operand.kind === 'literal'
  }
  if (filter.kind === 'related') return false
  return filter.kind === 'not' ? isOfOwnValues(filter.of) : filter.of.every(isOfOwnValues)
}

export function columnsRead(filter: Filter): readonly string[] {
  return pathsOf(filter).flatMap(columnsOf)
}
