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

const KEEP = `insert into ${TABLE} as held (name, value) values ('${NAME}', $1)
  on conflict (name) do update set value = excluded.value, created_at = now()
  where split_part(held.value, ' ', 1) <> split_part(excluded.value, ' ', 1)`

const MARK = `select split_part(value, ' ', 1) from ${TABLE} where name = '${NAME}'`

const READ = `select value, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') from ${TABLE} where name = '${NAME}'`

/** Writes down what is served from now on; of several who serve at once, the one that began last. Nothing where it stands there already. */
export async function keepServed(runner: Runner, text: string): Promise<void> {
  const mark = createHash('sha256').update(text).digest('hex')
  const [known] = await runner.run({ text: MARK }, [])
  if (known?.[0] === mark) return
  const packed = await promisify(brotliCompress)(text, COMPRESSION)
  await runner.run({ text: KEEP }, [`${mark} ${packed.toString('base64')}`])
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
