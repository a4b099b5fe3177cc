/** The quota of an account ⇄: what it has created is counted in the transaction that creates it, so that no race passes it by much. */
import type { Actor } from '../actor.ts'
import type { Runner } from '../database/database.ts'
import { ApiError } from '../error.ts'
import type { Json } from '../json.ts'

/** What is about to be stored. */
interface Stored {
  readonly records: number
  readonly bytes: number
}

/** The row is locked until the transaction ends: requests of one account are counted one after the other. */
const COUNT = `insert into plinth_quota as q (account, records, bytes)
  select $1::int, $2::bigint, $3::bigint where $2::bigint <= $4::bigint and $3::bigint <= $5::bigint
  on conflict (account) do update set records = q.records + excluded.records, bytes = q.bytes + excluded.bytes
    where q.records + excluded.records <= $4::bigint and q.bytes + excluded.bytes <= $5::bigint
  returning 1`

/** Counts what the account stores, in the open transaction; throws forbidden where that is more than its quota. */
export async function countStored(
  { actor, transaction }: { readonly actor: Actor; readonly transaction: Runner },
  { bytes, records }: Stored,
): Promise<void> {
  const { id, quota } = actor
  if (quota === undefined) return
  const values = [id, records, bytes, quota.records, quota.bytes]
  const rows = await transaction.run({ text: COUNT, name: 'plinth quota' }, values)
  if (rows.length > 0) return
  const most = `${quota.records} records and ${quota.bytes} bytes`
  throw new ApiError('forbidden', {
    message: `An account that registered itself stores at most ${most} until it is approved, and this would be more`,
  })
}

/** Counts records with the values that they are created from. */
export async function countCreated(
  around: { readonly actor: Actor; readonly transaction: Runner },
  records: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  if (around.actor.quota === undefined || records.length === 0) return
  const bytes = records.reduce((sum, values) => sum + Buffer.byteLength(JSON.stringify(values as Json)), 0)
  await countStored(around, { records: records.length, bytes })
}
