/** A condition with fixed values as SQL text, its values written in: for index predicates and for finding seeded records. */
import type { Catalog, FieldPath, Filter } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/stored.ts'
import { comparand, compareSql, print, quoted as q, toSql } from '../filter/sql.ts'
import type { Json } from '../json.ts'
import { quoteText } from './sql-name.ts'

function written(value: Json, type: string): string {
  if (Array.isArray(value)) return `array[${value.map((item) => quoteText(String(item))).join(', ')}]::${type}[]`
  if (value === null) return 'null'
  return quoteText(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** The SQL of a filter; `column` gives the expression of a path. Throws when a value is known only to a request. */
export function fixedConditionSql(filter: Filter, column: (path: FieldPath) => string): string {
  const condition = toSql(filter, ({ path, operator, operand }, negated) => {
    if (operand.kind !== 'literal') throw new Error(`${path.field.name} can only be compared with a fixed value here.`)
    const type = path.field.type.column(path.field.options)
    const stored = type === 'jsonb' ? 'json' : 'scalar'
    const parts = operator === 'between' && Array.isArray(operand.value) ? operand.value : [operand.value]
    const value = (part: 0 | 1) => written(comparand(operator, parts[part] ?? null, stored), type)
    return compareSql(column(path), operator, value, negated, stored)
  })
  return print(condition).text
}

/** The expression of a path from the row `alias`, each relation on the way a subquery: absent anywhere is null. */
export function pathSql(catalog: Catalog, { relations, field }: FieldPath, alias: string): string {
  const [relation, ...rest] = relations
  if (relation === undefined) return `${alias}.${q(field.column)}`
  const target = targetOf(catalog, relation)
  const next = `${alias}_`
  const inner = pathSql(catalog, { relations: rest, field }, next)
  const join = `${next}.${q(target.key.column)} = ${alias}.${q(relation.field.column)}`
  return `(select ${inner} from ${q(target.table)} ${next} where ${join})`
}
