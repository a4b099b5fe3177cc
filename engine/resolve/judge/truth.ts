/** Whether a condition holds of a record, by the values of it that are known. */
import type { Field, FieldPath, Filter, WayPath } from '../../catalog/catalog.ts'
import { fold } from '../../filter/walk.ts'
import type { Json } from '../../json.ts'
import { type Comparison, order } from './satisfiable.ts'

/** The value of a field, null where it is absent; undefined where it is not known. */
export type Known = (field: Field) => Json | undefined

/** True or false where the known values decide it; undefined otherwise. */
export function truthOf(filter: Filter, known: Known): boolean | undefined {
  return fold<FieldPath, WayPath, boolean | undefined>(filter, {
    compare: (part) => compared(part, known),
    related: () => undefined,
    not: (of) => (of === undefined ? undefined : !of),
    and: (of) => (of.includes(false) ? false : of.includes(undefined) ? undefined : true),
    or: (of) => (of.includes(true) ? true : of.includes(undefined) ? undefined : false),
  })
}

/** A comparison of two known values. What is absent equals nothing, and is other than everything. */
function compared({ operand, operator, path }: Comparison, known: Known): boolean | undefined {
  const value = path.relations.length === 0 ? known(path.field) : undefined
  const other = operandOf(operand, known)
  if (value === undefined || other === undefined) return undefined
  if (operator === 'null') return (value === null) === other
  const isNegative = operator === 'ne' || operator === 'not_in'
  if (value === null || other === null) return isNegative
  const list: readonly Json[] = Array.isArray(other) ? other : [other]
  const signs = list.map((one) => signOf(path.field, value, one))
  if (signs.includes(undefined)) return undefined
  const [first = 0, second = 0] = signs as number[]
  if (operator === 'between') return first >= 0 && second <= 0
  const judge = JUDGED[operator]
  if (judge !== undefined) return judge(first)
  if (operator !== 'eq' && operator !== 'in' && !isNegative) return undefined
  return signs.includes(0) !== isNegative
}

function operandOf(operand: Comparison['operand'], known: Known): Json | undefined {
  if (operand.kind === 'literal') return operand.value
  return operand.kind === 'record' && operand.path.relations.length === 0 ? known(operand.path.field) : undefined
}

const JUDGED: Readonly<Record<string, (sign: number) => boolean>> = {
  lt: (sign) => sign < 0,
  lte: (sign) => sign <= 0,
  gt: (sign) => sign > 0,
  gte: (sign) => sign >= 0,
}

/** Above 0 where the first value comes after the second, 0 where they are equal; undefined where their texts do not say so. */
function signOf(field: Field, one: Json, other: Json): number | undefined {
  const { wire } = field.type
  if (wire === 'timestamp') return number(Date.parse(String(one)) - Date.parse(String(other)))
  const ordered = order(field, one, other)
  if (!Number.isNaN(ordered)) return ordered
  // Texts that differ may still count as equal, or in another order; words and switches do neither.
  if (one === other) return 0
  return wire === 'boolean' || field.type.name === 'enum' ? 1 : undefined
}

function number(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value
}
