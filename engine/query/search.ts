/** Search: one condition for each source of matches, the record's own texts and those of each relation. */

import type { Field, FilterPath, Relation, Resource } from '../catalog/catalog.ts'
import { idSql } from '../catalog/stored.ts'
import { foldSql } from '../filter/fold.ts'
import { and, or, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { isSearchable, seenOf, targetOf } from './askable.ts'
import { conditionSql, fieldSql, linkSql } from './condition.ts'
import { existenceSql, type SelectScope } from './scope.ts'
import { type SearchShape, UNWANTED, WANTED } from './search-terms.ts'

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
  const paths = resource.search.filter((path) => isSearchable(scope, resource, path))
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
function sourcesOf(scope: SelectScope, paths: readonly FilterPath[], alias: string, pattern: Sql): readonly Sql[] {
  const own = paths.filter((path) => stepOf(path) === undefined)
  const word = foldSql(sql`${pattern}::text`)
  const texts = own.map((path) => sql`${foldedSql(path.field, alias)} like ${word}`)
  const conditions = texts.length === 0 ? [] : [sql`(${or(texts)})`]
  const inner = `${alias}q`
  for (const relation of new Set(paths.flatMap((path) => stepOf(path) ?? []))) {
    const deeper = paths.filter((path) => stepOf(path) === relation).map(behind)
    const matches = sourcesOf(scope, deeper, inner, pattern)
    if (matches.length > 0) conditions.push(amongSql(scope, relation, alias, inner, sql`(${or(matches)})`))
  }
  return conditions
}

/** Whether a word stands at the end of one path. */
export function wordSql(scope: SelectScope, path: FilterPath, alias: string, pattern: Sql): Sql {
  return or(sourcesOf(scope, [path], alias, pattern))
}

/** The first relation that a path follows. */
function stepOf({ relations, through }: FilterPath): Relation | undefined {
  return through === undefined ? relations[0] : (through.relations[0] ?? through.many)
}

/** The path behind its first relation. */
function behind({ through, relations, field }: FilterPath): FilterPath {
  if (through === undefined) return { relations: relations.slice(1), field }
  if (through.relations.length === 0) return { relations, field }
  return { relations, field, through: { ...through, relations: through.relations.slice(1) } }
}

/** Whether a record that the relation leads to matches: of many, one that exists and that the caller sees. */
function amongSql(scope: SelectScope, relation: Relation, alias: string, inner: string, matches: Sql): Sql {
  const target = targetOf(scope, relation)
  const table = `${quoted(target.table)} ${inner}`
  if (relation.kind === 'belongs_to') {
    const ids = sql`select ${idSql(target, inner)} from ${table} where ${matches}`
    return sql`${alias}.${quoted(relation.field.column)} in (${ids})`
  }
  const filters = [relation.where, seenOf(scope, target).seen].flatMap((filter) =>
    filter === undefined ? [] : [conditionSql(scope.catalog, filter, inner)],
  )
  const among = [linkSql(scope.catalog, relation, alias, inner), ...existenceSql(scope, target, inner), ...filters]
  return sql`exists (select 1 from ${table} where ${and([...among, matches])})`
}

/** A field's text without case and accents; what is computed is computed once. */
function foldedSql(field: Field, alias: string): Sql {
  const value = fieldSql(field, alias)
  if (field.computed === undefined) return foldSql(value)
  return sql`(select ${foldSql('f.x')} from (select ${value} as x offset 0) f)`
}
