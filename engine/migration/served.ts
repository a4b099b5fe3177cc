/** What was last served from a database ⇄, as one of the engine's facts. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import type { Runner } from '../database/database.ts'
import { ifThere } from '../database/failure.ts'
import { quoted as q } from '../filter/sql.ts'
import { FACT_TABLE } from './engine-tables.ts'

const NAME = 'served'
const TABLE = q(FACT_TABLE.name)

/** A level that takes a few milliseconds for what the tightest one needs a second for, and is a sixth larger. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** What stands before the description: `<its hash>:<the hash of what it was made from>`. */
const HEAD = (value: string): string => `split_part(${value}, ' ', 1)`
const HASH = (value: string): string => `split_part(${HEAD(value)}, ':', 1)`

const KEEP = `insert into ${TABLE} as held (name, value) values ('${NAME}', $1)
  on conflict (name) do update set value = excluded.value, created_at = now()
  where ${HASH('held.value')} <> ${HASH('excluded.value')}`

/** The same is served as before, and was made from something else: when it began stays. */
const NOTE = `update ${TABLE} set value = $1 || substr(value, position(' ' in value))
  where name = '${NAME}' and ${HASH('value')} = $2`

const STANDING = `select ${HEAD('value')} from ${TABLE} where name = '${NAME}'`

const READ = `select value, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') from ${TABLE} where name = '${NAME}'`

/**
 * Writes down what is served from now on; of several who serve at once, the one that began last. Nothing where it stands
 * there already, and nothing is described where the last description was made from the same: `from` is a hash of that.
 */
export async function keepServed(
  runner: Runner,
  from: string,
  describe: () => string | Promise<string>,
): Promise<void> {
  const [[standing] = []] = await runner.run({ text: STANDING }, [])
  const [known, madeFrom] = standing?.split(':') ?? []
  if (madeFrom === from) return
  const text = await describe()
  const hash = createHash('sha256').update(text).digest('hex')
  const head = `${hash}:${from}`
  if (hash === known) {
    await runner.run({ text: NOTE }, [head, hash])
    return
  }
  const packed = await promisify(brotliCompress)(text, COMPRESSION)
  await runner.run({ text: KEEP }, [`${head} ${packed.toString('base64')}`])
}

/** What was served last, and since when (UTC); undefined where nothing was yet. */
export async function servedLast(
  runner: Runner,
): Promise<{ readonly text: string; readonly since: string } | undefined> {
  const rows = await ifThere(runner.run({ text: READ }, []))
  const [value, since] = rows?.[0] ?? []
  if (value === undefined || value === null || since === undefined || since === null) return undefined
  const packed = Buffer.from(value.slice(value.indexOf(' ') + 1), 'base64')
  return { text: (await promisify(brotliDecompress)(packed)).toString('utf8'), since }
}
