/** The keys of living processes on a PostgreSQL server ⇄: advisory locks of a separate session of each process. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { LIMITS } from '../limits.ts'
import type { Presence, Runner } from './database.ts'
import { Client } from './pg.ts'

/** 64 bits of a key, away from the numbers of other locks. */
const LOCK = (key: string): string => `hashtextextended('plinth ' || ${key}, 0)`

const TAKE = `select pg_try_advisory_lock(${LOCK('$1::text')})`
const GIVE = `select pg_advisory_unlock(${LOCK('$1::text')})`
/** A lock that this statement can share for a moment is free. */
const HELD = `select key from unnest($1::text[]) as key where not pg_try_advisory_xact_lock_shared(${LOCK('key')})`

/** A presence with an end. */
export interface Session extends Presence {
  close(): Promise<void>
}

/** Keys inside one process, for a database without other processes. */
export function ownPresence(): Presence {
  const keys = new Set<string>()
  return {
    async take(key) {
      if (keys.has(key)) return undefined
      keys.add(key)
      return async () => void keys.delete(key)
    },
    held: async (some) => new Set(some.filter((key) => keys.has(key))),
  }
}

/** An end that a server which is gone need not answer. */
function destroy(client: pg.Client): void {
  const { connection } = client as pg.Client & { readonly connection?: pg.Connection }
  connection?.stream.destroy()
}

/** Takes a lock that other processes may share for a moment to find out whether it is held. */
async function takeAgain(client: pg.Client, key: string): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const { rows } = await client.query<Record<string, boolean>>(TAKE, [key])
    if (rows[0]?.pg_try_advisory_lock === true) return
    await sleep(attempt, undefined, { ref: false })
  }
}

/** A session with the locks of these keys, except those that others have; rejects where the server does not answer. */
async function openSession(config: pg.ClientConfig, keys: Iterable<string>): Promise<pg.Client> {
  const client = new Client({ ...config, connectionTimeoutMillis: LIMITS.probeMs, query_timeout: LIMITS.probeMs })
  client.on('error', () => {})
  try {
    await client.connect()
    for (const key of keys) await takeAgain(client, key)
    return client
  } catch (error) {
    destroy(client)
    throw error
  }
}

/** A session with the locks of `keys`: opened at first use, and again when it was lost while there are keys. */
function sessionOf(config: pg.ClientConfig, keys: ReadonlySet<string>) {
  let session: Promise<pg.Client> | undefined
  let timer: NodeJS.Timeout | undefined
  let asked: Promise<unknown> = Promise.resolve()
  let closed = false

  function opened(): Promise<pg.Client> {
    if (closed) return Promise.reject(new Error('the database is closed'))
    if (session !== undefined) return session
    const opening = openSession(config, keys)
    session = opening
    opening.then(
      (client) => client.once('end', () => void again()),
      () => {
        if (session === opening) session = undefined
      },
    )
    timer ??= setInterval(check, LIMITS.presenceCheckMs).unref()
    return opening
  }
  async function again(): Promise<void> {
    session = undefined
    while (!closed && keys.size > 0 && session === undefined) {
      await sleep(LIMITS.presenceAgainMs, undefined, { ref: false })
      await opened().catch(() => undefined)
    }
  }
  /** One question after the other. */
  function ask(text: string, values: readonly string[] = []): Promise<Record<string, unknown> | undefined> {
    const answer = asked.then(async () => (await (await opened()).query(text, [...values])).rows[0])
    asked = answer.catch(() => {})
    return answer
  }
  /** A session that answers nothing is as good as lost; asking also keeps it open where idle ones are closed. */
  async function check(): Promise<void> {
    const client = await session?.catch(() => undefined)
    if (client !== undefined) await ask('select 1').catch(() => destroy(client))
  }
  return {
    ask,
    async close() {
      closed = true
      clearInterval(timer)
      const client = await session?.catch(() => undefined)
      session = undefined
      if (client !== undefined) destroy(client)
    },
  }
}

/** A presence over one session outside of the pools, which begins with the first key. */
export function sessionPresence(config: pg.ClientConfig, runner: Runner): Session {
  const keys = new Set<string>()
  const session = sessionOf(config, keys)
  return {
    close: session.close,
    async take(key) {
      // The session has it already, and PostgreSQL would give it once more.
      if (keys.has(key)) return undefined
      if ((await session.ask(TAKE, [key]))?.pg_try_advisory_lock !== true) return undefined
      keys.add(key)
      return async () => {
        keys.delete(key)
        await session.ask(GIVE, [key]).catch(() => {})
      }
    },
    async held(some) {
      if (some.length === 0) return new Set()
      return new Set((await runner.run({ text: HELD }, [some])).flatMap(([key]) => key ?? []))
    },
  }
}
