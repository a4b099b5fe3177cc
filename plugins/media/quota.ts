/** The bytes that each account may store in a day ⇄; counted in the transaction that records the file. */
import { ApiError, type RouteContext, type Transaction } from '../../engine/index.ts'

const DAY_MS = 86_400_000

type Surroundings = Pick<RouteContext, 'actor' | 'catalog' | 'now' | 'options'>

/**
 * Throws too_many_requests where the count so far does not allow a file: before it is stored, and not yet for certain.
 */
export async function refuseBeyondQuota(context: Surroundings & Pick<RouteContext, 'database'>, bytes: number) {
  const row = await context.database
    .knex(tableOf(context))
    .where({ account: accountOf(context), day: dayOf(context.now()) })
    .first('bytes')
  if (Number(row?.bytes ?? 0) + bytes > limitOf(context)) throw beyond(context)
}

/**
 * Counts a file. The row of the account is locked until the transaction ends, so that simultaneous uploads of one
 * account are counted in turn; a file that is refused afterwards is not counted.
 */
export async function countInDay(context: Surroundings & { readonly transaction: Transaction }, bytes: number) {
  const counted = 'case when u.day = excluded.day then u.bytes + excluded.bytes else excluded.bytes end'
  const { rowCount } = await context.transaction.knex.raw<{ readonly rowCount: number }>(
    `insert into ?? as u (account, day, bytes) select ?::int, ?::date, ?::bigint where ?::bigint <= ?::bigint
     on conflict (account) do update set day = excluded.day, bytes = ${counted} where ${counted} <= ?::bigint`,
    [tableOf(context), accountOf(context), dayOf(context.now()), bytes, bytes, limitOf(context), limitOf(context)],
  )
  if (rowCount === 0) throw beyond(context)
}

function accountOf({ actor }: Surroundings): number {
  return actor.id ?? 0
}

function limitOf({ options }: Surroundings): number {
  return Number(options.daily_bytes)
}

function tableOf({ catalog }: Pick<Surroundings, 'catalog'>): string {
  return catalog.resources.get('media_uses')!.table
}

/** A day in UTC. */
export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}

/** With the seconds until the next day. */
function beyond(context: Surroundings): ApiError {
  const left = DAY_MS - (context.now().getTime() % DAY_MS)
  const message = `This account may store ${limitOf(context)} bytes of files in a day (UTC), and this file is more than what is left of them`
  return new ApiError('too_many_requests', { message, retryAfter: Math.ceil(left / 1000) })
}
