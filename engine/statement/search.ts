/** Search: one condition for each source of matches, the record's own texts and those of each relation. */

import { isSearchable, seenOf } from '../ask/askable.ts'
import { isText } from '../ask/search.ts'
import type { Field, FilterPath, HasMany, ManyToMany, Relation, Resource } from '../catalog/catalog.ts'
import { idSql, targetOf } from '../catalog/stored.ts'
import { and, type Fragment, or, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { hasStemSql, type Stem, stemOf, stemsSql } from '../filter/stem.ts'
import { foldSql } from '../filter/text-forms.ts'
import { identifierSlot, type SearchShape, WORD_SLOTS } from '../plan/read-plan.ts'
import type { SelectScope } from './compiled.ts'
import { conditionSql, existenceSql, fieldSql, linkSql, liveSql } from './condition.ts'

/** A word in a statement: as a LIKE pattern, and by its stem. */
export interface SoughtWord {
  readonly pattern: Sql
  readonly stem: Stem | undefined
}

/** A wanted word: also as it is, and as a regular expression. */
export interface WantedWord extends SoughtWord {
  readonly exact: Sql
  readonly beginning: Sql
}

/** The column of `plinth_corrected_words`, a table of the statement, for the word at a place. */
export function correctedWord(at: number): string {
  return `word_${at}`
}

/** The wanted word at a place. What a correction found has letters only, which mean themselves everywhere. */
export function wantedWord({ corrected, spelt, stems }: SearchShape, at: number): WantedWord {
  const given = (name: string): Sql => sql`${slot(`${name}${at}`)}::text`
  const found =
    corrected && spelt.includes(at) ? sql`(select ${correctedWord(at)} from plinth_corrected_words)` : undefined
  const exact = found === undefined ? given(WORD_SLOTS.exact) : sql`coalesce(${found}, ${given(WORD_SLOTS.exact)})`
  const stem = stems?.wanted.includes(at) ? stemOf(stems.language, exact) : undefined
  if (found === undefined)
    return { pattern: given(WORD_SLOTS.pattern), exact, beginning: given(WORD_SLOTS.beginning), stem }
  return {
    pattern: sql`coalesce('%' || ${found} || '%', ${given(WORD_SLOTS.pattern)})`,
    exact,
    beginning: sql`coalesce(${found}, ${given(WORD_SLOTS.beginning)})`,
    stem,
  }
}

/** The unwanted word at a place. */
export function unwantedWord({ stems }: SearchShape, at: number): SoughtWord {
  const given = (name: string): Sql => sql`${slot(`${name}${at}`)}::text`
  const stem = stems?.unwanted.includes(at) ? stemOf(stems.language, given(WORD_SLOTS.exactlyUnwanted)) : undefined
  return { pattern: given(WORD_SLOTS.unwanted), stem }
}

/** Rows of the table `t` that have a word: in the table itself, or in one that a relation joins. */
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
  /** Whether the whole text names the record `t`, which then needs no words; undefined where it can name none. */
  readonly named: Sql | undefined
}

/**
 * The parts of a search on the records of `t`. A page reads each source of a word by a statement of its own in a UNION,
 * so that PostgreSQL uses the index of each; in one OR, a source without an index would make it read the whole table.
 */
export function searchParts(scope: SelectScope, resource: Resource, shape: SearchShape): SearchParts {
  const paths = resource.search.filter((path) => isSearchable(scope, resource, path))
  const words = Array.from({ length: shape.wanted }, (_, at): WordParts => {
    const word = wantedWord(shape, at)
    const holds = sql`(${or(sourcesOf(scope, paths, 't', standsIn(word)))})`
    const probe = sql`(${or(sourcesOf(scope, paths, 't', standsIn(word), true))})`
    // Texts with the stem are rows of their own: their index has the whole answer, so that no text is read for its stems.
    const ways = [writtenIn(word), ...(word.stem === undefined ? [] : [stemIn(word.stem)])]
    return { sources: ways.flatMap((way) => rowsOf(scope, resource, paths, way)), holds, probe }
  })
  const rest = Array.from(
    { length: shape.unwanted },
    (_, at) => sql`(${or(sourcesOf(scope, paths, 't', standsIn(unwantedWord(shape, at))))}) is not true`,
  )
  const { identifiers } = shape
  return { tables: [], words, rest, named: identifiers.length === 0 ? undefined : namedSql(identifiers, 't') }
}

/**
 * The rows that have a word. Those of a relation whose records point here are joined, so that the index of the
 * texts leads to the records, and never the other way round.
 */
function rowsOf(scope: SelectScope, resource: Resource, paths: readonly FilterPath[], way: Way): readonly Source[] {
  const table = sql`${quoted(resource.table)} t`
  const joined = new Set(paths.flatMap((path) => pointing(path) ?? []))
  const plain = paths.filter((path) => pointing(path) === undefined)
  const sources = sourcesOf(scope, plain, 't', way).map((where): Source => ({ from: table, each: table, where }))
  for (const relation of joined) {
    const deeper = paths.filter((path) => pointing(path) === relation).map(behind)
    const matches = sourcesOf(scope, deeper, 'tq', way)
    const target = quoted(targetOf(scope.catalog, relation).table)
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
  const stands = (word: SoughtWord) => sql`(${or(sourcesOf(scope, paths, alias, standsIn(word)))})`
  const wanted = Array.from({ length: shape.wanted }, (_, at) => stands(wantedWord(shape, at)))
  const unwanted = Array.from(
    { length: shape.unwanted },
    (_, at) => sql`${stands(unwantedWord(shape, at))} is not true`,
  )
  const found = and([...wanted, ...unwanted])
  return shape.identifiers.length === 0 ? found : sql`(${namedSql(shape.identifiers, alias)} or (${found}))`
}

/** Whether the text names the record by the field, for an index to find it. */
function namesSql(field: Field, alias: string): Sql {
  const value = (writing?: Parameters<typeof identifierSlot>[1]): Sql =>
    sql`${slot(identifierSlot(field, writing))}::${field.sqlType}`
  const column = sql`${alias}.${quoted(field.column)}`
  if (!isText(field)) return sql`${column} = ${value()}`
  return sql`${column} in (${value()}, ${value('Small')}, ${value('Large')}, ${value('Within')})`
}

/** Whether the text of a search names the record. */
function namedSql(fields: readonly Field[], alias: string): Sql {
  return sql`(${or(fields.map((field) => namesSql(field, alias)))})`
}

/** Whether the text is the value of one field of a record, in whatever letters. */
export function isValueSql(field: Field, alias: string): Sql {
  if (!isText(field)) return namesSql(field, alias)
  const column = sql`${alias}.${quoted(field.column)}`
  const folded = (writing?: Parameters<typeof identifierSlot>[1]): Sql =>
    sql`(select ${foldSql(sql`${slot(identifierSlot(field, writing))}::text`)})`
  return sql`${foldSql(column)} in (${folded()}, ${folded('Within')})`
}

/** 1 for a record that the text of a search names, 0 for others. */
export function namedFirstSql(fields: readonly Field[]): Sql {
  return sql`(case when ${or(fields.map((field) => isValueSql(field, 't')))} then 1 else 0 end)`
}

/** How a text is asked for a word. */
type Way = (field: Field, alias: string) => Sql

/** Whether the word, or a part of one, is written in the text. */
function writtenIn({ pattern }: SoughtWord): Way {
  return (field, alias) => sql`${foldedSql(field, alias)} like ${foldSql(pattern)}`
}

/** Whether the text has a word with the stem, as its index tells it. */
function stemIn({ language, query }: Stem): Way {
  return (field, alias) => sql`${ofText(field, alias, (text) => stemsSql(language, text))} @@ ${query}`
}

/** Whether the word is written in the text, or has its stem there, where no index is read. */
function standsIn(word: SoughtWord): Way {
  const { stem } = word
  const written = writtenIn(word)
  if (stem === undefined) return written
  return (field, alias) =>
    sql`(${written(field, alias)} or ${ofText(field, alias, (text) => hasStemSql(stem, text, foldSql(text)))})`
}

/** The conditions that a word is found: one for the record's own texts, and one for each relation. */
function sourcesOf(
  scope: SelectScope,
  paths: readonly FilterPath[],
  alias: string,
  way: Way,
  isProbe = false,
): readonly Sql[] {
  const own = paths.filter((path) => stepOf(path) === undefined)
  const texts = own.map((path) => way(path.field, alias))
  const conditions = texts.length === 0 ? [] : [sql`(${or(texts)})`]
  const inner = `${alias}q`
  for (const relation of new Set(paths.flatMap((path) => stepOf(path) ?? []))) {
    const deeper = paths.filter((path) => stepOf(path) === relation).map(behind)
    const matches = sourcesOf(scope, deeper, inner, way, isProbe)
    const among = sql`(${or(matches)})`
    if (matches.length > 0) conditions.push(amongSql(scope, relation, alias, inner, among, isProbe))
  }
  return conditions
}

/** Whether the texts at the end of one path have a word. */
export function wordSql(scope: SelectScope, path: FilterPath, alias: string, word: SoughtWord): Sql {
  return or(sourcesOf(scope, [path], alias, standsIn(word)))
}

/** The texts at the end of one path from the record of `alias`, as rows: `v` folded, `o` as they are. */
export function textsSql(scope: SelectScope, path: FilterPath, alias: string): Sql {
  const relation = stepOf(path)
  if (relation === undefined)
    return sql`select ${foldedSql(path.field, alias)} as v, (${fieldSql(path.field, alias)})::text as o`
  const inner = `${alias}q`
  const table = quoted(targetOf(scope.catalog, relation).table)
  const among =
    relation.kind === 'belongs_to'
      ? liveSql(scope.catalog, targetOf(scope.catalog, relation), inner)
      : amongOf(scope, relation, inner)
  const where = and([linkSql(scope.catalog, relation, alias, inner), ...among])
  const texts = textsSql(scope, behind(path), inner)
  return sql`select ${inner}x.v, ${inner}x.o from ${table} ${inner} cross join lateral (${texts}) ${inner}x where ${where}`
}

/** The first relation that a path follows. */
function stepOf({ relations, through }: FilterPath): Relation | undefined {
  return through === undefined ? relations[0] : (through.relations[0] ?? through.many)
}

/** The path without its first relation. */
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
  const target = targetOf(scope.catalog, relation)
  const table = `${quoted(target.table)} ${inner}`
  if (relation.kind === 'belongs_to') {
    const ids = sql`select ${idSql(target, inner)} from ${table} where ${and([...liveSql(scope.catalog, target, inner), matches])}`
    return sql`${alias}.${quoted(relation.field.column)} in (${ids})`
  }
  const among = [linkSql(scope.catalog, relation, alias, inner), ...amongOf(scope, relation, inner)]
  return sql`exists (select 1 from ${table} where ${and([...among, matches])}${isProbe ? ' offset 0' : ''})`
}

/** Which records that a relation leads to many of are searched: those of the relation that exist and that the caller sees. */
function amongOf(scope: SelectScope, relation: HasMany | ManyToMany, inner: string): readonly Sql[] {
  const target = targetOf(scope.catalog, relation)
  const filters = [relation.where, seenOf(scope, target).seen].flatMap((filter) =>
    filter === undefined ? [] : [conditionSql(scope.catalog, filter, inner)],
  )
  return [...existenceSql(scope, target, inner), ...filters]
}

/** A field's text without case and accents. */
function foldedSql(field: Field, alias: string): Sql {
  return ofText(field, alias, foldSql)
}

/** What is made of a field's text; what is computed is computed once. */
function ofText(field: Field, alias: string, made: (text: Fragment) => Sql): Sql {
  const value = fieldSql(field, alias)
  if (field.computed === undefined) return made(value)
  return sql`(select ${made('f.x')} from (select ${value} as x offset 0) f)`
}
