/** ⇄ Where sequences stand: read for a dump, and brought there again by a load. */
import type { Runner } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'

/** Of an identity column the column is named, of any other the sequence. */
export interface CounterName {
  readonly table: string
  readonly column: string | undefined
  readonly name: string | undefined
}

/** Where a sequence stands, and how it counts. */
export interface Counter extends CounterName {
  readonly last: string
  readonly called: boolean
  /** As SQL; absent from dumps of versions that kept none. */
  readonly options?: string
  /** Whether an identity column takes no value but that of its sequence. */
  readonly always?: boolean
}

const OPTIONS = `select format('increment %s minvalue %s maxvalue %s start %s cache %s %s cycle', seqincrement, seqmin, seqmax, seqstart, seqcache,
    case when seqcycle then '' else 'no' end), exists (select 1 from pg_depend d join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
      where d.classid = 'pg_class'::regclass and d.objid = seqrelid and d.deptype = 'i' and a.attidentity = 'a')
  from pg_sequence where seqrelid = $1::regclass`

/** Where these stand now. */
export async function readCounters(runner: Runner, names: readonly CounterName[]): Promise<readonly Counter[]> {
  const counters: Counter[] = []
  for (const counter of names) {
    const sequence = await sequenceOf(runner, counter)
    const [row] = await runner.run({ text: `select last_value, is_called from ${sequence}` }, [])
    const [how] = await runner.run({ text: OPTIONS }, [sequence])
    const place = { last: row?.[0] ?? '1', called: row?.[1] === 't' }
    counters.push({ ...counter, ...place, options: how?.[0] ?? '', ...(how?.[1] === 't' ? { always: true } : {}) })
  }
  return counters
}

/** Lets sequences count as they did, from where they stood. */
export async function setCounters(runner: Runner, counters: readonly Counter[]): Promise<void> {
  for (const counter of counters) {
    const { table, column, last, called, options, always } = counter
    const sequence = await sequenceOf(runner, counter)
    // A place that the new limits leave out would be refused.
    if (options !== undefined)
      await runner.run({ text: `alter sequence ${sequence} ${options} restart with ${last}` }, [])
    if (always)
      await runner.run({ text: `alter table ${q(table)} alter column ${q(column ?? '')} set generated always` }, [])
    const values = [sequence, last, called]
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
