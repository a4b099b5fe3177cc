/**
 * Statements that run while others use the tables ⇄: locks with a time limit, sessions that hold them, rows in batches.
 */
import { setTimeout } from 'node:timers/promises'
import type { Row, Runner } from '../database/database.ts'
import { failureCode } from '../database/failure.ts'
import { quoted as q } from '../filter/sql.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import { updateOf } from './ddl.ts'
import { atomically } from './exclusive.ts'
import type { History } from './own/step-history.ts'
import type { Batches, Command, Step } from './step.ts'

/** A session with an open transaction. */
export interface OpenSession {
  readonly pid: string
  /** As the session names itself; empty where it does not. */
  readonly application: string
  /** `18:53:01`, UTC; undefined where this user may not see it. */
  readonly since: string | undefined
  readonly idle: boolean
  /** The table that it holds; undefined: its snapshot of any of them. */
  readonly table: string | undefined
}

/** A lock that was not to be had; the message names the sessions that hold it. */
export class Locked extends Error {
  constructor(what: string, sessions: readonly OpenSession[]) {
    super(`${what}: ${sessions.length === 0 ? 'another session holds a lock' : sessions.map(told).join('; ')}`)
  }
}

function told({ pid, application, since, idle, table }: OpenSession): string {
  const name = application === '' ? `process ${pid}` : `process ${pid} (${application})`
  const how = idle ? 'an idle transaction open' : 'a transaction open'
  const when = since === undefined ? '' : ` since ${since} UTC`
  return `${name} has ${how}${when}${table === undefined ? '' : ` that holds ${table}`}`
}

/** Longer than any request takes; PostgreSQL itself ends an autovacuum that is in the way. */
const OPEN = `a.backend_type = 'client backend' and a.pid <> pg_backend_pid() and a.xact_start < clock_timestamp() - interval '1 second'`

const SHOWN = `a.pid, coalesce(a.application_name, ''), to_char(a.xact_start at time zone 'UTC', 'HH24:MI:SS'), a.state like 'idle%'`

const HOLDERS = `select ${SHOWN}, min(c.relname) from pg_locks l join pg_class c on c.oid = l.relation
    join pg_stat_activity a on a.pid = l.pid
  where l.granted and l.locktype = 'relation' and c.relkind in ('r', 'p') and c.relname = any($1::text[])
    and c.relnamespace = current_schema()::regnamespace and a.datname = current_database() and ${OPEN}
  group by a.pid, a.application_name, a.xact_start, a.state order by a.xact_start limit 5`

const SNAPSHOTS = `select ${SHOWN}, null from pg_stat_activity a
  where a.datname = current_database() and (a.backend_xmin is not null or a.backend_xid is not null) and ${OPEN}
  order by a.xact_start limit 5`

function sessionOf([pid, application, since, idle, table]: Row): OpenSession {
  return {
    pid: pid ?? '',
    application: application ?? '',
    since: since ?? undefined,
    idle: idle === 't',
    table: table ?? undefined,
  }
}

/** The sessions whose transactions have held one of the tables for more than a second, the oldest first. */
export async function holdersOf(runner: Runner, tables: readonly string[]): Promise<readonly OpenSession[]> {
  return (await runner.run({ text: HOLDERS }, [tables])).map(sessionOf)
}

/** The sessions whose snapshots are older than a second: an index that is made concurrently waits for them. */
export async function snapshots(runner: Runner): Promise<readonly OpenSession[]> {
  return (await runner.run({ text: SNAPSHOTS }, [])).map(sessionOf)
}

/** Whether another session held a lock for too long, or waited for one of ours. */
export function isInTheWay(error: unknown): boolean {
  const code = failureCode(error)
  return code === '55P03' || code === '40P01'
}

/**
 * A step waits this long for a lock, which every request to the table waits for then; it lets them through, and tries
 * again.
 */
export const LOCK_MS = 500
const POLL_MS = 200
const LONGEST_PAUSE_MS = 1_000
/** For so long in all a change waits for locks of others before it is given up. */
export const PATIENCE_MS = 60_000

/** The context in which the steps of a plan run. */
export interface Taking {
  readonly runner: Runner
  /** Others use the tables at the same time, so that a lock is asked for and not waited for. */
  readonly limited: boolean
  readonly log: Logger
  readonly history: History
  readonly patience: { left: number }
}

/** Waits a moment and takes it off the patience; throws Locked when none is left. */
export async function rest({ patience, runner }: Taking, attempt: number, what: string, tables: readonly string[]) {
  const pause = Math.min(POLL_MS * attempt, LONGEST_PAUSE_MS)
  patience.left -= pause + LOCK_MS
  if (patience.left <= 0) throw new Locked(what, await holdersOf(runner, tables))
  await setTimeout(pause)
}

export const CHANGED_NOTHING = 'Nothing was changed, because the lock of a table could not be had'

/** Does `work` again while others are in the way. */
async function patiently<T>(taking: Taking, tables: readonly string[], work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isInTheWay(error)) throw error
      await rest(taking, attempt, CHANGED_NOTHING, tables)
    }
  }
}

export async function limitLocks({ runner, limited }: Taking, ms: number): Promise<void> {
  if (limited) await runner.run({ text: `set lock_timeout = ${ms}` }, [])
}

/** Makes or drops an index concurrently; it waits for the snapshots of other sessions. */
async function concurrently(text: string, taking: Taking): Promise<void> {
  await limitLocks(taking, Math.max(1, taking.patience.left))
  try {
    await taking.runner.run({ text }, [])
  } catch (error) {
    if (!isInTheWay(error)) throw error
    throw new Locked(
      'Nothing was changed, because an index waits for the transactions of others',
      await snapshots(taking.runner),
    )
  }
}

export async function takeOnline(command: Command, step: Pick<Step, 'title' | 'answer' | 'locks'>, taking: Taking) {
  const { runner, log } = taking
  const tables = step.locks ?? []
  if (typeof command === 'string') {
    // A half-built index is dropped at the next attempt.
    if (command.includes(' concurrently ')) return concurrently(command, taking)
    await limitLocks(taking, LOCK_MS)
    await patiently(taking, tables, () => runner.run({ text: command }, []))
  } else if ('together' in command) {
    await patiently(taking, tables, () => atomically(runner, () => runAll(command.together, taking)))
  } else {
    await limitLocks(taking, LOCK_MS)
    const tell = (rows: number) => log.info({ step: step.title, rows, of: step.answer?.rows }, 'migration progress')
    const run = (text: string, values: readonly unknown[]) =>
      patiently(taking, tables, () => runner.run({ text }, values))
    await inBatches(command.batches, run, tell)
  }
}

async function runAll(texts: readonly string[], { limited, runner }: Taking): Promise<void> {
  if (limited) await runner.run({ text: `set local lock_timeout = ${LOCK_MS}` }, [])
  for (const text of texts) await runner.run({ text }, [])
}

/** The message of the driver, without the values of rows that it adds. */
export function reasonOf(error: unknown): string {
  const { cause } = Object(error) as { readonly cause?: unknown }
  const { hint, message } = Object(cause ?? error) as { readonly hint?: unknown; readonly message?: unknown }
  const reason = String(message ?? error)
  return String(hint).includes('max_locks_per_transaction') ? `${reason}. ${OUT_OF_LOCKS}` : reason
}

/** A transaction keeps one lock for each table, index and sequence that it makes. */
const OUT_OF_LOCKS =
  'The server keeps too few locks for so many tables at once. Raise max_locks_per_transaction in postgresql.conf (256 is enough for some 1,500 tables), restart PostgreSQL, and start again. The change was taken back.'

/** Rows between two words about how far it is. */
const TOLD_EVERY = 50_000

type Run = (text: string, values: readonly unknown[]) => Promise<readonly Row[]>

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
  return `${updating(batches)} from (${valued(batches, keys)}) plinth_batch where ${q(table)}.${q(key)} = plinth_key`
}

/**
 * The statement of one batch: the first rows, or the rows after the key `$1`; it returns the last key and the count of
 * changed rows.
 */
function batchSql(batches: Batches, isFirst: boolean): string {
  const { table, key, keyType, where } = batches
  const behind = isFirst ? '' : `${q(key)} > $1::${keyType} and `
  const first = `select ${q(key)} as plinth_key from ${q(table)} where ${behind}(${where})
    order by ${q(key)} limit ${LIMITS.migrationBatch}`
  return `with plinth_batch as materialized (${valued(batches, first)}),
  plinth_changed as (${updating(batches)} from plinth_batch where ${q(table)}.${q(key)} = plinth_key and (${where}) returning 1)
  select (select plinth_key::text from plinth_batch order by plinth_key desc limit 1), (select count(*) from plinth_changed)`
}

/** Changes the rows from the first to the last; after a kill, the remaining rows are those without the value. */
async function inBatches(batches: Batches, run: Run, tell: (rows: number) => void): Promise<void> {
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
