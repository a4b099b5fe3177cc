/** Routes of a person's own notifications: the list, and marking as read. */
import type { JsonSchema, Reply, Route, RouteContext, Row } from '../../../engine/index.ts'

const OWN = [{ kind: 'permission', permission: 'notifications.own' }] as const

const oneOf = (kinds: readonly string[]): JsonSchema => ({
  type: 'object',
  required: ['id', 'type', 'title', 'message', 'data', 'is_read', 'read_at', 'created_at'],
  properties: {
    id: { type: 'integer' },
    type: { type: 'string', enum: kinds },
    title: { type: 'string' },
    message: { type: 'string' },
    data: {
      type: 'object',
      required: ['ticket_id', 'ticket_uid', 'ticket_subject'],
      properties: {
        ticket_id: { type: ['integer', 'null'] },
        ticket_uid: { type: ['string', 'null'] },
        ticket_subject: { type: ['string', 'null'] },
        comment_id: { type: 'integer' },
        conversation_id: { type: 'integer' },
        user_id: { type: 'integer' },
        resource: { type: 'string' },
        record_id: { type: ['integer', 'string'] },
      },
      // Rules name more under `data`.
      additionalProperties: true,
    },
    is_read: { type: 'boolean' },
    read_at: { type: ['string', 'null'], format: 'date-time' },
    created_at: { type: 'string', format: 'date-time' },
  },
})

const listRoute = (output: JsonSchema): Route => ({
  method: 'GET',
  path: '/notifications',
  summary: 'List one’s own notifications, newest first',
  tag: 'notifications',
  access: OWN,
  query: {
    page: { type: 'integer', description: 'The page, from 1.' },
    per_page: { type: 'integer', description: 'Rows on a page; 100 at most.' },
    unread_only: { type: 'boolean', description: 'Whether what is read is left out.' },
    type: { type: 'string', description: 'One of the types, or several with commas.' },
    sort: { type: 'string', description: 'id or created_at; "-" in front for descending.' },
    order: { type: 'string', description: 'asc or desc.' },
    cursor: { type: 'string', description: '`first`, or the next_cursor of the page before.' },
  },
  output: { type: 'array', items: output },
  meta: {
    pagination: { $ref: '#/components/schemas/Pagination' },
    unread_count: { type: 'integer', minimum: 0 },
  },
  handle: async (context) => {
    const { data, pagination } = await context.records('notifications').list(Object.fromEntries(context.query))
    return { data, meta: { pagination, unread_count: await unreadCount(context) } }
  },
})

async function unreadCount({ actor, catalog, database }: RouteContext): Promise<number> {
  const { table } = catalog.resources.get('notifications')!
  const text = `select count(*) from "${table}" where user_id = $1::int and read_at is null`
  const [row] = await database.adhoc.run({ text }, [actor.id])
  return Number(row?.[0] ?? 0)
}

function idsIn(rows: readonly Row[]): readonly number[] {
  return rows.map(([id]) => Number(id))
}

/** Marking a second time keeps the time of the first. */
function markOne({ once }: RouteContext): Promise<Reply> {
  return once(async ({ actor, catalog, logWrites, now, params, records, transaction }) => {
    const found = await records('notifications').get(params.id ?? '')
    const { table } = catalog.resources.get('notifications')!
    const text = `update "${table}" set read_at = $3::timestamptz
      where id = $1::int and user_id = $2::int and read_at is null returning id`
    const rows = await transaction.run({ text }, [found.id, actor.id, now()])
    await logWrites('notifications', idsIn(rows), { read_at: null })
    return { data: await records('notifications').get(Number(found.id)), message: 'Notification marked as read' }
  })
}

function markAll({ once }: RouteContext): Promise<Reply> {
  return once(async ({ actor, catalog, logWrites, now, transaction }) => {
    const { table } = catalog.resources.get('notifications')!
    const text = `update "${table}" set read_at = $2::timestamptz where user_id = $1::int and read_at is null returning id`
    const rows = await transaction.run({ text }, [actor.id, now()])
    await logWrites('notifications', idsIn(rows), { read_at: null })
    return { message: 'All notifications marked as read' }
  })
}

/** The routes of people's own lists, which hold notifications of these kinds. */
export function listRoutes(kinds: readonly string[]): readonly Route[] {
  const output = oneOf(kinds)
  return [
    listRoute(output),
    {
      method: 'POST',
      path: '/notifications/{id}/read',
      summary: 'Mark one notification as read',
      tag: 'notifications',
      access: OWN,
      body: 'none',
      once: true,
      output,
      handle: markOne,
    },
    {
      method: 'POST',
      path: '/notifications/read-all',
      summary: 'Mark all of one’s own notifications as read',
      tag: 'notifications',
      access: OWN,
      body: 'none',
      once: true,
      handle: markAll,
    },
  ]
}
