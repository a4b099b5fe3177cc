/** Facts of the whole application ⇄, rows of `plinth_fact`: its id, the change that is under way, and what is served. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import type { Database, Runner } from '../../database/database.ts'
import { ifThere } from '../../database/failure.ts'
import { quoted as q } from '../../filter/sql.ts'
import type { Command } from '../step.ts'
import { FACT_TABLE } from './engine-tables.ts'

const TABLE = q(FACT_TABLE.name)

/** Writes the id only where there is none, and gives the one that stands there: also of several that start at once. */
const KEEP_INSTANCE = `insert into ${TABLE} as held (name, value) values ('instance', $1)
  on conflict (name) do update set value = held.value returning value`

/** The id of the application whose database this is; `newId` makes it at the first start. */
export async function instanceOf(database: Database, newId: () => string): Promise<string> {
  const text = `select value from ${TABLE} where name = 'instance'`
  const [known] = await database.adhoc.run({ text }, [])
  const [row] = known === undefined ? await database.adhoc.run({ text: KEEP_INSTANCE }, [newId()]) : [known]
  if (row?.[0] === null || row?.[0] === undefined) throw new Error('the database gave no instance id')
  return row[0]
}

/** A change on its way. */
export interface Pending {
  /** Of the catalog to which it leads. */
  readonly catalog: string
  /** What takes it back, in this order; each may run more than once. */
  readonly undo: readonly Command[]
}

const READ_CHANGE = `select value from ${TABLE} where name = 'change'`
const KEEP_CHANGE = `insert into ${TABLE} (name, value) values ('change', $1)
  on conflict (name) do update set value = excluded.value, created_at = now()`
const FORGET_CHANGE = `delete from ${TABLE} where name = 'change'`

/** The change that was begun last and not ended. */
export async function pendingChange(runner: Runner): Promise<Pending | undefined> {
  const rows = await ifThere(runner.run({ text: READ_CHANGE }, []))
  const value = rows?.[0]?.[0]
  return value === undefined || value === null ? undefined : (JSON.parse(value) as Pending)
}

/** Keeps it; nothing where the database has no table of facts yet. */
export async function keepPending(runner: Runner, pending: Pending): Promise<void> {
  await ifThere(runner.run({ text: KEEP_CHANGE }, [JSON.stringify(pending)]))
}

/** Nothing is left to take back. */
export async function forgetPending(runner: Runner): Promise<void> {
  await ifThere(runner.run({ text: FORGET_CHANGE }, []))
}

const SERVED = 'served'

/** A level that takes a few milliseconds for what the tightest one needs a second for, and is a sixth larger. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** What stands before the description: `<its hash>:<the hash of what it was made from>`. */
const headSql = (value: string): string => `split_part(${value}, ' ', 1)`
const hashSql = (value: string): string => `split_part(${headSql(value)}, ':', 1)`

const KEEP_SERVED = `insert into ${TABLE} as held (name, value) values ('${SERVED}', $1)
  on conflict (name) do update set value = excluded.value, created_at = now()
  where ${hashSql('held.value')} <> ${hashSql('excluded.value')}`

/** The same is served as before, and was made from something else: when it began stays. */
const NOTE_SERVED = `update ${TABLE} set value = $1 || substr(value, position(' ' in value))
  where name = '${SERVED}' and ${hashSql('value')} = $2`

const READ_HEAD = `select ${headSql('value')} from ${TABLE} where name = '${SERVED}'`

const READ_SERVED = `select value, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') from ${TABLE} where name = '${SERVED}'`

/**
 * Writes down what is served from now on; of several who serve at once, the one that began last. Nothing where it stands
 * there already, and nothing is described where the last description was made from the same: `from` is a hash of that.
 */
export async function keepServed(
  runner: Runner,
  from: string,
  describe: () => string | Promise<string>,
): Promise<void> {
  const [[standing] = []] = await runner.run({ text: READ_HEAD }, [])
  const [known, madeFrom] = standing?.split(':') ?? []
  if (madeFrom === from) return
  const text = await describe()
  const hash = createHash('sha256').update(text).digest('hex')
  const head = `${hash}:${from}`
  if (hash === known) {
    await runner.run({ text: NOTE_SERVED }, [head, hash])
    return
  }
  const packed = await promisify(brotliCompress)(text, COMPRESSION)
  await runner.run({ text: KEEP_SERVED }, [`${head} ${packed.toString('base64')}`])
}

/** What was served last, and since when (UTC); undefined where nothing was yet. */
export async function servedLast(
  runner: Runner,
): Promise<{ readonly text: string; readonly since: string } | undefined> {
  const rows = await ifThere(runner.run({ text: READ_SERVED }, []))
  const [value, since] = rows?.[0] ?? []
  if (value === undefined || value === null || since === undefined || since === null) return undefined
  const packed = Buffer.from(value.slice(value.indexOf(' ') + 1), 'base64')
  return { text: (await promisify(brotliDecompress)(packed)).toString('utf8'), since }
}
