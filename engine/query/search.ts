/** Search: one parenthesised OR over the declared texts, the record's own and those of its relations. */
import type { FieldPath } from '../catalog/catalog.ts'
import { fieldSql, quoted } from './condition.ts'
import type { SelectScope } from './scope.ts'
import { filterable } from './scope.ts'

/**
 * The conditions of a search on the records of `alias`, one per source of matches; a record matches when one holds.
 * `pattern` is the SQL of an escaped LIKE pattern. Each source is to be a statement of its own in a UNION, so that it
 * is planned with the index it has: in one OR, the weakest would make all of them a scan of the table.
 * Texts that the actor may not read are not searched.
 */
export function searchConditions(
  scope: SelectScope,
  paths: readonly FieldPath[],
  alias: string,
  pattern: string,
): readonly string[] {
  const readable = paths.filter((path) => filterable(path, scope.actor))
  const own = readable.filter((path) => path.relations.length === 0)
  const texts = own.map((path) => `${fieldSql(path.field, alias, scope.binder)} ilike ${pattern}::text`)
  const conditions = texts.length === 0 ? [] : [`(${texts.join(' or ')})`]
  for (const relation of new Set(readable.flatMap((path) => path.relations.slice(0, 1)))) {
    const deeper = readable
      .filter((path) => path.relations[0] === relation)
      .map((path) => ({ relations: path.relations.slice(1), field: path.field }))
    const inner = `${alias}q`
    const matches = searchConditions(scope, deeper, inner, pattern)
    const table = quoted(scope.catalog.resources.get(relation.target)!.table)
    const ids = `select ${inner}."id" from ${table} ${inner} where ${matches.join(' or ')}`
    if (matches.length > 0) conditions.push(`${alias}.${quoted(relation.field.column)} in (${ids})`)
  }
  return conditions
}
