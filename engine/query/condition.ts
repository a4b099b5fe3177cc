/** Linked filters as SQL conditions on a table alias; relations are followed by sub-selects, never by joins. */
import type { BelongsTo, Catalog, Field, FieldPath, Filter } from '../catalog/catalog.ts'
import type { Operator } from '../field/field-type.ts'
import type { Comparison } from '../filter/filter.ts'
import { and, type Fragment, join, parameter, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { type Comparable, comparand, compareSql, toSql } from '../filter/to-sql.ts'
import type { Json } from '../json.ts'

/** The type to cast a parameter to: without a length or scale, which would cut the value in silence. */
export function castType(field: Field): string {
  return field.type.column(field.options).replace(/\(.*?\)/, '')
}

/** A field's value on an alias: its column, or what it is computed from. */
export function fieldSql(field: Field, alias: string): Sql {
  if (field.computed === undefined) return sql`${alias}.${quoted(field.column)}`
  const actorId = sql`${parameter({ kind: 'actor', attribute: undefined })}::integer`
  const texts = field.computed.replace(/\bt\./g, `${alias}.`).split('{actor}')
  return sql`(${join(
    texts.flatMap((text, i) => (i === 0 ? [text] : [actorId, text])),
    '',
  )})`
}

/** The condition that a filter puts on the records of `alias`; it is true or not true. */
export function conditionSql(catalog: Catalog, filter: Filter, alias: string): Sql {
  return toSql(filter, (comparison, negated) => {
    const asked = askedOf(comparison, negated)
    return forActor(asked, pathSql(catalog, asked, comparison.path.relations, alias))
  })
}

/** Whether a filter holds for the record of `alias`, as a column: true or false, never null. Without a filter it does. */
export function holdsSql(catalog: Catalog, filter: Filter | undefined, alias: string): Sql {
  return filter === undefined ? sql`true` : sql`(${conditionSql(catalog, filter, alias)}) is true`
}

/** A comparison as it is asked of a record; `negated` asks for its opposite. */
export interface Asked {
  readonly comparison: Comparison<FieldPath>
  readonly negated: boolean
}

/** How a comparison of a filter is asked: `null: false` is the opposite of `null: true`. */
export function askedOf(comparison: Comparison<FieldPath>, negated: boolean): Asked {
  const { operator, operand } = comparison
  const present = operator === 'null' && operand.kind === 'literal' && operand.value === false
  return { comparison, negated: negated !== present }
}

/** The condition, unless it would hold only because the actor has no value to compare with: then nothing matches. */
export function forActor(asked: Asked, condition: Sql): Sql {
  const { decides, operand, path } = asked.comparison
  if (decides !== true || operand.kind !== 'actor' || !holdsForAbsent(asked)) return condition
  return sql`(${parameter(operand)}::${castType(path.field)} is not null and ${condition})`
}

/** Whether what is asked holds for a value that is not there. */
function holdsForAbsent({ comparison: { operator }, negated }: Asked): boolean {
  return (operator === 'ne' || operator === 'not_in' || operator === 'null') !== negated
}

/** Each relation is a sub-select. The comparison stands in the innermost, beside what must be true of the records on the way. */
function pathSql(catalog: Catalog, asked: Asked, relations: readonly BelongsTo[], alias: string): Sql {
  const { comparison } = asked
  const [relation, ...further] = relations
  if (relation === undefined) return columnSql(asked, fieldSql(comparison.path.field, alias))
  const inner = quoted(`${alias}_${relation.name.toLowerCase()}`)
  const target = catalog.resources.get(relation.target)!
  const conditions = [pathSql(catalog, asked, further, inner)]
  if (comparison.decides === true && comparison.withDeleted !== true && target.live !== undefined)
    conditions.push(conditionSql(catalog, target.live, inner))
  const key = `${alias}.${quoted(relation.field.column)}`
  const found = sql`${key} in (select ${inner}."id" from ${quoted(target.table)} ${inner} where ${and(conditions)})`
  return holdsForAbsent(asked) ? sql`(${key} is null or ${found})` : found
}

/** What is asked of `column`, the SQL of the value at the end of the path. */
export function columnSql({ comparison, negated }: Asked, column: Fragment): Sql {
  const { operator, path } = comparison
  if (operator === 'null') return sql`${column} is ${negated ? 'not null' : 'null'}`
  const stored = path.field.type.wire === 'json' ? 'json' : 'scalar'
  const type = comparandType(operator, path.field)
  const value = (part: 0 | 1): Sql => sql`${operandSql(comparison, part, stored)}::${type}`
  return compareSql(column, operator, value, negated, stored)
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
  if (operand.kind !== 'literal') return parameter(operand)
  const value = operator === 'between' && Array.isArray(operand.value) ? (operand.value[part] as Json) : operand.value
  return parameter({ kind: 'literal', value: comparand(operator, value, stored) })
}
