/** Search: one condition for each source of matches, the record's own texts and those of each relation. */

import type { Field, FilterPath, HasMany, ManyToMany, Relation, Resource } from '../catalog/catalog.ts'
import { idSql } from '../catalog/stored.ts'
import { foldSql } from '../filter/fold.ts'
import { and, or, quoted, type Sql, sql } from '../filter/sql.ts'
import { isSearchable, seenOf, targetOf } from './askable.ts'
import { conditionSql, fieldSql, linkSql } from './condition.ts'
import { existenceSql, type SelectScope } from './scope.ts'
import { type SearchShape, unwantedPattern, wantedWord } from './search-terms.ts'

/** Rows of the table `t` in which a word stands: of the table itself, or joined to that of a relation. */
export interface Source {
  readonly from: Sql
  /** The same, where the record of each row is looked up by itself. */
  readonly each: Sql
  readonly where: Sql
}

/** A word that records must have: where it is found, and whether the record `t` has it. */
export interface WordParts {
  readonly sources: readonly Source[]
  readonly holds: Sql
  /** The same, where few records are asked: PostgreSQL may not read all that match first. */
  readonly probe: Sql
}

/** A search on a page: a record matches when it has all of the words, and when the rest holds. */
export interface SearchParts {
  /** Tables of the statement that the words are in. */
  readonly tables: readonly Sql[]
  readonly words: readonly WordParts[]
  readonly rest: readonly Sql[]
}

/**
 * The parts of a search on the records of `t`. A page reads each source of a word by a statement of its own in a UNION,
 * so that PostgreSQL uses the index of each; in one OR, a source without an index would make it read the whole table.
 */
export function searchParts(scope: SelectScope, resource: Resource, shape: SearchShape): SearchParts {
  const paths = resource.search.filter((path) => isSearchable(scope, resource, path))
  const words = Array.from({ length: shape.wanted }, (_, at): WordParts => {
    const { pattern } = wantedWord(shape, at)
    const holds = sql`(${or(sourcesOf(scope, paths, 't', pattern))})`
    const probe = sql`(${or(sourcesOf(scope, paths, 't', pattern, true))})`
    return { sources: rowsOf(scope, resource, paths, pattern), holds, probe }
  })
  const rest = Array.from(
    { length: shape.unwanted },
    (_, at) => sql`(${or(sourcesOf(scope, paths, 't', unwantedPattern(at)))}) is not true`,
  )
  return { tables: [], words, rest }
}

/**
 * The rows in which a word stands. Those of a relation whose records point here are joined, so that the index of the
 * texts leads to the records, and never the other way round.
 */
function rowsOf(scope: SelectScope, resource: Resource, paths: readonly FilterPath[], pattern: Sql): readonly Source[] {
  const table = sql`${quoted(resource.table)} t`
  const joined = new Set(paths.flatMap((path) => pointing(path) ?? []))
  const plain = paths.filter((path) => pointing(path) === undefined)
  const sources = sourcesOf(scope, plain, 't', pattern).map((where): Source => ({ from: table, each: table, where }))
  for (const relation of joined) {
    const deeper = paths.filter((path) => pointing(path) === relation).map(behind)
    const matches = sourcesOf(scope, deeper, 'tq', pattern)
    const target = quoted(targetOf(scope, relation).table)
    const link = linkSql(scope.catalog, relation, 't', 'tq')
    const from = sql`${target} tq join ${table} on ${link}`
    const each = sql`${target} tq cross join lateral (select t.* from ${table} where ${link} offset 0) t`
    const where = and([...amongOf(scope, relation, 'tq'), sql`(${or(matches)})`])
    if (matches.length > 0) sources.push({ from, each, where })
  }
  return sources
}

/** The first relation of a path where the records at its end name this one by a key of their own. */
function pointing(path: FilterPath): HasMany | undefined {
  const relation = stepOf(path)
  return relation?.kind === 'has_many' && relation.by.length === 1 ? relation : undefined
}

/** A search as one condition, where the rows that it judges are found by other means. */
export function searchSql(scope: SelectScope, resource: Resource, shape: SearchShape, alias: string): Sql {
  const paths = resource.search.filter((path) => isSearchable(scope, resource, path))
  const stands = (pattern: Sql) => sql`(${or(sourcesOf(scope, paths, alias, pattern))})`
  const wanted = Array.from({ length: shape.wanted }, (_, at) => stands(wantedWord(shape, at).pattern))
  const unwanted = Array.from({ length: shape.unwanted }, (_, at) => sql`${stands(unwantedPattern(at))} is not true`)
  return and([...wanted, ...unwanted])
}

/** Where a word may stand: one condition for the record's own texts, and one for each relation. `pattern` is a LIKE pattern. */
function sourcesOf(
  scope: SelectScope,
  paths: readonly FilterPath[],
  alias: string,
  pattern: Sql,
  isProbe = false,
): readonly Sql[] {
  const own = paths.filter((path) => stepOf(path) === undefined)
  const word = foldSql(pattern)
  const texts = own.map((path) => sql`${foldedSql(path.field, alias)} like ${word}`)
  const conditions = texts.length === 0 ? [] : [sql`(${or(texts)})`]
  const inner = `${alias}q`
  for (const relation of new Set(paths.flatMap((path) => stepOf(path) ?? []))) {
    const deeper = paths.filter((path) => stepOf(path) === relation).map(behind)
    const matches = sourcesOf(scope, deeper, inner, pattern, isProbe)
    const among = sql`(${or(matches)})`
    if (matches.length > 0) conditions.push(amongSql(scope, relation, alias, inner, among, isProbe))
  }
  return conditions
}

/** Whether a word stands at the end of one path. */
export function wordSql(scope: SelectScope, path: FilterPath, alias: string, pattern: Sql): Sql {
  return or(sourcesOf(scope, [path], alias, pattern))
}

/** The texts at the end of one path from the record of `alias`, as rows: `v` folded, `o` as they are. */
export function textsSql(scope: SelectScope, path: FilterPath, alias: string): Sql {
  const relation = stepOf(path)
  if (relation === undefined)
    return sql`select ${foldedSql(path.field, alias)} as v, (${fieldSql(path.field, alias)})::text as o`
  const inner = `${alias}q`
  const table = quoted(targetOf(scope, relation).table)
  const among = relation.kind === 'belongs_to' ? [] : amongOf(scope, relation, inner)
  const where = and([linkSql(scope.catalog, relation, alias, inner), ...among])
  const texts = textsSql(scope, behind(path), inner)
  return sql`select ${inner}x.v, ${inner}x.o from ${table} ${inner} cross join lateral (${texts}) ${inner}x where ${where}`
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
function amongSql(
  scope: SelectScope,
  relation: Relation,
  alias: string,
  inner: string,
  matches: Sql,
  isProbe: boolean,
): Sql {
  const target = targetOf(scope, relation)
  const table = `${quoted(target.table)} ${inner}`
  if (relation.kind === 'belongs_to') {
    const ids = sql`select ${idSql(target, inner)} from ${table} where ${matches}`
    return sql`${alias}.${quoted(relation.field.column)} in (${ids})`
  }
  const among = [linkSql(scope.catalog, relation, alias, inner), ...amongOf(scope, relation, inner)]
  return sql`exists (select 1 from ${table} where ${and([...among, matches])}${isProbe ? ' offset 0' : ''})`
}

/** Which records that a relation leads to many of are searched: those of the relation that exist and that the caller sees. */
function amongOf(scope: SelectScope, relation: HasMany | ManyToMany, inner: string): readonly Sql[] {
  const target = targetOf(scope, relation)
  const filters = [relation.where, seenOf(scope, target).seen].flatMap((filter) =>
    filter === undefined ? [] : [conditionSql(scope.catalog, filter, inner)],
  )
  return [...existenceSql(scope, target, inner), ...filters]
}

/** A field's text without case and accents; what is computed is computed once. */
function foldedSql(field: Field, alias: string): Sql {
  const value = fieldSql(field, alias)
  if (field.computed === undefined) return foldSql(value)
  return sql`(select ${foldSql('f.x')} from (select ${value} as x offset 0) f)`
}
