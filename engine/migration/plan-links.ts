/** Plans what is known of a table that is made: a relation to one record that becomes one to many gives it the links that its column holds. */
import { quoted as q } from '../filter/sql.ts'
import type { Circumstances, Pair } from './pair.ts'
import { goneColumns } from './plan-add.ts'
import type { Step } from './step.ts'
import type { ForeignKey, Table } from './table.ts'

/** A step that makes a table, with what is known of it: that it was there before, or which links it begins with. */
export function knowing(
  step: Step,
  fresh: readonly Table[],
  pairs: ReadonlyMap<string, Pair>,
  circumstances: Circumstances,
): Step {
  const table = fresh.find(({ name }) => name === step.about?.table)
  if (table === undefined) return step
  const isGone = circumstances.present.owned.has(table.name)
  return withLinks(isGone ? { ...step, anew: true } : step, table, pairs, circumstances)
}

/** The step that makes a joining table, with the links that the only column holds which goes and leads to the same table. */
function withLinks(step: Step, table: Table, pairs: ReadonlyMap<string, Pair>, circumstances: Circumstances): Step {
  const [one, other] = table.foreignKeys
  const isJoining = table.served === undefined && table.primaryKey.length === 2 && table.foreignKeys.length === 2
  if (!isJoining || one === undefined || other === undefined || one.table === other.table) return step
  const found = [...held(one, other, pairs, circumstances), ...held(other, one, pairs, circumstances)]
  const [{ column, pair, from, to } = {}, ...more] = found
  if (column === undefined || pair === undefined || more.length > 0) return step
  const { actual, wanted } = pair
  const rows = `select ${q(wanted.primaryKey[0] ?? 'id')}, ${q(column)} from ${q(wanted.name)} where ${q(column)} is not null`
  const links = `insert into ${q(table.name)} (${q(from ?? '')}, ${q(to ?? '')}) ${rows} on conflict do nothing`
  return {
    ...step,
    title: `${step.title} from ${wanted.name}.${column}`,
    sql: [...step.sql, links],
    question: `select count(${q(column)}) from ${q(actual.name)}`,
    tally: 'value',
  }
}

interface Held {
  readonly pair: Pair
  /** Holds the ids. */
  readonly column: string
  readonly from: string
  readonly to: string
}

function held(
  near: ForeignKey,
  far: ForeignKey,
  pairs: ReadonlyMap<string, Pair>,
  circumstances: Circumstances,
): readonly Held[] {
  const [pair, target] = [pairs.get(near.table), pairs.get(far.table)]
  if (pair === undefined || target === undefined) return []
  const leading = pair.actual.foreignKeys.filter((key) => key.table === target.actual.name)
  return goneColumns(pair, circumstances)
    .filter(({ name }) => leading.some((key) => key.column === name))
    .map(({ name }) => ({ pair, column: name, from: near.column, to: far.column }))
}
