/** How well a record answers a search: what its pages are ordered by where no other order is asked for. */
import type { FieldPath, Resource, SearchPath, SortTerm } from '../catalog/catalog.ts'
import { foldSql } from '../filter/fold.ts'
import { join, type Sql, sql } from '../filter/sql.ts'
import { hasStemSql } from '../filter/stem.ts'
import { isSearchable } from './askable.ts'
import { pathValueSql } from './condition.ts'
import { madeUpTerm, namedFirstSql } from './identifier.ts'
import type { SortKey } from './order.ts'
import type { SelectScope } from './scope.ts'
import { wordSql } from './search.ts'
import { type SearchShape, type WantedWord, wantedWord } from './search-terms.ts'

/** An identifier that is the word counts more than all weights together: its record comes first. */
const IDENTIFIER = 1_000

/** A record that the whole text names counts more than all words together. */
const NAMED = 1_000_000

/** The order of a ranked list: best first, of equals the newest. The first term is the rank, and no field of the record. */
export function rankedSort({ key }: Resource): readonly SortTerm[] {
  return [madeUpTerm(key, '$rank'), { path: { relations: [], field: key }, direction: 'desc' }]
}

/** The rank of the record `t`, as the first key of a ranked list: 0 where the words are too common to rank, and it is not named. */
export function rankKey(scope: SelectScope, resource: Resource, shape: SearchShape): SortKey {
  const paths = resource.search.filter((path) => isSearchable(scope, resource, path))
  const ranks = Array.from({ length: shape.wanted }, (_, at) => {
    const levels = paths.map((path) => levelSql(scope, resource, path, wantedWord(shape, at)))
    return sql`greatest(0, ${join(levels.length === 0 ? ['0'] : levels)})`
  })
  const { identifiers } = shape
  const named = identifiers.length === 0 ? '' : sql`${NAMED} * ${namedFirstSql(identifiers)} + `
  return {
    sql: sql`(${named}case when (select n.ranked from n) then ${join(ranks, ' + ')} else 0 end)`,
    cast: 'integer',
    nullable: false,
    direction: 'desc',
  }
}

/** What a word counts in one text: as the whole of it, as a word, as the beginning of one, or inside of one. */
function levelSql(scope: SelectScope, resource: Resource, path: SearchPath, wanted: WantedWord): Sql {
  const { through, weight } = path
  if (through !== undefined) return sql`case when ${wordSql(scope, path, 't', wanted)} then ${weight} else 0 end`
  const text = pathValueSql(scope.catalog, path, 't', undefined, false)
  const word = (text: Sql): Sql => sql`(select ${foldSql(text)})`
  const begins = sql`'\\m' || ${word(wanted.beginning)}`
  // Folded texts compare as bytes; where a word ends is a question about letters of every language.
  const words = 'f.x collate "default"'
  const whole = isIdentifier(resource, path) ? IDENTIFIER : 4 * weight
  // Another form of the word counts like the beginning of one.
  const { stem } = wanted
  const form = stem
    ? sql`when (f.x like ${foldSql(wanted.pattern)}) is not true and ${hasStemSql(stem, 'f.o', 'f.x')} then ${2 * weight} `
    : ''
  const level = sql`case ${form}when (f.x like ${foldSql(wanted.pattern)}) is not true then 0 when f.x = ${word(wanted.exact)} then ${whole} when ${words} ~ (${begins} || '\\M') then ${3 * weight} when ${words} ~ (${begins}) then ${2 * weight} else ${weight} end`
  return sql`(select ${level} from (select ${foldSql('v.x')} as x, v.x as o from (select ${text} as x offset 0) v offset 0) f)`
}

function isIdentifier({ lookup }: Resource, { relations, field }: FieldPath): boolean {
  return relations.length === 0 && (field.unique || lookup.includes(field))
}
