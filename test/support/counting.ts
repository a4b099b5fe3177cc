/** A database that tells which statements an application sends. */
import type { Database, Runner } from '../../engine/database/database.ts'

/** The database, with `seen` called for each statement of its runners. */
export function counting(base: Database, seen: (text: string) => void): Database {
  const counted = <T extends Runner>(runner: T): T => ({
    ...runner,
    run: (statement, values) => {
      seen(statement.text)
      return runner.run(statement, values)
    },
  })
  const transaction: Database['transaction'] = (work) => base.transaction((one) => work(counted(one)))
  return { ...base, compiled: counted(base.compiled), adhoc: counted(base.adhoc), transaction }
}
