/** Several new records compiled to one statement: its rows come from lists of values, and everything else is as for one. */
import type { Resource } from '../catalog/catalog.ts'
import { idSql } from '../catalog/stored.ts'
import { and, join, quoted, slot, sql } from '../filter/sql.ts'
import { type CompiledRecord, compiled } from './compiled.ts'
import { castType } from './condition.ts'
import { followedRow } from './follow.ts'
import type { SelectScope } from './scope.ts'
import { selectList } from './select.ts'
import { checksOf } from './write-check.ts'
import type { WriteShape } from './write-shape.ts'
import { type Columns, insertedRow, logSql, writtenColumns } from './write-statement.ts'

/**
 * Compiles creating several records at once, all or none: its rows are their ids and the records, in order, and there is
 * none where a check fails for one of them. Slots: `f_<field>`, a list of texts each.
 */
export function compileInsertEach(
  scope: SelectScope,
  resource: Resource,
  shape: Omit<WriteShape, 'returning'>,
): CompiledRecord {
  const inputs = shape.given.map(({ name }) => sql`${slot(`f_${name}`)}::text[]`)
  const names = shape.given.map(({ column }) => quoted(column))
  const sent = shape.given.map((field) => [field.column, sql`i.${quoted(field.column)}::${castType(field)}`] as const)
  const given: Columns = new Map([...writtenColumns(scope, { given: [], assigned: shape.assigned }), ...sent])
  const rows = sql`unnest(${join(inputs)}) with ordinality as i(${join([...names, 'plinth_place'])})`
  const row = sql`${insertedRow(scope, resource, given)} from ${rows} order by i.plinth_place`
  const by = shape.bulk === true ? 'import' : 'create'
  const followed = followedRow(scope, resource, by, new Set(given.keys()), row)
  const columns = new Set([...given.keys(), ...followed.columns])
  const checks = checksOf(scope, resource, { ...shape, returning: 'answer' }, columns, false)
  const written = join([...columns].map(quoted))
  const holds = checks.map(({ condition }) => condition)
  const judged = holds.length === 0 ? sql`` : sql`, c as materialized (select ${and(holds)} as holds from v)`
  const where = holds.length === 0 ? sql`` : sql` where (select bool_and(c.holds) from c)`
  const insert = sql`insert into ${quoted(resource.table)} (${written}) select ${written} from v${where} returning *`
  const log = logSql(scope, resource, { action: 'create', after: 'w', given: new Set(shape.given), from: sql`w` })
  const {
    columns: answer,
    joins,
    serialize,
  } = selectList({ ...scope, kept: undefined, isNew: true }, resource, 't', 'single', [idSql(resource, 't')])
  // Ids that the database counts come in the order of the rows.
  const text = sql`with ${followed.definitions}${judged}, w as (${insert})${log} select ${join(answer)} from w t ${joins} order by ${idSql(resource, 't')}`
  return { ...compiled(text), serialize }
}
