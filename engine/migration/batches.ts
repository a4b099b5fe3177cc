/** Gives many rows another value a batch at a time ⇄, so that nobody waits for all of them and a kill loses one batch. */
import type { Row } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'
import { LIMITS } from '../limits.ts'
import type { Batches } from './step.ts'

/** Rows between two words about how far it is. */
const TOLD_EVERY = 50_000

type Run = (text: string, values: readonly unknown[]) => Promise<readonly Row[]>

/** What gives rows their value, before it is said which rows. */
export function updateOf({ table, column, value, mark }: Pick<Batches, 'table' | 'column' | 'value' | 'mark'>): string {
  return `update ${q(table)} set ${q(column)} = ${value}${mark === undefined ? '' : `, ${q(mark)} = true`}`
}

/** The keys of rows with the value of each, where that is made in their order. */
function valued({ inOrder, value }: Batches, keys: string): string {
  return inOrder === true ? `select plinth_key, ${value} as plinth_value from (${keys}) ordered` : keys
}

function updating(batches: Batches): string {
  return updateOf({ ...batches, value: batches.inOrder === true ? 'plinth_value' : batches.value })
}

/** The same of all rows in one statement. */
export function allAtOnce(batches: Batches): string {
  const { inOrder, key, table, where } = batches
  if (inOrder !== true) return `${updating(batches)} where ${where}`
  const keys = `select ${q(key)} as plinth_key from ${q(table)} where ${where} order by ${q(key)}`
  return `${updating(batches)} from (${valued(batches, keys)}) batch where ${q(table)}.${q(key)} = plinth_key`
}

/** The statement of one batch: of the first rows, or of those behind the key `$1`; gives the last key and how many rows were changed. */
function batchSql(batches: Batches, isFirst: boolean): string {
  const { table, key, keyType, where } = batches
  const behind = isFirst ? '' : `${q(key)} > $1::${keyType} and `
  const first = `select ${q(key)} as plinth_key from ${q(table)} where ${behind}(${where})
    order by ${q(key)} limit ${LIMITS.migrationBatch}`
  return `with batch as materialized (${valued(batches, first)}),
  changed as (${updating(batches)} from batch where ${q(table)}.${q(key)} = plinth_key and (${where}) returning 1)
  select (select plinth_key::text from batch order by plinth_key desc limit 1), (select count(*) from changed)`
}

/** Changes the rows, from the first to the last; rows that a kill left behind are found by their lack of the value. */
export async function inBatches(batches: Batches, run: Run, tell: (rows: number) => void): Promise<void> {
  let last: string | undefined
  let done = 0
  let told = 0
  for (;;) {
    const [row] = await run(batchSql(batches, last === undefined), last === undefined ? [] : [last])
    const key = row?.[0] ?? undefined
    done += Number(row?.[1] ?? 0)
    if (key === undefined || done - told >= TOLD_EVERY) {
      if (done > told) tell(done)
      told = done
    }
    if (key === undefined) return
    last = key
  }
}
