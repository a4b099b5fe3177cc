/** Rules about other records that a write to this table could break, in the statement of that write. */
import type { Catalog, ForeignRule, LinkRule, Resource, WayStep } from '../catalog/catalog.ts'
import { idsType, ownerOf } from '../catalog/key.ts'
import { idSql } from '../catalog/stored.ts'
import { and, join, or, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { type Compiled, compiled } from './compiled.ts'
import { type After, holdsSql, type Judged, tableSql } from './condition.ts'
import type { SelectScope } from './scope.ts'

/** That no live record breaks a rule which looks at the written row; `after` is what the statement makes of its table. */
export function foreignSql({ catalog }: SelectScope, resource: Resource, foreign: ForeignRule, after: After): Sql {
  return keptSql(
    catalog,
    { ...foreign, way: foreign.way.slice(0, -1) },
    { record: 'r', before: undefined, after },
    (near, table) => writtenSql(catalog, resource, { near, table }, foreign.way.at(-1)!),
  )
}

/** Whether the last step of a way leads from `near` to the row `v`, or led to the row that it was. */
function writtenSql(
  catalog: Catalog,
  resource: Resource,
  { near, table }: { readonly near: string; readonly table: string },
  last: WayStep,
): Sql {
  const written = idSql(resource, 'v')
  if (last.kind === 'to') return sql`${near}.${quoted(last.column)} = ${written}`
  const id = idSql(ownerOf(catalog, table)!, near)
  if (last.kind === 'link') return sql`${id} in ${pairedSql(last, sql`= ${written}`)}`
  const column = quoted(last.column)
  const stored = sql`${id} = (select b.${column} from ${quoted(resource.table)} b where ${idSql(resource, 'b')} = ${written})`
  return sql`(${or([sql`${id} = v.${column}`, stored])})`
}

function pairedSql({ through }: Extract<WayStep, { kind: 'link' }>, to: Sql): Sql {
  return sql`(select j.${quoted(through.from)} from ${quoted(through.table)} j where j.${quoted(through.to)} ${to})`
}

/** What is asked of the last record of a way, by its alias and its table. */
type Ends = (near: string, table: string) => Sql

/** No live record from which the way leads to one of which `ends` says what it is breaks the rule. */
function keptSql(
  catalog: Catalog,
  { resource, rule, table, way }: Pick<ForeignRule, 'resource' | 'rule' | 'table' | 'way'>,
  judged: Judged,
  ends: Ends,
): Sql {
  const { live } = catalog.resources.get(resource)!
  const conditions = [
    waySql(catalog, way, { near: 'r', table }, judged, ends),
    ...[live, rule.when].flatMap((filter) => (filter === undefined ? [] : [holdsSql(catalog, filter, 'r', judged)])),
    sql`not ${holdsSql(catalog, rule.must, 'r', judged)}`,
  ]
  return sql`not exists (select 1 from ${tableSql(table, judged)} r where ${and(conditions)})`
}

/** The record of `near` is one from which the steps lead to one of which `ends` says what it is. */
function waySql(
  catalog: Catalog,
  [step, ...rest]: readonly WayStep[],
  { near, table }: { readonly near: string; readonly table: string },
  judged: Judged,
  ends: Ends,
): Sql {
  if (step === undefined) return ends(near, table)
  const id = idSql(ownerOf(catalog, table)!, near)
  const far = `${near}x`
  const inner = { near: far, table: step.table }
  const rows = (column: string): Sql =>
    sql`(select ${far}.${quoted(column)} from ${tableSql(step.table, judged)} ${far} where ${waySql(catalog, rest, inner, judged, ends)})`
  const ids = ownerOf(catalog, step.table)!.key.column
  if (step.kind === 'link') return sql`${id} in ${pairedSql(step, sql`in ${rows(ids)}`)}`
  if (step.kind === 'from') return sql`${id} in ${rows(step.column)}`
  return sql`${near}.${quoted(step.column)} in ${rows(ids)}`
}

/** A rule that is judged when pairs were written: of the record itself, or of others that look at it. */
export type LinkedRule = Pick<LinkRule, 'resource' | 'rule' | 'table' | 'way'>

/** Compiles whether rules hold once pairs are written, one column for each. Slots `o<i>`: the records that the way of the rule i leads to. */
export function compileLinkCheck({ catalog }: SelectScope, rules: readonly LinkedRule[]): Compiled {
  const judged: Judged = { record: 'r', before: undefined }
  const columns = rules.map((rule, i) =>
    keptSql(catalog, rule, judged, (near, table) => {
      const owner = ownerOf(catalog, table)!
      return sql`${idSql(owner, near)} = any(${slot(`o${i}`)}::${idsType(owner)})`
    }),
  )
  return compiled(sql`select ${join(columns)}`)
}
