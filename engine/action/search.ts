/** Search: one parenthesised OR over the declared texts, the record's own and those of its relations. */
import type { FieldPath } from '../catalog/catalog.ts'
import { fieldSql, quoted } from './condition.ts'
import type { SelectScope } from './scope.ts'
import { filterable } from './scope.ts'

/**
 * The SQL that is true where one of the texts matches `pattern`, the SQL of an escaped LIKE pattern.
 * Other records are found once and compared by id, so that an index on the foreign key can serve.
 * Texts that the actor may not read are not searched.
 */
export function searchSql(scope: SelectScope, paths: readonly FieldPath[], alias: string, pattern: string): string {
  const readable = paths.filter((path) => filterable(path, scope.actor))
  const own = readable.filter((path) => path.relations.length === 0)
  const parts = own.map((path) => `${fieldSql(path.field, alias, scope.binder)} ilike ${pattern}::text`)
  const related = new Map<string, FieldPath[]>()
  for (const path of readable) {
    const [first, ...rest] = path.relations
    if (first === undefined) continue
    related.set(first.name, [...(related.get(first.name) ?? []), { relations: rest, field: path.field }])
  }
  for (const [index, [name, rest]] of [...related].entries()) {
    const first = readable.find((path) => path.relations[0]?.name === name)!.relations[0]!
    const inner = `${alias}_q${index}`
    const table = scope.catalog.resources.get(first.target)!.table
    const ids = `select ${inner}."id" from ${quoted(table)} ${inner} where ${searchSql(scope, rest, inner, pattern)}`
    parts.push(`${alias}.${quoted(first.field.column)} = any(array(${ids}))`)
  }
  if (parts.length === 0) return 'false'
  return `(${parts.join(' or ')})`
}
