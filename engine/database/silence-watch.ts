/**
 * Watches every statement that waits for an answer ⇄. A silent connection is destroyed, so that its caller gets an error at
 * once and the pool opens another one: after a network fault TCP itself would wait for many minutes.
 */
import type pg from 'pg'
import { LIMITS } from '../limits.ts'
import { isConnectionLost } from './failure.ts'
import { Client } from './pg.ts'
import { began, ended, type Running, watchClient } from './statement.ts'

type Callback = (error: Error | null, result?: unknown) => void

/** Connections on which a statement of Knex failed in a way that says they are of no further use. */
export const lostClients = new WeakSet<pg.ClientBase>()

/** Notes every statement that libraries send over a connection, such as Knex with its BEGIN and COMMIT. */
function noteQueries(client: pg.ClientBase, query: (...words: readonly unknown[]) => unknown): void {
  const noted = (first: unknown, ...rest: readonly unknown[]): unknown => {
    // An object with `submit` reads its own answer, and a stream may take its time.
    if (typeof first === 'object' && first !== null && 'submit' in first) return query(first, ...rest)
    const entry = began(client, false)
    const failed = (error: unknown): void => {
      ended(entry)
      if (isConnectionLost(error)) lostClients.add(client)
    }
    const at = rest.findLastIndex((word) => typeof word === 'function')
    if (at === -1) {
      const answer = query(first, ...rest) as Promise<unknown>
      answer.then(
        () => ended(entry),
        (error: unknown) => failed(error),
      )
      return answer
    }
    const done = rest[at] as Callback
    const answered: Callback = (error, result) => {
      if (error === null || error === undefined) ended(entry)
      else failed(error)
      done(error, result)
    }
    return query(first, ...rest.with(at, answered))
  }
  Object.assign(client, { query: noted })
}

function destroy({ client }: Running): void {
  const { connection } = client as pg.ClientBase & { readonly connection?: pg.Connection }
  const gone = Object.assign(new Error('Connection terminated: no answer in time'), { code: 'ETIMEDOUT' })
  connection?.stream.destroy(gone)
}

function processOf({ client }: Running): number | null {
  return (client as pg.ClientBase & { readonly processID?: number | null }).processID ?? null
}

/**
 * The backends among `processes` that work on a statement, asked over a separate connection; rejects when the server does
 * not answer. undefined: a pooler in front has other numbers, so the answer is unknown.
 */
async function askAtWork(
  config: pg.ClientConfig,
  processes: readonly number[],
): Promise<ReadonlySet<number> | undefined> {
  const client = new Client({ ...config, connectionTimeoutMillis: LIMITS.probeMs, query_timeout: LIMITS.probeMs })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ own: number; active: number[] }>(
      `select pg_backend_pid() as own, array(select pid from pg_stat_activity
         where pid = any($1::integer[]) and state in ('active', 'fastpath function call')) as active`,
      [processes],
    )
    const [row] = rows
    const own = (client as pg.Client & { readonly processID?: number | null }).processID
    return row === undefined || row.own !== own ? undefined : new Set(row.active)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** One look: destroys connections whose statement has outlived every time-out, or that the server does not work on. */
async function look(running: ReadonlySet<Running>, config: pg.ClientConfig, mostMs: number): Promise<void> {
  const now = performance.now()
  for (const entry of running) if (now - entry.startedAt > mostMs) destroy(entry)
  const silent = [...running].filter(({ startedAt }) => now - startedAt > LIMITS.silentMs)
  if (silent.length === 0) return
  const processes = silent.flatMap((entry) => processOf(entry) ?? [])
  const atWork = await askAtWork(config, processes).catch(() => new Set<number>())
  if (atWork === undefined) return
  for (const entry of silent) {
    if (!running.has(entry)) continue
    const works = atWork.has(processOf(entry) ?? -1)
    // Once more a second later: an answer may just be on its way.
    if (!works && entry.suspected) destroy(entry)
    entry.suspected = !works
  }
}

/** The watch over the connections of one server. */
export interface Watch {
  add(client: pg.ClientBase): void
  stop(): void
}

/**
 * Looks once a second at the statements of the connections that are added; `mostMs` is how long any of them may take.
 */
export function createWatch(config: pg.ClientConfig, mostMs: number): Watch {
  const running = new Set<Running>()
  let looking = false
  const timer = setInterval(() => {
    if (looking || running.size === 0) return
    looking = true
    void look(running, config, mostMs).finally(() => {
      looking = false
    })
  }, LIMITS.watchMs).unref()
  return {
    add(client) {
      const query: (...words: readonly unknown[]) => unknown = client.query.bind(client)
      watchClient(client, running, query)
      noteQueries(client, query)
      client.on('end', () => {
        for (const entry of running) if (entry.client === client) running.delete(entry)
      })
    },
    stop: () => clearInterval(timer),
  }
}
