/**
 * Facts of the whole application ⇄, rows of `plinth_fact`: its id, the change that is under way, what is served, and the
 * version of the program that wrote it.
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import type { Database, Runner } from '../../database/database.ts'
import { ifThere } from '../../database/failure.ts'
import { quoted as q } from '../../filter/sql.ts'
import type { Program } from '../../program.ts'
import { isInRange } from '../../text/version.ts'
import type { Command } from '../step.ts'
import { FACT_TABLE } from './engine-tables.ts'

const TABLE = q(FACT_TABLE.name)

/** Writes the id only where there is none, and returns the stored one, also when several processes start at once. */
const KEEP_INSTANCE = `insert into ${TABLE} as held (name, value) values ('instance', $1)
  on conflict (name) do update set value = held.value returning value`

/** The id of the application whose database this is; `newId` makes it at the first start. */
export async function applicationId(database: Database, newId: () => string): Promise<string> {
  const text = `select value from ${TABLE} where name = 'instance'`
  const [known] = await database.adhoc.run({ text }, [])
  const [row] = known === undefined ? await database.adhoc.run({ text: KEEP_INSTANCE }, [newId()]) : [known]
  if (row?.[0] === null || row?.[0] === undefined) throw new Error('the database gave no instance id')
  return row[0]
}

/** A change on its way. */
export interface Pending {
  /** The hash of the wanted catalog. */
  readonly catalog: string
  /** The statements that undo it, in this order; each may run more than once. */
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

/** Stores the change; does nothing where the database has no table of facts yet. */
export async function keepPending(runner: Runner, pending: Pending): Promise<void> {
  await ifThere(runner.run({ text: KEEP_CHANGE }, [JSON.stringify(pending)]))
}

/** Nothing is left to take back. */
export async function forgetPending(runner: Runner): Promise<void> {
  await ifThere(runner.run({ text: FORGET_CHANGE }, []))
}

const SERVED = 'served'
const SERVED_FILES = 'served_files'

/** A level that needs milliseconds where the tightest one needs a second; the result is a sixth larger. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** The head of the stored text: `<hash of the description>:<hash of its sources>`. */
const headSql = (value: string): string => `split_part(${value}, ' ', 1)`
const hashSql = (value: string): string => `split_part(${headSql(value)}, ':', 1)`

const KEEP_SERVED = `insert into ${TABLE} as held (name, value) values ('${SERVED}', $1)
  on conflict (name) do update set value = excluded.value, created_at = now()
  where ${hashSql('held.value')} <> ${hashSql('excluded.value')}`

/** The description is the same and its sources are others: the time stays. */
const NOTE_SERVED = `update ${TABLE} set value = $1 || substr(value, position(' ' in value))
  where name = '${SERVED}' and ${hashSql('value')} = $2`

const READ_HEAD = `select ${headSql('value')} from ${TABLE} where name = '${SERVED}'`

const SINCE = `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI')`

const READ_SERVED = `select value, ${SINCE} from ${TABLE} where name = '${SERVED}'`

const READ_SINCE = `select ${SINCE} from ${TABLE} where name = '${SERVED}' and split_part(${headSql('value')}, ':', 2) = $1`

/**
 * Stores the description of what is served from now on; of several instances, that of the last one to begin. `from` is a
 * hash of the sources: where it is stored already, nothing is described. Without a description what is stored stays.
 */
export async function keepServed(
  runner: Runner,
  from: string,
  describe: () => string | undefined | Promise<string | undefined>,
): Promise<void> {
  const [[standing] = []] = await runner.run({ text: READ_HEAD }, [])
  const [known, madeFrom] = standing?.split(':') ?? []
  if (madeFrom === from) return
  const text = await describe()
  if (text === undefined) return
  const hash = createHash('sha256').update(text).digest('hex')
  const head = `${hash}:${from}`
  if (hash === known) {
    await runner.run({ text: NOTE_SERVED }, [head, hash])
    return
  }
  await runner.run({ text: KEEP_SERVED }, [`${head} ${await packedText(text)}`])
}

const KEEP_FILES = `insert into ${TABLE} (name, value) values ('${SERVED_FILES}', $1)
  on conflict (name) do update set value = excluded.value, created_at = now()`

/** Only those of the description that is stored. */
const READ_FILES = `select files.value from ${TABLE} files join ${TABLE} served on served.name = '${SERVED}'
  where files.name = '${SERVED_FILES}' and split_part(files.value, ' ', 1) = split_part(${headSql('served.value')}, ':', 2)`

/** Stores the files that are described next; `from` is the hash that `keepServed` gets with their description. */
export async function keepServedFiles(runner: Runner, from: string, text: string): Promise<void> {
  await runner.run({ text: KEEP_FILES }, [`${from} ${await packedText(text)}`])
}

/** The files of the last stored description, as text; undefined where they are not stored. */
export async function servedFiles(runner: Runner): Promise<string | undefined> {
  const rows = await ifThere(runner.run({ text: READ_FILES }, []))
  const value = rows?.[0]?.[0]
  return value === undefined || value === null ? undefined : unpackedText(value)
}

async function packedText(text: string): Promise<string> {
  return (await promisify(brotliCompress)(text, COMPRESSION)).toString('base64')
}

/** The text behind the first blank of a stored value. */
async function unpackedText(value: string): Promise<string> {
  const packed = Buffer.from(value.slice(value.indexOf(' ') + 1), 'base64')
  return (await promisify(brotliDecompress)(packed)).toString('utf8')
}

/** Since when what `keepServed` got with this hash is served; undefined where the last stored description is another one. */
export async function servedSince(runner: Runner, from: string): Promise<string | undefined> {
  const rows = await ifThere(runner.run({ text: READ_SINCE }, [from]))
  return rows?.[0]?.[0] ?? undefined
}

/** The last stored description, and since when it is served (UTC); undefined where there is none. */
export async function servedLast(
  runner: Runner,
): Promise<{ readonly text: string; readonly since: string } | undefined> {
  const rows = await ifThere(runner.run({ text: READ_SERVED }, []))
  const [value, since] = rows?.[0] ?? []
  if (value === undefined || value === null || since === undefined || since === null) return undefined
  return { text: await unpackedText(value), since }
}

export interface WrittenBy extends Program {
  /** UTC, to the minute. */
  readonly since: string
}

/** The first version that says that it wrote a database. */
const FIRST_TOLD = '0.3.0'

const READ_PROGRAM = `select value, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') from ${TABLE} where name = 'program'`
const KEEP_PROGRAM = `insert into ${TABLE} (name, value) values ('program', $1)
  on conflict (name) do update set value = excluded.value, created_at = now()`

/** The newest version that wrote to a database; `earlier` before the versions that say so, undefined before the first. */
export async function writtenBy(runner: Runner): Promise<WrittenBy | 'earlier' | undefined> {
  const rows = await ifThere(runner.run({ text: READ_PROGRAM }, []))
  if (rows === undefined) return undefined
  const [value, since] = rows[0] ?? []
  if (value === undefined || value === null) return 'earlier'
  return { ...(JSON.parse(value) as Program), since: since ?? '' }
}

/** Writes down that a version begins to write; an older one that serves again leaves what is there. */
export async function keepProgram(runner: Runner, program: Program): Promise<void> {
  const before = await writtenBy(runner)
  const isNewer = typeof before !== 'object' || isInRange(program.version, `>${before.version}`) === true
  if (isNewer) await runner.run({ text: KEEP_PROGRAM }, [JSON.stringify(program)])
}

/** Throws a sentence where the version is too old for what a newer one wrote. */
export async function refuseOlderProgram(runner: Runner, { version }: Program): Promise<void> {
  const written = await writtenBy(runner)
  if (typeof written !== 'object' || isInRange(version, `>=${written.oldest}`) !== false) return
  throw new Error(
    `Plinth ${written.version} has written to this database since ${written.since} UTC, and this is ${version}, which is too old for it. Nothing was changed. Run npm install plinth@${written.version}; ${written.oldest} is the oldest version that can serve it.`,
  )
}

/** The sentence about the versions of the data and of the program; undefined where they are the same. */
export function versionSentence(written: WrittenBy | 'earlier' | undefined, { version }: Program): string | undefined {
  if (written === undefined || (typeof written === 'object' && written.version === version)) return undefined
  const by =
    written === 'earlier' ? `a Plinth before ${FIRST_TOLD}` : `Plinth ${written.version} since ${written.since} UTC`
  return `The data was written by ${by}; this is Plinth ${version}.`
}
