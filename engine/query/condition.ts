/** Linked filters as SQL conditions on a table alias; relations are followed by sub-selects, never by joins. */
import type { Catalog, Field, FieldPath, Filter } from '../catalog/catalog.ts'
import type { Comparison } from '../filter/filter.ts'
import { comparand, compareSql, toSql } from '../filter/to-sql.ts'
import type { Json } from '../json.ts'
import type { Binder } from './binder.ts'

/** An SQL identifier, quoted; names come from the catalog only. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The type to cast a parameter to: without a length or scale, which would cut the value in silence. */
export function castType(field: Field): string {
  return field.type.column(field.options).replace(/\(.*?\)/, '')
}

/** The SQL of a field's value on an alias: its column, or what it is computed from. */
export function fieldSql(field: Field, alias: string, binder: Binder): string {
  if (field.computed === undefined) return `${alias}.${quoted(field.column)}`
  const sql = field.computed.replace(/\bt\./g, `${alias}.`)
  return `(${sql.replaceAll('{actor}', () => `${binder.bind({ kind: 'actor', attribute: undefined })}::integer`)})`
}

/** The condition that a filter puts on the records of `alias`, as SQL that is true or not. */
export function conditionSql(catalog: Catalog, filter: Filter, alias: string, binder: Binder): string {
  return toSql(filter, (comparison, negated) => comparisonSql(catalog, comparison, alias, binder, negated))
}

function comparisonSql(
  catalog: Catalog,
  given: Comparison<FieldPath>,
  alias: string,
  binder: Binder,
  flipped: boolean,
): string {
  let comparison = given
  let negated = flipped
  if (given.operator === 'null' && given.operand.kind === 'literal' && given.operand.value === false) {
    comparison = { ...given, operand: { kind: 'literal', value: true } }
    negated = !negated
  }
  return forActor(comparison, pathSql(catalog, comparison, alias, binder, negated), binder, negated)
}

/** A comparison's condition, which must not open anything only because the actor has no value to compare with. */
export function forActor(
  comparison: Comparison<FieldPath>,
  condition: string,
  binder: Binder,
  negated: boolean,
): string {
  const { decides, operand, path } = comparison
  if (decides !== true || operand.kind !== 'actor' || !holdsForAbsent(comparison, negated)) return condition
  return `(${binder.operand(operand)}::${castType(path.field)} is not null and ${condition})`
}

/** Whether a comparison, or its negation, holds for a value that is not there. */
function holdsForAbsent({ operator }: Comparison<FieldPath>, negated: boolean): boolean {
  return (operator === 'ne' || operator === 'not_in' || operator === 'null') !== negated
}

/** The comparison itself goes inside the sub-selects, so that each of them says what must be true of its record. */
function pathSql(
  catalog: Catalog,
  comparison: Comparison<FieldPath>,
  alias: string,
  binder: Binder,
  negated: boolean,
): string {
  const [first, ...rest] = comparison.path.relations
  if (first === undefined)
    return columnComparison(comparison, fieldSql(comparison.path.field, alias, binder), binder, negated)
  const inner = quoted(`${alias}_${first.name.toLowerCase()}`)
  const target = catalog.resources.get(first.target)!
  const deeper: Comparison<FieldPath> = { ...comparison, path: { relations: rest, field: comparison.path.field } }
  const where = [pathSql(catalog, deeper, inner, binder, negated)]
  if (comparison.decides === true && comparison.withDeleted !== true && target.live !== undefined)
    where.push(conditionSql(catalog, target.live, inner, binder))
  const key = `${alias}.${quoted(first.field.column)}`
  const exists = `${key} in (select ${inner}."id" from ${quoted(target.table)} ${inner} where ${where.join(' and ')})`
  return holdsForAbsent(comparison, negated) ? `(${key} is null or ${exists})` : exists
}

/** One comparison of `column`, the SQL of the value of the path's field. */
export function columnComparison(
  comparison: Comparison<FieldPath>,
  column: string,
  binder: Binder,
  negated: boolean,
): string {
  const { operator, operand, path } = comparison
  const { field } = path
  const stored = field.type.wire === 'json' ? 'json' : 'scalar'
  if (operator === 'null') return negated ? `${column} is not null` : `${column} is null`
  const pattern = operator === 'contains' || operator === 'starts_with' || operator === 'ends_with'
  const cast = pattern ? 'text' : operator === 'in' || operator === 'not_in' ? `${castType(field)}[]` : castType(field)
  const value = (part: 0 | 1): string => {
    if (operand.kind === 'slot')
      return `${binder.slot(part === 0 ? `v${operand.index}` : `v${operand.index}b`)}::${cast}`
    if (operand.kind !== 'literal') return `${binder.operand(operand)}::${cast}`
    const written =
      operator === 'between' && Array.isArray(operand.value) ? (operand.value[part] as Json) : operand.value
    return `${binder.bind({ kind: 'literal', value: comparand(operator, written, stored) })}::${cast}`
  }
  return compareSql(column, operator, value, negated, stored)
}
