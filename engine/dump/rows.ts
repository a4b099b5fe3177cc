/** The rows of a table as lines of JSON ⇄: read through a cursor and written in batches, at the same memory however many there are. */
import type { Row, Runner } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'
import { INSTANCE_TABLE } from '../migration/own/engine-tables.ts'
import type { Table } from '../migration/table.ts'
import { type Places, portable } from './log-places.ts'
import { refusal } from './refusal.ts'

/** Characters of one batch, about, and the most rows of one. */
const BATCH_LENGTH = 1_048_576
const BATCH_ROWS = 5_000

/** Which processes serve the application is true of the database that was dumped, and of no other. */
const PASSING: readonly string[] = [INSTANCE_TABLE.name]

/** What becomes of a row on its way out of the database. */
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

/** Takes the lines of one table and inserts them; `end` inserts those that wait. */
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
