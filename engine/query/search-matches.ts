/** Where the words of a search stand in the records of a page: which fields have them, and a piece of their texts. */
import type { Field, FilterPath, Resource } from '../catalog/catalog.ts'
import { join, or, type Sql, sql } from '../filter/sql.ts'
import { hasStemSql, type Stem } from '../filter/stem.ts'
import { foldSql } from '../filter/text-forms.ts'
import type { SearchShape } from '../plan/read-plan.ts'
import { isSearchable } from './askable.ts'
import { fieldSql } from './condition.ts'
import type { SelectScope } from './scope.ts'
import { isValueSql, textsSql, wantedWord } from './search.ts'
import { writtenPath } from './vocabulary.ts'

/** Characters of a text that are read for a snippet, and how many of them before the first word. */
const READ = 600
const READ_BEFORE = 200

/** Characters of a text in which other forms of a word are looked for. */
const READ_FOR_FORMS = 10_000

/** A column of the page's record `t` for one field that is searched. */
export interface MatchColumn {
  readonly name: string
  /** Whether a word stands there; with snippets null, or a JSON array of where the piece begins, how long the text is, the piece, and the words of a stem. */
  readonly sql: Sql
}

/** The columns of all fields that the caller may search and see. */
export function matchColumns(scope: SelectScope, resource: Resource, shape: SearchShape): readonly MatchColumn[] {
  if (shape.wanted === 0) return []
  const paths = resource.search.filter((path) => path.field.show !== 'never' && isSearchable(scope, resource, path))
  const words = Array.from({ length: shape.wanted }, (_, at) => wantedWord(shape, at))
  const stands = words.map(({ pattern, stem }) => {
    const written = sql`x.v like (select ${foldSql(pattern)})`
    return stem === undefined ? written : sql`(${written} or ${hasStemSql(stem, 'x.o', 'x.v')})`
  })
  const places = words.map(({ exact }) => sql`nullif(position((select ${foldSql(exact)}) in x.v), 0)`)
  const forms = formsSql(words.flatMap(({ stem }) => stem ?? []))
  if (forms !== undefined) places.push(sql`(select min(position(f in x.v)) from unnest(s.forms) f)`)
  // Of several texts that of most words is shown; which one it is may not depend on how the database keeps them.
  const most = join(
    stands.map((one) => sql`(${one})::integer`),
    ' + ',
  )
  const matchIn = (path: FilterPath): MatchColumn => {
    const texts = sql`(${textsSql(scope, path, 't')}) x`
    const name = writtenPath(path)
    if (!shape.snippets) return { name, sql: sql`exists (select 1 from ${texts} where ${or(stands)})` }
    const begin = sql`greatest(1, least(${join(places)}) - ${READ_BEFORE})`
    const told = forms === undefined ? '' : ', s.forms'
    const piece = sql`json_build_array(b.begin, length(x.o), substr(x.o, b.begin, ${READ})${told})::text`
    const found = forms === undefined ? '' : sql` cross join lateral (select ${forms} as forms) s`
    const from = sql`${texts}${found} cross join lateral (select ${begin} as begin) b`
    return { name, sql: sql`(select ${piece} from ${from} where ${or(stands)} order by ${most} desc, x.o limit 1)` }
  }
  // A field in which the words are looked for tells of its own value.
  const named = shape.identifiers.filter((field) => !paths.some((path) => isOwn(path) && path.field === field))
  return [...paths.map(matchIn), ...named.map((field) => namedColumn(field, shape.snippets))]
}

function isOwn({ relations, through }: FilterPath): boolean {
  return relations.length === 0 && through === undefined
}

/** A field of which the whole text of the search is the value. */
function namedColumn(field: Field, snippets: boolean): MatchColumn {
  const { name } = field
  const named = isValueSql(field, 't')
  if (!snippets) return { name, sql: sql`(${named})` }
  const text = sql`(${fieldSql(field, 't')})::text`
  return { name, sql: sql`(case when ${named} then json_build_array(1, length(${text}), ${text})::text end)` }
}

/** The words of the text `x` that have one of the stems, without case and accents; undefined where none is sought. */
function formsSql(stems: readonly Stem[]): Sql | undefined {
  if (stems.length === 0) return undefined
  const has = or(stems.map((stem) => hasStemSql(stem, 'w', foldSql('w'))))
  const words = sql`regexp_split_to_table(left(x.o, ${READ_FOR_FORMS}), '[[:space:][:punct:]]+') w`
  return sql`array(select distinct ${foldSql('w')} from ${words} where w <> '' and ${has})`
}

/** What clients of earlier versions call a field. */
export function earlierNamesOf({ earlier }: Resource, name: string): readonly string[] {
  return [...(earlier?.names ?? [])].flatMap(([before, { instead }]) => (instead === name ? [before] : []))
}
