/** ⇄ A dry run: a whole write in a transaction that is taken back. */
import { randomUUID } from 'node:crypto'
import { failureCode } from '../database/failure.ts'
import { ApiError } from '../error.ts'
import { type Execution, inTransaction, type JobInlet, type Within } from './execution.ts'

/** How long a dry run waits for what others hold: somebody looks at a form meanwhile. */
const WAIT = `set local lock_timeout = '200ms'`

/** What is checked at a commit is checked now. */
const CHECK = 'set constraints all immediate'

/** A queue that takes no job. */
const NO_JOBS: JobInlet = {
  add: async (_, { id }) => id ?? randomUUID(),
  addEach: async () => undefined,
  wake: async () => undefined,
}

/** Takes the transaction back with what it gave. */
class TakenBack<T> extends Error {
  readonly result: T

  constructor(result: T) {
    super('a dry run is taken back')
    this.result = result
  }
}

/**
 * Does the work as ever and gives what it gave, but keeps nothing: no row, no job, no change for listeners, nothing left
 * for after the commit. Throws what refuses the work, and conflict where others hold what it needs.
 */
export async function dryRun<T>(outer: Execution, work: (inner: Within) => Promise<T>): Promise<T> {
  const nothing = async (): Promise<void> => undefined
  const around: Execution = {
    ...outer,
    dryRun: true,
    jobs: NO_JOBS,
    changed: nothing,
    logged: () => undefined,
    afterCommit: () => undefined,
  }
  try {
    await inTransaction(around, async (inner) => {
      await inner.transaction.run({ text: WAIT }, [])
      const result = await work({ ...inner, afterCommit: around.afterCommit })
      await inner.transaction.run({ text: CHECK }, [])
      throw new TakenBack(result)
    })
  } catch (error) {
    if (error instanceof TakenBack) return error.result as T
    if (failureCode(error) === '55P03')
      throw new ApiError('conflict', {
        message: 'Not known yet: another change holds what this one needs',
        retryAfter: 1,
      })
    throw error
  }
  throw new Error('a dry run was not taken back')
}
