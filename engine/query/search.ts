/** Search: one condition for each source of matches, the record's own texts and those of each relation. */

import type { FieldPath, Resource } from '../catalog/catalog.ts'
import { or, quoted, type Sql, sql } from '../filter/sql.ts'
import { isOpen } from './askable.ts'
import { fieldSql } from './condition.ts'
import { filterable } from './policy.ts'
import type { SelectScope } from './scope.ts'

/** The texts of a resource's search that the caller may read wherever they stand. */
export function searchedPaths({ actor, catalog }: SelectScope, resource: Resource): readonly FieldPath[] {
  return resource.search.filter((path) =>
    path.relations.length === 0 ? filterable(path, actor) : isOpen({ actor, catalog }, resource, path),
  )
}

/**
 * The conditions of a search on the records of `alias`; a record matches when one holds. `pattern` is an escaped LIKE
 * pattern. A page reads each source by a statement of its own in a UNION, so that PostgreSQL uses the index of each;
 * in one OR, a source without an index would make it read the whole table.
 */
export function searchConditions(
  scope: SelectScope,
  paths: readonly FieldPath[],
  alias: string,
  pattern: Sql,
): readonly Sql[] {
  const own = paths.filter((path) => path.relations.length === 0)
  const texts = own.map((path) => sql`${fieldSql(path.field, alias)} ilike ${pattern}::text`)
  const conditions = texts.length === 0 ? [] : [sql`(${or(texts)})`]
  for (const relation of new Set(paths.flatMap((path) => path.relations.slice(0, 1)))) {
    const deeper = paths
      .filter((path) => path.relations[0] === relation)
      .map((path) => ({ relations: path.relations.slice(1), field: path.field }))
    const inner = `${alias}q`
    const matches = searchConditions(scope, deeper, inner, pattern)
    const table = quoted(scope.catalog.resources.get(relation.target)!.table)
    const ids = sql`select ${inner}."id" from ${table} ${inner} where ${or(matches)}`
    if (matches.length > 0) conditions.push(sql`${alias}.${quoted(relation.field.column)} in (${ids})`)
  }
  return conditions
}
