/**
 * The content of tables in a dump ⇄: rows as lines of JSON with a checksum, places in the log of changes, and the state of sequences.
 */
import { createHash } from 'node:crypto'
import type { Row, Runner } from '../database/database.ts'
import { ApiError, sentenceOf } from '../error.ts'
import { quoted as q } from '../filter/sql.ts'
import { INSTANCE_TABLE } from '../migration/own/engine-tables.ts'
import { quoteText } from '../migration/sql-name.ts'
import type { Table } from '../migration/table.ts'

export interface Checksum {
  /** Adds a row, as its line of JSON. */
  add(line: string): void
  readonly rows: number
  /** 64 hexadecimal digits. */
  text(): string
}

const MODULUS = 1n << 256n

export function createChecksum(): Checksum {
  let sum = 0n
  let rows = 0
  return {
    add(line) {
      sum += BigInt(`0x${createHash('sha256').update(line).digest('hex')}`)
      rows += 1
    },
    get rows() {
      return rows
    },
    text: () => (sum % MODULUS).toString(16).padStart(64, '0'),
  }
}

/** The first transaction that a database can have. */
const FIRST = 3

/** The places of listeners, the earliest first. */
export type Places = readonly string[]

function orderOf(snapshot: string): readonly [most: bigint, open: number] {
  const [, most = '0', open = ''] = snapshot.split(':')
  return [BigInt(most), open === '' ? 0 : open.split(',').length]
}

/** The places in the log that listeners hold. */
export async function readPlaces(runner: Runner): Promise<Places> {
  const text = 'select distinct p::text from plinth_listener, unnest(array[done, upto]) as p where p is not null'
  const found = (await runner.run({ text }, [])).map(([place]) => place ?? '')
  return found.sort((a, b) => {
    const [[mostA, openA], [mostB, openB]] = [orderOf(a), orderOf(b)]
    return mostA < mostB ? -1 : mostA > mostB ? 1 : openB - openA
  })
}

/** SQL of a column as a dump holds it, of the row `t`. */
function portable(column: string, type: string, places: Places): string {
  if (type === 'xid8') {
    const unseen = places.map(
      (place) => `(not pg_visible_in_snapshot(${column}, ${quoteText(place)}::pg_snapshot))::int`,
    )
    return [FIRST, ...unseen].join(' + ')
  }
  if (type !== 'pg_snapshot') return column
  const ranks = places.map((place, rank) => `when ${quoteText(place)} then '${FIRST + 1 + rank}:${FIRST + 1 + rank}:'`)
  return ranks.length === 0 ? column : `case ${column}::text ${ranks.join(' ')} end`
}

/** Characters of one batch, about, and the most rows of one. */
const BATCH_LENGTH = 1_048_576
const BATCH_ROWS = 5_000

/** Which processes serve the application is true of the database that was dumped, and of no other. */
const PASSING: readonly string[] = [INSTANCE_TABLE.name]

/** Changes a row on its way out of the database. */
export type Leaving = (row: Row) => Promise<Row>

/** How rows are read. */
export interface Reading {
  /** The places in the log of changes, for tables of the application itself. */
  readonly places?: Places
  /** Without the rows of tables that inherit from it. */
  readonly alone?: boolean
  readonly leaving?: Leaving
}

/** Reads every row in the open transaction: batches of lines, each the list of the text of all columns. */
export async function* readLines(
  runner: Runner,
  table: Table,
  { places, alone = false, leaving = async (row) => row }: Reading,
): AsyncGenerator<readonly string[], void> {
  const columns = table.columns.map(({ name, type }) =>
    places === undefined ? `t.${q(name)}` : portable(`t.${q(name)}`, type, places),
  )
  const select = `select ${columns.join(', ')} from ${alone ? 'only ' : ''}${q(table.name)} t${PASSING.includes(table.name) ? ' where false' : ''}`
  await runner.run({ text: `declare plinth_dump no scroll cursor for ${select}` }, [])
  for (let wanted = 100; ; ) {
    const rows = await runner.run({ text: `fetch forward ${wanted} from plinth_dump` }, [])
    if (rows.length === 0) break
    const lines = (await Promise.all(rows.map(leaving))).map((row) => JSON.stringify(row))
    yield lines
    const length = lines.reduce((total, line) => total + line.length, 0)
    wanted = Math.max(1, Math.min(BATCH_ROWS, wanted * 4, Math.floor((rows.length * BATCH_LENGTH) / length)))
  }
  await runner.run({ text: 'close plinth_dump' }, [])
}

/** Inserts the lines of one table in batches; `end` inserts the last batch. */
export interface RowWriter {
  add(line: string): Promise<void>
  end(): Promise<void>
}

export function createRowWriter(runner: Runner, table: Table): RowWriter {
  const written = table.columns.flatMap(({ name, type, generated }, place) =>
    generated === undefined ? [{ name: q(name), value: `(r->>${place})::${type}` }] : [],
  )
  const names = written.map(({ name }) => name).join(', ')
  const values = written.map(({ value }) => value).join(', ')
  const text = `insert into ${q(table.name)} (${names}) overriding system value
    select ${values} from json_array_elements($1::json) as r`
  let waiting: string[] = []
  let length = 0
  async function flush(): Promise<void> {
    if (waiting.length === 0) return
    const batch = `[${waiting.join(',')}]`
    waiting = []
    length = 0
    await runner.run({ text }, [batch]).catch((error: unknown) => {
      throw new Error(`The database refuses rows of ${table.name}: ${refusal(error)}`)
    })
  }
  return {
    async add(line) {
      waiting.push(line)
      length += line.length
      if (length >= BATCH_LENGTH || waiting.length >= BATCH_ROWS) await flush()
    },
    end: flush,
  }
}

/** The sentence of the database. */
export function refusal(error: unknown): string {
  const cause = error instanceof ApiError ? error.params.cause : undefined
  return sentenceOf(cause ?? error)
}

/** Of an identity column the column is named, of any other the sequence. */
export interface CounterName {
  readonly table: string
  readonly column: string | undefined
  readonly name: string | undefined
}

/** The state and the options of a sequence. */
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

/** The present state of these sequences. */
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

/** Restores the options and the state of sequences. */
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
