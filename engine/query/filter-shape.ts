/** The shape of a built filter: everything but the values in its slots. Filters of one shape are one SQL text. */
import type { FieldPath, Filter } from '../catalog/catalog.ts'
import type { Operator } from '../field/field-type.ts'
import type { Comparison } from '../filter/filter.ts'

/** The shape as text: filters of one resource with the same text have the same SQL. */
export function shapeOf(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `${filter.kind}(${filter.of.map(shapeOf).join()})`
    case 'not':
      return `not(${shapeOf(filter.of)})`
    case 'related': {
      const { relations, many } = filter.path
      const way = [...relations, many].map(({ name }) => name).join('.')
      const { operator = '', value = '' } = filter.count ?? {}
      const number = typeof value === 'object' ? operandName(value) : value
      // Which records the caller sees follows from the resource and the caller's class, which stand in every key.
      return `${way} ${operator} ${number}${filter.seen === undefined ? '' : '~'}(${shapeOf(filter.of)})`
    }
    case 'compare': {
      const flags = `${filter.decides === true ? '!' : ''}${filter.withDeleted === true ? '+' : ''}`
      return `${pathName(filter.path)} ${filter.operator}${flags} ${operandName(filter.operand)}`
    }
  }
}

/** The name of a path as authors write it: `status.name`. */
export function pathName({ relations, field }: FieldPath): string {
  return relations.length === 0 ? field.name : `${relations.map(({ name }) => name).join('.')}.${field.name}`
}

function operandName(operand: Comparison<FieldPath>['operand']): string {
  switch (operand.kind) {
    case 'slot':
      return `$${operand.index}`
    case 'literal':
      return JSON.stringify(operand.value)
    case 'actor':
      return operand.attribute === undefined ? 'actor' : `actor.${operand.attribute}`
    case 'record':
    case 'before':
      return `${operand.kind}.${pathName(operand.path)}`
    default:
      return operand.kind
  }
}

/** The operators that compare parts of texts. */
export const TEXTUAL: readonly Operator[] = ['contains', 'starts_with', 'ends_with']

/** Whether the best plan of a filter depends on the values in its slots, so that it must not be planned once for all. */
export function dependsOnValues(filter: Filter): boolean {
  if (filter.kind === 'compare') return filter.operand.kind === 'slot' && TEXTUAL.includes(filter.operator)
  return filter.kind === 'not' || filter.kind === 'related'
    ? dependsOnValues(filter.of)
    : filter.of.some(dependsOnValues)
}
