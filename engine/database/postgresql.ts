/** Opens a PostgreSQL server: one ordinary pool, and one on which statements are planned once. */
import type pg from 'pg'
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import type { Database, Runner, Statement } from './database.ts'
import { failureCode, type NoteFailure, outageLog } from './failure.ts'
import { Client, COLUMN_TYPES, Pool } from './pg.ts'
import { type Connections, knexOver, longestWait, pooledRunner, poolUses, takesWrites, watchErrors } from './pool.ts'
import { sessionPresence } from './presence.ts'
import { cancelling, createSessions } from './sessions.ts'
import { createWatch, type Watch } from './silence-watch.ts'
import { inTransaction } from './transaction.ts'

/** A setting for the probe: the server keeps any setting with a dot in its name, for one session. */
const SETTING = 'plinth.probe'

/**
 * Whether two connections share a session of the server. Each writes its name into its session, and then reads it back:
 * behind PgBouncer with `pool_mode = transaction` it finds the name of the other one.
 */
async function poolsTransactions(config: pg.ClientConfig): Promise<boolean> {
  const [one, two] = [new Client(config), new Client(config)]
  for (const client of [one, two]) client.on('error', () => {})
  try {
    await Promise.all([one.connect(), two.connect()])
    for (const [name, client] of Object.entries({ one, two })) await client.query(`set ${SETTING} = '${name}'`)
    for (const [name, client] of Object.entries({ one, two })) {
      const { rows } = await client.query<{ found: string | null }>(
        `select current_setting('${SETTING}', true) as found`,
      )
      if (rows[0]?.found !== name) return true
    }
    return false
  } finally {
    await Promise.allSettled([one.end(), two.end()])
  }
}

const OLDEST_VERSION = 150_000
/** Past its server-side timeout a statement gets this long to be reported, then its connection is given up. */
const GRACE_MS = 3_000

/** Session settings of every connection; TimeZone and DateStyle decide how times read as text. */
const SESSION: Readonly<Record<string, string>> = {
  statement_timeout: String(LIMITS.statementMs),
  lock_timeout: String(LIMITS.lockMs),
  idle_in_transaction_session_timeout: String(LIMITS.statementMs * 3),
  jit: 'off',
  DateStyle: 'ISO',
  TimeZone: 'UTC',
}

/** Nothing writes there by mistake, whatever the URL of the replica names. */
const READ_ONLY: Readonly<Record<string, string>> = { ...SESSION, default_transaction_read_only: 'on' }

const GENERIC_PLANS: Readonly<Record<string, string>> = { ...SESSION, plan_cache_mode: 'force_generic_plan' }

interface Server {
  readonly version: string
  readonly where: string
  readonly maxConnections: number
  /** Whether session settings arrive with the start of a connection; behind some poolers they have to be SET. */
  readonly takesOptions: boolean
}

/** The URL without its `options`, and those options, so that ours can come before them. */
function splitOptions(databaseUrl: string): { readonly connectionString: string; readonly own: string } {
  if (!URL.canParse(databaseUrl)) return { connectionString: databaseUrl, own: '' }
  const url = new URL(databaseUrl)
  const own = url.searchParams.get('options') ?? ''
  url.searchParams.delete('options')
  return { connectionString: url.href, own }
}

function startOptions(session: Readonly<Record<string, string>>, own: string): string {
  const ours = Object.entries(session).map(([name, value]) => `-c ${name}=${value}`)
  // The last one wins: options of the operator override our limits, but not the format of times.
  return [...ours, own, '-c TimeZone=UTC -c DateStyle=ISO'].filter(Boolean).join(' ')
}

function poolConfig(
  databaseUrl: string,
  session: Readonly<Record<string, string>>,
  takesOptions: boolean,
  acquireMs: number = LIMITS.acquireMs,
): pg.PoolConfig {
  const { connectionString, own } = splitOptions(databaseUrl)
  const common: pg.PoolConfig = {
    connectionString,
    fallback_application_name: 'plinth',
    types: COLUMN_TYPES,
    connectionTimeoutMillis: acquireMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    maxLifetimeSeconds: 3600,
  }
  if (takesOptions) return { ...common, options: startOptions(session, own) }
  const sets = Object.entries(session).map(([name, value]) => `set ${name} = '${value}'`)
  return { ...common, ...(own ? { options: own } : {}), onConnect: (client) => client.query(sets.join('; ')) }
}

async function ask(databaseUrl: string, takesOptions: boolean): Promise<Server | undefined> {
  const pool = new Pool({ ...poolConfig(databaseUrl, GENERIC_PLANS, takesOptions), max: 1 })
  pool.on('error', () => {})
  try {
    const { rows } = await pool.query<Record<string, string>>(`select current_setting('server_version') as version,
      current_setting('server_version_num') as number, current_setting('server_encoding') as encoding,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as connections,
      current_setting('plan_cache_mode') as plans, current_setting('TimeZone') as zone, current_database() as name`)
    const row = rows[0] ?? {}
    if (Number(row.number) < OLDEST_VERSION)
      throw new Error(`PostgreSQL ${row.version} is too old: 15 is the oldest that works.`)
    if (row.encoding !== 'UTF8')
      throw new Error(`The database ${row.name} has the encoding ${row.encoding}: create it with UTF8.`)
    if (row.plans !== 'force_generic_plan' || row.zone !== 'UTC') return undefined
    const host = URL.canParse(databaseUrl) ? new URL(databaseUrl).hostname : ''
    return {
      version: row.version?.split(' ')[0] ?? '',
      where: `${host || 'local socket'}/${row.name}`,
      maxConnections: Number(row.connections),
      takesOptions,
    }
  } catch (error) {
    // PgBouncer refuses start parameters that it does not know.
    if (takesOptions && error instanceof Error && /unsupported startup parameter/i.test(error.message)) return undefined
    throw error
  } finally {
    await pool.end()
  }
}

/** So many connections make two pools of two. */
const SPLIT_FROM = 4

/**
 * Connections of one instance over both pools: DATABASE_POOL if set, else a fifth of what the server allows,
 * between 4 and 20, so that four instances and a person with psql fit on a server as installed. Fewer than 4 are one
 * pool for everything: a start holds one for its lock while it works on another.
 */
export function poolSizes(
  maxConnections: number,
  wanted: number | undefined,
): { readonly compiled: number; readonly ordinary: number } {
  const total = wanted ?? Math.min(20, Math.max(4, Math.floor(maxConnections / 5)))
  const compiled = total < SPLIT_FROM ? 0 : Math.ceil(total / 2)
  return { compiled, ordinary: total - compiled }
}

function open(config: pg.PoolConfig, max: number, note: NoteFailure, watch: Watch): Connections {
  return watchErrors({ pool: new Pool({ ...config, max }), note }, watch)
}

/** The connection of the watch. */
function plainly(databaseUrl: string): pg.ClientConfig {
  const { connectionString } = splitOptions(databaseUrl)
  return { connectionString, fallback_application_name: 'plinth' }
}

/** The watch over the connections to one server. */
function watchOver(databaseUrl: string): Watch {
  return createWatch(plainly(databaseUrl), LIMITS.statementMs + GRACE_MS)
}

/**
 * Whether session settings arrive at the replica with the start of a connection; one that is out now may be back later.
 */
async function replicaTakesOptions(replicaUrl: string, log: Logger, otherwise: boolean): Promise<boolean> {
  try {
    return (await ask(replicaUrl, true)) !== undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    log.warn({ reason }, 'the replica does not answer; until it does, its reads go to the server itself')
    return otherwise
  }
}

/**
 * The properties of the server, with the session settings that it takes at connecting or, behind some poolers, after
 * it.
 */
async function reach(databaseUrl: string, log: Logger): Promise<Server> {
  const server = (await ask(databaseUrl, true)) ?? (await ask(databaseUrl, false))
  if (server === undefined)
    throw new Error(
      'The database server, or the pooler in front of it, refuses the session settings TimeZone and plan_cache_mode.',
    )
  if (server.takesOptions) return server
  if (await poolsTransactions(plainly(databaseUrl)))
    throw new Error(
      'The pooler in front of the database gives each transaction another session (pool_mode = transaction). Plinth prepares statements and takes locks that belong to a session: let it pool sessions for this database (pool_mode = session), or name the server itself in DATABASE_URL.',
    )
  log.info({}, 'a pooler stands in front of the database: session settings are SET after connecting')
  return server
}

/** The connections to a replica, which may be out now and back later. */
async function openReplica(replicaUrl: string, server: Server, size: number, log: Logger) {
  const watch = watchOver(replicaUrl)
  const takesOptions = await replicaTakesOptions(replicaUrl, log, server.takesOptions)
  return { watch, connections: open(poolConfig(replicaUrl, READ_ONLY, takesOptions), size, outageLog(log), watch) }
}

/**
 * Connects to the server of a URL, and to its replica where there is one; rejects with a sentence when the server is out
 * of reach, too old, or not UTF8.
 */
export async function openPostgresql(
  databaseUrl: string,
  replicaUrl: string | undefined,
  wantedPool: number | undefined,
  log: Logger,
  acquireMs: number = LIMITS.acquireMs,
): Promise<Database> {
  const server = await reach(databaseUrl, log)
  const sizes = poolSizes(server.maxConnections, wantedPool)
  const note = outageLog(log)
  const watch = watchOver(databaseUrl)
  const pooled = (session: Readonly<Record<string, string>>, size: number): Connections =>
    open(poolConfig(databaseUrl, session, server.takesOptions, acquireMs), size, note, watch)
  const ordinary = pooled(SESSION, sizes.ordinary)
  const generic = sizes.compiled === 0 ? ordinary : pooled(GENERIC_PLANS, sizes.compiled)
  const knex = knexOver(ordinary)
  const adhoc = pooledRunner(ordinary)
  const sessions = createSessions(ordinary, {
    unlimited: 'set statement_timeout = 0; set lock_timeout = 0',
    cancel: cancelling(plainly(databaseUrl)),
  })
  const presence = sessionPresence(plainly(databaseUrl), adhoc)
  const replica = replicaUrl === undefined ? undefined : await openReplica(replicaUrl, server, sizes.ordinary, log)
  return Object.freeze<Database>({
    kind: 'postgresql',
    description: `PostgreSQL ${server.version} at ${server.where}`,
    knex,
    compiled: pooledRunner(generic),
    adhoc,
    lagging: replica === undefined ? adhoc : laggingRunner(pooledRunner(replica.connections), adhoc),
    transaction: (work) => inTransaction(knex, ordinary, work),
    session: sessions.run,
    interrupt: sessions.interrupt,
    presence,
    connections: () => poolUses({ ordinary, compiled: generic, ...(replica && { replica: replica.connections }) }),
    waited: longestWait(generic === ordinary ? [ordinary] : [ordinary, generic]),
    ping: async () => {
      if (!(await takesWrites(ordinary))) throw new Error('the database takes no writes: it is read-only, or a standby')
    },
    close: async () => {
      watch.stop()
      replica?.watch.stop()
      await presence.close()
      await knex.destroy()
      const pools = new Set([ordinary.pool, generic.pool, ...(replica === undefined ? [] : [replica.connections.pool])])
      await Promise.all([...pools].map((pool) => pool.end()))
    },
  })
}

/** The replica has not heard of a migration yet: a table, a column, a function. */
const BEHIND: ReadonlySet<string | undefined> = new Set(['42P01', '42703', '42883'])
/**
 * A statement that ran out of time would only run out of it again, on the server that has more to do; and one that
 * writes does not belong here, so the server must not carry it out.
 */
const FINAL: ReadonlySet<string | undefined> = new Set(['57014', '25006'])

/** Whether the server itself may answer a statement that failed on the replica. */
function mayAnswer(error: unknown): boolean {
  const code = failureCode(error)
  if (BEHIND.has(code)) return true
  return error instanceof ApiError && error.code === 'unavailable' && !FINAL.has(code)
}

/**
 * A runner on `replica` that turns to `server` when the replica is out, cancels for its replay, or lags behind a
 * migration.
 */
export function laggingRunner(replica: Runner, server: Runner): Runner {
  return Object.freeze({
    async run(statement: Statement, values: readonly unknown[]) {
      try {
        return await replica.run(statement, values)
      } catch (error) {
        if (mayAnswer(error)) return server.run(statement, values)
        throw error
      }
    },
  })
}
