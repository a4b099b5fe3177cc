/** The lock by which one process at a time changes a database ⇄, and transactions on its connection. */
import { setTimeout } from 'node:timers/promises'
import type { Database, Runner } from '../database/database.ts'

const POLL_MS = 200
const LONGEST_WAIT_MS = 600_000

const LOCK_KEY = `hashtext('plinth ' || current_schema())`

async function takeLock(runner: Runner): Promise<void> {
  // Polled, not waited for: a waiting statement would hold up `create index concurrently` of the one who has the lock.
  for (let waited = 0; ; waited += POLL_MS) {
    const [row] = await runner.run({ text: `select pg_try_advisory_lock(${LOCK_KEY})` }, [])
    if (row?.[0] === 't') return
    if (waited > LONGEST_WAIT_MS) throw new Error('Another instance has been migrating this database for ten minutes.')
    await setTimeout(POLL_MS)
  }
}

/**
 * Takes the one connection of an embedded database when the first statement asks for it, and keeps it until `work` ends;
 * so `work` may use either the runner or the database, never both.
 */
async function embeddedSession<T>(database: Database, work: (runner: Runner) => Promise<T>): Promise<T> {
  let held: Promise<Runner> | undefined
  let session: Promise<void> = Promise.resolve()
  let finish = () => {}
  const take = () =>
    new Promise<Runner>((resolve, reject) => {
      const finished = new Promise<void>((done) => {
        finish = done
      })
      session = database.session((runner) => {
        resolve(runner)
        return finished
      })
      session.catch(reject)
    })
  const runner: Runner = {
    run: async (statement, values) => {
      held ??= take()
      return (await held).run(statement, values)
    },
  }
  try {
    return await work(runner)
  } finally {
    finish()
    await session
  }
}

/**
 * Runs `work` on one connection while no other instance migrates, seeds or starts on the same schema; waits for its
 * turn.
 */
export function exclusively<T>(database: Database, work: (runner: Runner) => Promise<T>): Promise<T> {
  if (database.kind === 'embedded') return embeddedSession(database, work)
  return database.session(async (runner) => {
    await takeLock(runner)
    try {
      return await work(runner)
    } finally {
      await runner.run({ text: `select pg_advisory_unlock(${LOCK_KEY})` }, []).catch(() => {})
    }
  })
}

/** Runs `work` between BEGIN and COMMIT on the runner's connection. */
export async function atomically<T>(runner: Runner, work: () => Promise<T>): Promise<T> {
  await runner.run({ text: 'begin' }, [])
  try {
    const result = await work()
    await runner.run({ text: 'commit' }, [])
    return result
  } catch (error) {
    await runner.run({ text: 'rollback' }, []).catch(() => {})
    throw error
  }
}

/** The statements of a transaction, as they are inside another one. */
const NESTED: Readonly<Record<string, string>> = {
  begin: 'savepoint plinth_part',
  commit: 'release savepoint plinth_part',
  rollback: 'rollback to savepoint plinth_part',
}

/** The same connection inside an open transaction: the transactions of its user become savepoints. */
export function nested(runner: Runner): Runner {
  return {
    run: (statement, values) => runner.run({ ...statement, text: NESTED[statement.text] ?? statement.text }, values),
  }
}
