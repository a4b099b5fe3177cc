/** The latest events on the tickets that the reader may see: created, commented on, changed. */
import {
  type JsonObject,
  keptIdSql,
  loggedIdSql,
  type Resource,
  type RouteContext,
  type Row,
} from '../../../engine/index.ts'
import { type Change, changesShown, describe, namesOf } from '../../activity/describe.ts'
import { rowsShown, seenThen } from '../../activity/read.ts'
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

/** The last ten events, newest first, without those that the reader may not see, or could not see then. */
export async function recentActivity(context: RouteContext, period: AskedPeriod): Promise<readonly JsonObject[]> {
  const query = ticketQuery(context)
  const asked: Asked = {
    context,
    period,
    query,
    recorded: context.catalog.resources.get('tickets')?.keys.activity === true,
  }
  const sources = [creations(asked), comments(asked)]
  if (asked.recorded) sources.push(changes(asked))
  const rows = await query.run(
    `select e.id, e.type, e.changes, to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      t.id, t.uid, t.subject, e.user_id
    from (${sources.map((source) => `(${source} limit ${SHOWN})`).join(' union all ')}) e
    join ${query.from} on t.id = e.ticket_id
    order by e.at desc, e.id desc limit ${SHOWN}`,
  )
  return inWords(context, rows)
}

interface Asked {
  readonly context: RouteContext
  readonly period: AskedPeriod
  readonly query: ReturnType<typeof ticketQuery>
  readonly recorded: boolean
}

function tickets({ context }: Asked): Resource {
  return context.catalog.resources.get('tickets')!
}

/** Whether a row of the log is about the ticket of the row `t`. */
function ofTicket(asked: Asked): string {
  return `a.resource = 'tickets' and a.record_id = ${keptIdSql(asked.context.catalog, tickets(asked), 't')}`
}

/** Whether the reader could see the ticket since a moment, as far as the log knows. */
function seenSince(asked: Asked, moment: string): string {
  const { context, query, recorded } = asked
  const seen = recorded ? seenThen(context, tickets(asked), query.values) : 'true'
  if (seen === 'true') return 'true'
  return `not exists (select 1 from plinth_change a where ${ofTicket(asked)}
    and a.created_at >= ${moment} and not ${seen})`
}

/** The record has the creator of a ticket; before that was stored, the customer counts as the creator. */
function creations(asked: Asked): string {
  const { period, query, recorded } = asked
  const author = recorded
    ? `coalesce((select a.actor_id from plinth_change a
        where ${ofTicket(asked)} and a.action = 'create' order by a.id limit 1), t.user_id)`
    : 't.user_id'
  return `select 'ticket-' || t.id as id, 'ticket_created' as type, null::jsonb as changes, t.created_at as at, t.id as ticket_id, ${author} as user_id
    from ${query.from} where ${query.counted()} and ${seenSince(asked, 't.created_at')} and ${query.within('t.created_at', period)} order by t.created_at desc, t.id desc`
}

function comments(asked: Asked): string {
  const { period, query } = asked
  return `select 'comment-' || c.id, case when c.is_internal then 'ticket_commented_internally' else 'ticket_commented' end, null::jsonb, c.created_at, c.ticket_id, c.user_id
    from ${query.table('ticket_comments')} c join ${query.from} on t.id = c.ticket_id
    where ${query.counted()} and ${query.readable('ticket_comments', 'c')} and ${seenSince(asked, 'c.created_at')} and ${query.within('c.created_at', period)} order by c.created_at desc, c.id desc`
}

function changes(asked: Asked): string {
  const { context, period, query } = asked
  const named = loggedIdSql(context.catalog, tickets(asked), 'a')
  return `select 'activity-' || a.id, 'ticket_' || a.action || 'd', a.changes, a.created_at, ${named}, a.actor_id
    from plinth_change a join ${query.from} on t.id = ${named}
    where a.resource = 'tickets' and a.action <> 'create' and ${query.counted()} and ${query.within('a.created_at', period)}
      and ${rowsShown(context, tickets(asked), query.values)}
    order by a.id desc`
}

async function inWords(context: RouteContext, rows: readonly Row[]): Promise<readonly JsonObject[]> {
  const resource = context.catalog.resources.get('tickets')!
  const changed = rows.map((row) => (row[2] == null ? [] : (JSON.parse(row[2]) as readonly Change[])))
  const people = rows.flatMap(([, , , , , , , user]) => (user == null ? [] : [Number(user)]))
  const [shown, names] = await Promise.all([
    changesShown(context, resource, changed),
    namesOf(context, 'users', people, 'all'),
  ])
  return rows.map(([id, type, , at, ticket, uid, subject, user], index) => ({
    id: id ?? '',
    type: type ?? '',
    description: SENTENCES[type ?? ''] ?? describe(resource, 'updated', shown[index] ?? []),
    ticket: { id: Number(ticket), uid: uid ?? '', subject: subject ?? '' },
    user: user == null ? null : { id: Number(user), name: names.get(Number(user)) ?? '' },
    created_at: at ?? '',
  }))
}
