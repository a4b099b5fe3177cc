/** One comparison as SQL: what is asked of a column, with the operand of a request or another value of the record. */
import type { Field, FieldPath } from '../catalog/catalog.ts'
import type { Operator } from '../field/field-type.ts'
import type { Comparison } from '../filter/filter.ts'
import { type Fragment, parameter, type Sql, slot, sql } from '../filter/sql.ts'
import { type Comparable, comparand, compareSql } from '../filter/to-sql.ts'
import type { Json } from '../json.ts'

/** The type to cast a parameter to: without a length or scale, which would cut the value in silence. */
export function castType(field: Field): string {
  return field.type.column(field.options).replace(/\(.*?\)/, '')
}

/** A comparison as `toSql` asks it of a record; `negated` asks for its opposite. */
export interface Asked {
  readonly comparison: Comparison<FieldPath>
  readonly negated: boolean
  /** The other value of the record that it is compared with, where it is no operand of the request. */
  readonly value?: Sql | undefined
}

/** The condition, unless it would hold only because the actor has no value to compare with: then nothing matches. */
export function forActor(asked: Asked, condition: Sql): Sql {
  const { decides, operand, path } = asked.comparison
  if (decides !== true || operand.kind !== 'actor' || !holdsForAbsent(asked)) return condition
  return sql`(${parameter(operand)}::${castType(path.field)} is not null and ${condition})`
}

/** Whether what is asked holds for a value that is not there. */
export function holdsForAbsent({ comparison: { operator }, negated }: Asked): boolean {
  return (operator === 'ne' || operator === 'not_in' || operator === 'null') !== negated
}

/** What is asked of `column`, the SQL of the value at the end of the path. */
export function columnSql({ comparison, negated, value: other }: Asked, column: Fragment): Sql {
  const { operator, path } = comparison
  if (other !== undefined) return besideSql(operator, column, other, negated)
  const stored = path.field.type.wire === 'json' ? 'json' : 'scalar'
  const type = comparandType(operator, path.field)
  const value = (part: 0 | 1): Sql => sql`${operandSql(comparison, part, stored)}::${type}`
  return compareSql(column, operator, value, negated, stored)
}

/** Two values of records side by side: what is absent equals nothing, on either side. */
function besideSql(operator: Operator, column: Fragment, other: Sql, negated: boolean): Sql {
  if (operator === 'ne') return besideSql('eq', column, other, !negated)
  const positive = compareSql(column, operator, () => other)
  return negated ? sql`(${positive}) is not true` : positive
}

/** Patterns are texts, lists are arrays of the field's type, and anything else has the field's type itself. */
function comparandType(operator: Operator, field: Field): string {
  switch (operator) {
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      return 'text'
    case 'in':
    case 'not_in':
      return `${castType(field)}[]`
    default:
      return castType(field)
  }
}

/** The parameter that is compared with; a literal in the form that its operator takes, and `between` has two. */
function operandSql({ operator, operand }: Comparison<FieldPath>, part: 0 | 1, stored: Comparable): Sql {
  if (operand.kind === 'slot') return slot(`v${operand.index}`)
  if (operand.kind === 'record' || operand.kind === 'before') throw new Error(`$${operand.kind} means nothing here`)
  if (operand.kind !== 'literal') return parameter(operand)
  const value = operator === 'between' && Array.isArray(operand.value) ? (operand.value[part] as Json) : operand.value
  return parameter({ kind: 'literal', value: comparand(operator, value, stored) })
}
