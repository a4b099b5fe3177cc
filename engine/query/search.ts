/** Search: one condition for each source of matches, the record's own texts and those of each relation. */

import type { Field, FieldPath, Resource } from '../catalog/catalog.ts'
import { foldSql } from '../filter/fold.ts'
import { and, or, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { isOpen } from './askable.ts'
import { fieldSql } from './condition.ts'
import { filterable } from './policy.ts'
import type { SelectScope } from './scope.ts'
import { type SearchShape, UNWANTED, WANTED } from './search-terms.ts'

/** The texts of a resource's search that the caller may read wherever they stand. */
function searchedPaths({ actor, catalog }: SelectScope, resource: Resource): readonly FieldPath[] {
  return resource.search.filter((path) =>
    path.relations.length === 0 ? filterable(path, actor) : isOpen({ actor, catalog }, resource, path),
  )
}

/** A search on a page: a record matches when one of the sources holds, and all of the rest. */
export interface SearchParts {
  readonly sources: readonly Sql[]
  readonly rest: readonly Sql[]
}

/**
 * The conditions of a search on the records of `alias`. A page reads each source of the first word by a statement of its
 * own in a UNION, so that PostgreSQL uses the index of each; in one OR, a source without an index would make it read the
 * whole table.
 */
export function searchParts(scope: SelectScope, resource: Resource, shape: SearchShape, alias: string): SearchParts {
  const paths = searchedPaths(scope, resource)
  const [first, ...further] = Array.from({ length: shape.wanted }, (_, at) =>
    sourcesOf(scope, paths, alias, slot(`${WANTED}${at}`)),
  )
  const unwanted = Array.from({ length: shape.unwanted }, (_, at) =>
    sourcesOf(scope, paths, alias, slot(`${UNWANTED}${at}`)),
  )
  return {
    sources: first ?? [sql`true`],
    rest: [
      ...further.map((sources) => sql`(${or(sources)})`),
      ...unwanted.map((sources) => sql`(${or(sources)}) is not true`),
    ],
  }
}

/** A search as one condition, where the rows that it judges are found by other means. */
export function searchSql(scope: SelectScope, resource: Resource, shape: SearchShape, alias: string): Sql {
  const { sources, rest } = searchParts(scope, resource, shape, alias)
  return and([sql`(${or(sources)})`, ...rest])
}

/** Where a word may stand: one condition for the record's own texts, and one for each relation. `pattern` is a LIKE pattern. */
function sourcesOf(scope: SelectScope, paths: readonly FieldPath[], alias: string, pattern: Sql): readonly Sql[] {
  const own = paths.filter((path) => path.relations.length === 0)
  const word = foldSql(sql`${pattern}::text`)
  const texts = own.map((path) => sql`${foldedSql(path.field, alias)} like ${word}`)
  const conditions = texts.length === 0 ? [] : [sql`(${or(texts)})`]
  for (const relation of new Set(paths.flatMap((path) => path.relations.slice(0, 1)))) {
    const deeper = paths
      .filter((path) => path.relations[0] === relation)
      .map((path) => ({ relations: path.relations.slice(1), field: path.field }))
    const inner = `${alias}q`
    const matches = sourcesOf(scope, deeper, inner, pattern)
    const table = quoted(scope.catalog.resources.get(relation.target)!.table)
    const ids = sql`select ${inner}."id" from ${table} ${inner} where ${or(matches)}`
    if (matches.length > 0) conditions.push(sql`${alias}.${quoted(relation.field.column)} in (${ids})`)
  }
  return conditions
}

/** A field's text without case and accents; what is computed is computed once. */
function foldedSql(field: Field, alias: string): Sql {
  const value = fieldSql(field, alias)
  if (field.computed === undefined) return foldSql(value)
  return sql`(select ${foldSql('f.x')} from (select ${value} as x offset 0) f)`
}
