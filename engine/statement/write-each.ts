/** Several new records compiled to one statement: its rows come from lists of values, and everything else is as for one. */
import type { Field } from '../catalog/catalog.ts'
import { idSql } from '../catalog/stored.ts'
import { and, join, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import type { WriteShape } from '../plan/write-shape.ts'
import { type Compiled, type CompiledRecord, compiled, type SelectScope } from './compiled.ts'
import { selectList } from './select.ts'
import { type Columns, insertedRow, logSql, writable, writtenColumns } from './write.ts'
import { checksSql } from './write-check.ts'
import { followedRow } from './written-values.ts'

/** The column of the place of each record, from 1. */
const PLACE = 'plinth_place'

/**
 * Compiles creating several records at once: its rows are their ids and the records, in order. It writes those for which
 * every check holds, so that there are fewer rows where one fails. Slots: `f_<field>`, a list of texts each.
 */
export function compileInsertEach(scope: SelectScope, plan: WriteShape): CompiledRecord {
  const { resource } = plan
  const definitions = writtenEach(scope, plan)
  const answered = { ...scope, kept: undefined, isNew: true }
  const list = selectList(answered, resource, 't', 'single', [idSql(resource, 't')])
  const { columns, joins, serialize } = list
  // Ids that the database counts come in the order of the rows.
  const text = sql`${definitions} select ${join(columns)} from plinth_w t ${joins} order by ${idSql(resource, 't')}`
  return { ...compiled(text), serialize }
}

/**
 * Compiles creating those of several records for which every check holds. Its row has the ids, which are in the order of
 * the records where the database counts them, the places, from 1, of those that are not written, and the number of those that are. Slots: `f_<field>`, a
 * list of texts each.
 */
export function compileInsertOfEach(scope: SelectScope, plan: WriteShape): Compiled {
  const definitions = writtenEach(scope, plan)
  const id = idSql(plan.resource, 'w')
  return compiled(
    sql`${definitions} select (select string_agg(${id}::text, ',' order by ${id}) from plinth_w w), (select string_agg(c.plinth_place::text, ',' order by c.plinth_place) from plinth_c c where not c.plinth_holds), (select count(*) from plinth_w)`,
  )
}

/** The statement without its answer: the rows `w`, and as `c` the records with their places and whether each was written. */
function writtenEach(scope: SelectScope, plan: WriteShape): Sql {
  const { resource } = plan
  const inputs = plan.given.map(({ name }) => sql`${slot(`f_${name}`)}::text[]`)
  const names = [...plan.given.map(({ column }) => quoted(column)), PLACE]
  // The sent values, as text. The row alone does not tell whether a value was sent or follows.
  const sent = sql`plinth_g as materialized (select * from unnest(${join(inputs)}) with ordinality as g(${join(names)}))`
  const row = sql`${insertedRow(scope, resource, givenColumns(scope, plan))}, g.${PLACE} from plinth_g g`
  const checks = checksSql(scope, plan)
  const holds = checks.length === 0 ? sql`true` : sql`(${and(checks.map(({ condition }) => condition))}) is true`
  const written = join(writable(scope, resource, plan.columns).map(quoted))
  const judged = sql`plinth_c as materialized (select v.*, ${holds} as plinth_holds from plinth_v v)`
  const insert = sql`insert into ${quoted(resource.table)} (${written}) select ${written} from plinth_c c where c.plinth_holds order by c.plinth_place returning *`
  const unsure = [...plan.optional].filter(
    ({ column }) => plan.assigned.some(({ field }) => field.column === column) || plan.following.has(column),
  )
  const log = logSql(scope, resource, {
    action: 'create',
    after: 'w',
    given: new Set(plan.given),
    unsure: new Map(unsure.map((field) => [field, sql`g.${quoted(field.column)} is not null`])),
    from: unsure.length === 0 ? sql`plinth_w w` : withSent(plan, unsure),
  })
  return sql`with ${sent}, ${followedRow(scope, plan, row, PLACE)}, ${judged}, plinth_w as (${insert})${log}`
}

/** The values of a record: what was sent, else what is assigned. */
function givenColumns(scope: SelectScope, { assigned, given, optional }: WriteShape): Columns {
  const otherwise = writtenColumns(scope, { given: [], assigned })
  const sent = given.map((field) => {
    const value = sql`g.${quoted(field.column)}::${field.sqlType}`
    const other = optional.has(field) ? otherwise.get(field.column) : undefined
    return [field.column, other === undefined ? value : sql`coalesce(${value}, ${other})`] as const
  })
  return new Map([...otherwise, ...sent])
}

/** The written rows `w`, each with its sent values: ids that the database counts come in the order of the rows. */
function withSent({ given, resource }: WriteShape, fields: readonly Field[]): Sql {
  const id = idSql(resource, 'w')
  const key = given.find((field) => field === resource.key)
  const columns = (key === undefined ? fields : [...fields, key]).map(({ column }) => sql`g.${quoted(column)}`)
  const sent = sql`(select ${join(columns)}, row_number() over (order by g.plinth_place) as plinth_nth from plinth_g g join plinth_c c on c.plinth_place = g.plinth_place where c.plinth_holds) g`
  if (key !== undefined) return sql`plinth_w w join ${sent} on g.${quoted(key.column)}::${key.sqlType} = ${id}`
  return sql`(select w.*, row_number() over (order by ${id}) as plinth_nth from plinth_w w) w join ${sent} on g.plinth_nth = w.plinth_nth`
}
