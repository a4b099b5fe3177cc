/** Replay ⇄: deliveries are queued again, and those that were never made are made. */
import { invalid, type Json, type RouteContext, type Transaction } from '../../engine/index.ts'
import { tablesOf } from './tables.ts'
import { queueFor, webhooksIn } from './webhook.ts'

type Inside = RouteContext & { readonly transaction: Transaction }

/** So many changes of one resource that were never queued are queued by one request; who needs more asks again. */
const MOST = 10_000

const AGAIN = `status = 'pending', attempts_made = 0, next_attempt_at = clock_timestamp(), queued_at = clock_timestamp(),
  leased_until = null, ended_at = null`

/** Everything since a moment; gives how many deliveries wait for it, or undefined where the webhook is off. */
export async function replaySince(context: Inside, id: number, since: string): Promise<number | undefined> {
  const { transaction } = context
  const { deliveries } = tablesOf(context)
  if (!(await isOn(context, id))) return undefined
  const again = await transaction.run(
    {
      text: `update ${deliveries} set ${AGAIN} where webhook_id = $1::int and occurred_at >= $2::timestamptz
        and change_id is not null and status <> 'pending' returning 1`,
    },
    [id, since],
  )
  const queued = await queueFor(context, transaction, await webhooksIn(context, transaction, id), () => ({
    since,
    most: MOST,
  }))
  return again.length + queued
}

/** These deliveries, of this webhook; a 422 names those that are not its own. */
export async function replayByIds(context: Inside, id: number, written: Json | undefined): Promise<number | undefined> {
  const { transaction } = context
  const { deliveries } = tablesOf(context)
  const ids = Array.isArray(written) ? written.map(Number) : []
  if (!(await isOn(context, id))) return undefined
  const known = await transaction.run(
    { text: `select id from ${deliveries} where webhook_id = $1::int and id = any($2::int[])` },
    [id, ids],
  )
  const own = new Set(known.map(([one]) => Number(one)))
  const others = ids.filter((one) => !own.has(one))
  if (others.length > 0) throw invalid({ deliveries: [`The webhook has no delivery ${others.join(', ')}`] })
  const text = `update ${deliveries} set ${AGAIN} where id = any($1::int[]) and status <> 'pending' returning 1`
  return (await transaction.run({ text }, [ids])).length
}

async function isOn(context: Inside, id: number): Promise<boolean> {
  const { webhooks } = tablesOf(context)
  const [row] = await context.transaction.run({ text: `select active from ${webhooks} where id = $1::int` }, [id])
  return row?.[0] === 't'
}
