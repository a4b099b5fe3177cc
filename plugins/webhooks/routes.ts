/** Routes of webhooks: creation with a secret, rotation of the secret, a test, and replay of deliveries. */
import {
  ApiError,
  type FieldDefinition,
  invalid,
  type Json,
  type JsonSchema,
  type Reply,
  type Route,
  type RouteContext,
  type Transaction,
} from '../../engine/index.ts'
import { PING } from './events.ts'
import { PERMISSION } from './owner.ts'
import { newSecret, rotate } from './secrets.ts'
import { tablesOf } from './tables.ts'
import { DELIVER, ONE, queueFor, webhooksIn } from './webhook.ts'

const ACCESS = [{ kind: 'permission', permission: PERMISSION }] as const
const TAG = 'webhooks'
/** An answer with a secret is never stored, not even for a retry with the same Idempotency-Key. */
const UNSTORED = { 'cache-control': 'private, no-store' } as const

const SECRET: JsonSchema = {
  type: 'string',
  pattern: '^whsec_',
  description: 'Not shown again.',
}

const INPUT: Readonly<Record<string, FieldDefinition>> = {
  name: { type: 'string', required: true },
  address: { type: 'url', required: true },
  events: {
    ...{ type: 'list', of: 'string', min_items: 1, max_items: 100, unique_items: true, required: true },
    holds: 'event',
  },
  where: { type: 'json', max_bytes: 10_000, schema: { type: 'object' } },
  active: { type: 'boolean' },
}

/** The id of the webhook in the path, if the caller may see it; else 404. */
async function idOf({ params, records }: RouteContext): Promise<number> {
  return Number((await records('webhooks').get(params.id ?? '')).id)
}

/** `POST /webhooks` */
async function create(context: RouteContext): Promise<Reply> {
  const { secret, sealed } = await newSecret(context)
  const record = await context.records('webhooks').create(context.body, { sealed })
  const location = `${context.catalog.prefix}/webhooks/${record.id}`
  return { status: 201, data: { ...record, secret }, headers: { ...UNSTORED, Location: location } }
}

/** `POST /webhooks/{id}/rotate` */
async function rotateSecret(context: RouteContext): Promise<Reply> {
  const id = await idOf(context)
  const { secret, sealed } = await newSecret(context)
  await rotate(context, context.database.adhoc, id, sealed)
  return { data: { secret }, headers: UNSTORED }
}

/** `POST /webhooks/{id}/test` */
function test(context: RouteContext): Promise<Reply> {
  return context.once(async (inner) => {
    const { deliveries } = tablesOf(inner)
    const text = `insert into ${deliveries} (webhook_id, message_id, event, status, attempts_made, next_attempt_at,
        occurred_at, created_at, queued_at)
      values ($1::int, 'msg_' || replace(gen_random_uuid()::text, '-', ''), $2, 'pending', 0, now(), now(), now(), now())
      returning id, message_id`
    const [row] = await inner.transaction.run({ text }, [await idOf(inner), PING])
    await inner.enqueue(DELIVER, {}, ONE)
    return { status: 202, data: { delivery_id: Number(row?.[0]), message_id: row?.[1] } }
  })
}

/** `POST /webhooks/{id}/replay` */
function replay(context: RouteContext): Promise<Reply> {
  const { deliveries, since } = context.body
  if ((deliveries === undefined) === (since === undefined)) {
    throw invalid({ since: ['Say either since when, or which deliveries are sent again'] })
  }
  return context.once(async (inner) => {
    const id = await idOf(inner)
    const queued =
      typeof since === 'string' ? await replaySince(inner, id, since) : await replayByIds(inner, id, deliveries)
    if (queued === undefined)
      throw new ApiError('conflict', { message: 'The webhook is switched off: switch it on first' })
    if (queued > 0) await inner.enqueue(DELIVER, {}, ONE)
    return { status: 202, data: { queued } }
  })
}

const QUEUED: JsonSchema = {
  type: 'object',
  required: ['queued'],
  properties: { queued: { type: 'integer' } },
}

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/webhooks',
    summary: 'Create a webhook',
    description: 'It is sent what its owner may see: who made or changed it last.',
    tag: TAG,
    access: ACCESS,
    input: INPUT,
    status: 201,
    output: {
      allOf: [
        { $ref: '#/resources/webhooks' },
        { type: 'object', required: ['secret'], properties: { secret: SECRET } },
      ],
    },
    handle: create,
  },
  {
    method: 'POST',
    path: '/webhooks/{id}/rotate',
    summary: 'Give a webhook another secret',
    description: 'The one before signs too, for a day.',
    tag: TAG,
    access: ACCESS,
    body: 'none',
    output: { type: 'object', required: ['secret'], properties: { secret: SECRET } },
    handle: rotateSecret,
  },
  {
    method: 'POST',
    path: '/webhooks/{id}/test',
    summary: 'Send a test to a webhook, whether it is on or off',
    description: `The event \`${PING}\`; see /webhook-deliveries/{id}.`,
    tag: TAG,
    access: ACCESS,
    body: 'none',
    once: true,
    status: 202,
    accepted: {
      type: 'object',
      required: ['delivery_id', 'message_id'],
      properties: { delivery_id: { type: 'integer' }, message_id: { type: 'string' } },
    },
    handle: test,
  },
  {
    method: 'POST',
    path: '/webhooks/{id}/replay',
    summary: 'Send deliveries of a webhook again',
    description:
      '`since`: everything since then, what it missed while it was off too (seven days, 10,000 changes of a resource at once). Each has the `webhook-id` that it had.',
    tag: TAG,
    access: ACCESS,
    input: {
      since: { type: 'timestamp' },
      deliveries: { type: 'list', of: 'integer', min: 1, min_items: 1, max_items: 1000, unique_items: true },
    },
    once: true,
    status: 202,
    accepted: QUEUED,
    handle: replay,
  },
]

type Inside = RouteContext & { readonly transaction: Transaction }

/** Changes of one resource without a delivery that one request queues; a caller who needs more asks again. */
const MOST = 10_000

const AGAIN = `status = 'pending', attempts_made = 0, next_attempt_at = clock_timestamp(), queued_at = clock_timestamp(),
  leased_until = null, ended_at = null`

/**
 * Replays everything since a moment; returns the number of waiting deliveries, or undefined where the webhook is off.
 */
async function replaySince(context: Inside, id: number, since: string): Promise<number | undefined> {
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

/** Replays these deliveries of the webhook; a 422 names those of others. */
async function replayByIds(context: Inside, id: number, written: Json | undefined): Promise<number | undefined> {
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
