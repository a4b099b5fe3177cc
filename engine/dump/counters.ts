/** ⇄ Where sequences stand: read for a dump, and brought there again by a load. */
import type { Runner } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'

/** Of an identity column the column is named, of any other the sequence. */
export interface CounterName {
  readonly table: string
  readonly column: string | undefined
  readonly name: string | undefined
}

/** Where a sequence stands. */
export interface Counter extends CounterName {
  readonly last: string
  readonly called: boolean
}

/** Where these stand now. */
export async function readCounters(runner: Runner, names: readonly CounterName[]): Promise<readonly Counter[]> {
  const counters: Counter[] = []
  for (const counter of names) {
    const text = `select last_value, is_called from ${await sequenceOf(runner, counter)}`
    const [row] = await runner.run({ text }, [])
    counters.push({ ...counter, last: row?.[0] ?? '1', called: row?.[1] === 't' })
  }
  return counters
}

/** Brings sequences to where they stood. */
export async function setCounters(runner: Runner, counters: readonly Counter[]): Promise<void> {
  for (const counter of counters) {
    const values = [await sequenceOf(runner, counter), counter.last, counter.called]
    await runner.run({ text: 'select setval($1::regclass, $2::bigint, $3::boolean)' }, values)
  }
}

/** The name of a sequence, quoted for SQL. */
async function sequenceOf(runner: Runner, { table, column, name }: CounterName): Promise<string> {
  if (column === undefined) return q(name ?? '')
  const [row] = await runner.run({ text: 'select pg_get_serial_sequence($1, $2)' }, [q(table), column])
  if (typeof row?.[0] !== 'string') throw new Error(`The column ${table}.${column} has no sequence.`)
  return row[0]
}
