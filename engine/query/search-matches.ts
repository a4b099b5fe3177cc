/** Where the words of a search stand in the records of a page: which fields have them, and a piece of their texts. */
import type { Resource } from '../catalog/catalog.ts'
import { foldSql } from '../filter/fold.ts'
import { join, or, type Sql, sql } from '../filter/sql.ts'
import { isSearchable } from './askable.ts'
import type { SelectScope } from './scope.ts'
import { textsSql } from './search.ts'
import { type SearchShape, wantedWord } from './search-terms.ts'
import { writtenPath } from './vocabulary.ts'

/** Characters of a text that are read for a snippet, and how many of them before the first word. */
const READ = 600
const READ_BEFORE = 200

/** A column of the page's record `t` for one field that is searched. */
export interface MatchColumn {
  readonly name: string
  /** Whether a word stands there; with snippets null, or a JSON array of where the piece begins, how long the text is, and the piece. */
  readonly sql: Sql
}

/** The columns of all fields that the caller may search and see. */
export function matchColumns(scope: SelectScope, resource: Resource, shape: SearchShape): readonly MatchColumn[] {
  if (shape.wanted === 0) return []
  const paths = resource.search.filter((path) => path.field.show !== 'never' && isSearchable(scope, resource, path))
  const words = Array.from({ length: shape.wanted }, (_, at) => wantedWord(shape, at))
  const stands = words.map(({ pattern }) => sql`x.v like (select ${foldSql(pattern)})`)
  const places = words.map(({ exact }) => sql`nullif(position((select ${foldSql(exact)}) in x.v), 0)`)
  // Of several texts that of most words is shown; which one it is may not depend on how the database keeps them.
  const most = join(
    stands.map((one) => sql`(${one})::integer`),
    ' + ',
  )
  return paths.map((path) => {
    const texts = sql`(${textsSql(scope, path, 't')}) x`
    const name = writtenPath(path)
    if (!shape.snippets) return { name, sql: sql`exists (select 1 from ${texts} where ${or(stands)})` }
    const begin = sql`greatest(1, least(${join(places)}) - ${READ_BEFORE})`
    const piece = sql`json_build_array(s.begin, length(x.o), substr(x.o, s.begin, ${READ}))::text`
    const from = sql`${texts} cross join lateral (select ${begin} as begin) s`
    return { name, sql: sql`(select ${piece} from ${from} where ${or(stands)} order by ${most} desc, x.o limit 1)` }
  })
}

/** What clients of earlier versions call a field. */
export function earlierNamesOf({ earlier }: Resource, name: string): readonly string[] {
  return [...(earlier?.names ?? [])].flatMap(([before, { instead }]) => (instead === name ? [before] : []))
}
