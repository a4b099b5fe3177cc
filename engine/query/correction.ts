/** Misspelt words: what a word that stands nowhere most likely means, out of the words that the caller may read. */
import type { Resource } from '../catalog/catalog.ts'
import { idSql } from '../catalog/stored.ts'
import { foldSql } from '../filter/fold.ts'
import { and, join, quoted, type Sql, sql } from '../filter/sql.ts'
import { isSearchable } from './askable.ts'
import type { SelectScope } from './scope.ts'
import { searchParts, textsSql } from './search.ts'
import { type SearchShape, wantedWord } from './search-terms.ts'

/** Trigrams that two words must share at least, of all that they have: what pg_trgm itself calls similar. */
const SIMILAR = 0.3

/**
 * The tables that correct a search: `o0` … tell whether its words stand anywhere, `x` has the texts of the newest `known`
 * records of the list, and `k` is a row with a column for each word that may be misspelt. It has the most similar word of
 * these texts where the word itself stands in no record of the list, and is null otherwise. All of it is what the caller
 * may read, so no word tells of anything else.
 */
export function correctionTables(
  scope: SelectScope,
  resource: Resource,
  shape: SearchShape,
  where: readonly Sql[],
  known: number,
): readonly Sql[] {
  const asked: SearchShape = { ...shape, corrected: false }
  const paths = resource.search.filter((path) => isSearchable(scope, resource, path))
  const none = sql`select null::text as v, null::text as o where false`
  const texts = join([none, ...paths.map((path) => textsSql(scope, path, 't'))], ' union all ')
  const newest = sql`(select t.* from ${quoted(resource.table)} t where ${and(where)} order by ${idSql(resource, 't')} desc limit ${known}) t`
  const { words } = searchParts(scope, resource, asked)
  // Looking for one row alone, PostgreSQL would walk the table until it finds it; asked for many, it takes the indexes.
  const standing = shape.spelt.map((at) => {
    const rows = words[at]!.sources.map((one) => sql`select 1 from ${one.from} where ${and([...where, one.where])}`)
    const found = rows.length === 0 ? sql`select 1 where false` : join(rows, ' union all ')
    return sql`o${at} as materialized (select 1 from (${found}) o limit ${known})`
  })
  const columns = shape.spelt.map(
    (at) =>
      sql`case when exists (select 1 from o${at}) then null else (${nearestSql(wantedWord(asked, at).exact)}) end as w${at}`,
  )
  return [
    ...standing,
    sql`x as materialized (select distinct v.v from ${newest} cross join lateral (${texts}) v)`,
    sql`k as materialized (select ${join(columns)})`,
  ]
}

/**
 * The word of `x` that is most similar. Only words that begin like it or end like it are compared: who mistypes a word
 * gets one of its ends right, and most texts have no such word.
 */
function nearestSql(asked: Sql): Sql {
  const word = sql`(select ${foldSql(asked)})`
  const [begin, end] = [sql`left(${word}, 2)`, sql`right(${word}, 3)`]
  const pattern = sql`'\\m(?:' || ${begin} || '\\w*|\\w*' || ${end} || ')\\M'`
  const found = sql`select distinct (regexp_matches(x.v collate "default", ${pattern}, 'g'))[1] as word from x where x.v like '%' || ${begin} || '%' or x.v like '%' || ${end} || '%'`
  const nearness = sql`similarity(f.word, ${word})`
  return sql`select f.word from (${found}) f where f.word ~ '^[[:alpha:]]+$' and ${nearness} >= ${SIMILAR} order by ${nearness} desc, f.word collate "C" limit 1`
}
