/** Single reads that arrive together share one statement. The statement starts after the last of them arrived. */
import type { Row } from '../database/database.ts'
import type { Id } from '../id.ts'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'

/** Reads the rows of several ids at once, in any order. */
export type ReadMany = (ids: readonly Id[]) => Promise<readonly Row[]>

/** The row of an id, or undefined; rejects with what its shared statement rejects with. */
export type Gather = (id: Id, read: ReadMany) => Promise<Row | undefined>

interface Waiting {
  readonly id: Id
  readonly resolve: (row: Row | undefined) => void
  readonly reject: (reason: unknown) => void
}

/**
 * A gatherer for one compiled statement whose parameters are ids alone. A few statements run at a time, so a lone
 * request never waits; requests that arrive while all of them are on their way share the next one.
 */
export function createGather(idColumn: number): Gather {
  let waiting: Waiting[] = []
  let running = 0

  async function run(read: ReadMany): Promise<void> {
    running += 1
    while (waiting.length > 0) {
      const served = waiting.slice(0, LIMITS.gatheredReads)
      waiting = waiting.slice(LIMITS.gatheredReads)
      try {
        const rows = await read(served.map(({ id }) => id))
        const byId = new Map(rows.map((row) => [row[idColumn], row]))
        for (const { id, resolve } of served) resolve(byId.get(String(id)))
      } catch (error) {
        for (const { reject } of served) reject(error)
      }
    }
    running -= 1
  }

  return (id, read) =>
    new Promise((resolve, reject) => {
      waiting.push({ id, resolve, reject })
      if (running < LIMITS.gatheringStatements) void run(read)
    })
}

/** The gatherer of a compiled statement whose column 1 is the id; made when it is first asked for. */
export const gatherOf = memo((_compiled: object): Gather => createGather(1))
