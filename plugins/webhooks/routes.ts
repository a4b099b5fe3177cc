/** Routes: a webhook is made with its secret, gets another one, is tested, and is sent again what it missed. */
import {
  ApiError,
  type FieldDefinition,
  invalid,
  type JsonSchema,
  type Reply,
  type Route,
  type RouteContext,
} from '../../engine/index.ts'
import { PING } from './events.ts'
import { DELIVER, ONE } from './listen.ts'
import { PERMISSION } from './owner.ts'
import { replayByIds, replaySince } from './replay.ts'
import { newSecret, rotate } from './secrets.ts'
import { tablesOf } from './tables.ts'

const ACCESS = [{ kind: 'permission', permission: PERMISSION }] as const
const TAG = 'webhooks'
/** An answer with a secret is stored nowhere, not even for a retry with the same Idempotency-Key. */
const UNSTORED = { 'cache-control': 'private, no-store' } as const

const SECRET: JsonSchema = {
  type: 'string',
  pattern: '^whsec_',
  description: 'Not shown again.',
}

const INPUT: Readonly<Record<string, FieldDefinition>> = {
  name: { type: 'string', required: true },
  address: { type: 'url', required: true },
  events: { type: 'list', of: 'string', min_items: 1, max_items: 100, unique_items: true, required: true },
  where: { type: 'json', max_bytes: 10_000, schema: { type: 'object' } },
  active: { type: 'boolean' },
}

/** The id of the webhook that the path names, within what the caller may see; 404 otherwise. */
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
    description: 'The one before signs beside it for a day.',
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
