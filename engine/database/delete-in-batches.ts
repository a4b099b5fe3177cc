/** Deletes many rows a batch at a time ⇄, so that no statement runs long and no lock is held for all of them. */
import { LIMITS } from '../limits.ts'
import type { Runner } from './database.ts'

/** The rows of one table for which a condition holds. */
export interface Rows {
  readonly table: string
  /** SQL over the columns of the table, with `$1` … for `values`. */
  readonly where: string
  readonly values: readonly unknown[]
}

/** Deletes the rows; returns how many. Rejects between two batches once `signal` is aborted. */
export async function deleteInBatches(
  runner: Runner,
  { table, where, values }: Rows,
  signal?: AbortSignal,
): Promise<number> {
  const name = `"${table.replace(/"/g, '""')}"`
  const batch = LIMITS.deleteBatch
  const text = `delete from ${name} where ctid = any(array(select ctid from ${name} where ${where} limit ${batch})) returning 1`
  for (let deleted = 0; ; ) {
    signal?.throwIfAborted()
    const { length } = await runner.run({ text }, values)
    deleted += length
    if (length < batch) return deleted
  }
}
