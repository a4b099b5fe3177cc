/** What happened last on the tickets that the reader may see: created, commented on, changed. */
import type { JsonObject, RouteContext, Row } from '../../../engine/index.ts'
import { type Change, changesShown, describe, readableFields } from '../../activity/describe.ts'
import type { AskedPeriod } from './period.ts'
import { ticketQuery } from './tickets.ts'

const SHOWN = 10

const SENTENCES: Readonly<Record<string, string>> = {
  ticket_created: 'Ticket created',
  ticket_commented: 'Comment added',
  ticket_commented_internally: 'Internal comment added',
  ticket_deleted: 'Ticket deleted',
  ticket_restored: 'Ticket restored',
}

/** The last ten events, newest first; what its reader may not see is not among them. */
export async function recentActivity(context: RouteContext, period: AskedPeriod): Promise<readonly JsonObject[]> {
  const query = ticketQuery(context)
  const recorded = context.catalog.resources.has('activities')
  const sources = [creations(period, query, recorded), comments(period, query)]
  if (recorded) sources.push(changes(context, period, query))
  const rows = await query.run(
    `select e.id, e.type, e.changes, to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      t.id, t.uid, t.subject, u.id, concat_ws(' ', u.first_name, u.last_name)
    from (${sources.map((source) => `(${source} limit ${SHOWN})`).join(' union all ')}) e
    join ${query.from} on t.id = e.ticket_id left join ${query.table('users')} u on u.id = e.user_id
    order by e.at desc, e.id desc limit ${SHOWN}`,
  )
  return inWords(context, rows)
}

type Query = ReturnType<typeof ticketQuery>

/** Who created a ticket is in the record; before that was kept, the customer stands for it. */
function creations(period: AskedPeriod, query: Query, recorded: boolean): string {
  const author = recorded
    ? `coalesce((select a.user_id from ${query.table('activities')} a
        where a.resource = 'tickets' and a.record_id = t.id and a.action = 'created' order by a.id limit 1), t.user_id)`
    : 't.user_id'
  return `select 'ticket-' || t.id as id, 'ticket_created' as type, null::jsonb as changes, t.created_at as at, t.id as ticket_id, ${author} as user_id
    from ${query.from} where ${query.counted()} and ${query.within('t.created_at', period)} order by t.created_at desc, t.id desc`
}

function comments(period: AskedPeriod, query: Query): string {
  return `select 'comment-' || c.id, case when c.is_internal then 'ticket_commented_internally' else 'ticket_commented' end, null::jsonb, c.created_at, c.ticket_id, c.user_id
    from ${query.table('ticket_comments')} c join ${query.from} on t.id = c.ticket_id
    where ${query.counted()} and ${query.readable('ticket_comments', 'c')} and ${query.within('c.created_at', period)} order by c.created_at desc, c.id desc`
}

/** An update of which the reader may read no field is none to them. */
function changes(context: RouteContext, period: AskedPeriod, query: Query): string {
  const fields = readableFields(context.catalog.resources.get('tickets')!, context.actor)
  return `select 'activity-' || a.id, 'ticket_' || a.action, a.changes, a.created_at, a.record_id, a.user_id
    from ${query.table('activities')} a join ${query.from} on t.id = a.record_id
    where a.resource = 'tickets' and a.action <> 'created' and ${query.counted()} and ${query.within('a.created_at', period)}
      and (a.action <> 'updated' or exists (select 1 from jsonb_array_elements(a.changes) f where f ->> 'field' = any(${query.bind(fields, 'text[]')})))
    order by a.id desc`
}

async function inWords(context: RouteContext, rows: readonly Row[]): Promise<readonly JsonObject[]> {
  const resource = context.catalog.resources.get('tickets')!
  const changed = rows.map((row) => (row[2] == null ? [] : (JSON.parse(row[2]) as readonly Change[])))
  const shown = await changesShown(context, resource, changed)
  return rows.map(([id, type, , at, ticket, uid, subject, user, name], index) => ({
    id: id ?? '',
    type: type ?? '',
    description: SENTENCES[type ?? ''] ?? describe(resource, 'updated', shown[index] ?? []),
    ticket: { id: Number(ticket), uid: uid ?? '', subject: subject ?? '' },
    user: user == null ? null : { id: Number(user), name: name ?? '' },
    created_at: at ?? '',
  }))
}
