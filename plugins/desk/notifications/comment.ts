/** Told: somebody commented on a ticket; the other side is told, and of internal comments the staff alone. */
import { type Change, type Id, idType, type Resource } from '../../../engine/index.ts'
import { gathered } from './gather.ts'
import { mailCopies } from './mail.ts'
import { callerName, excerpt, notify } from './notify.ts'
import { optionsOf } from './options.ts'
import { type Telling, valueIn } from './telling.ts'
import { type TicketFacts, watchersOf } from './ticket-facts.ts'

/** The creation of a comment on a ticket. */
export async function comment(context: Telling, change: Change, ticket: TicketFacts): Promise<void> {
  const { caller, catalog, options, transaction } = context
  const comments = catalog.resources.get(change.resource)!
  const internal = valueIn(change, 'is_internal') === true
  const fromCustomer = caller.id !== null && caller.id === ticket.user_id
  const toStaff = internal || fromCustomer
  const earlier = toStaff
    ? await commentersBefore(transaction, { comments, ticket: ticket.id, id: change.recordId })
    : []
  const staff = toStaff ? [ticket.assigned_to, ...earlier] : []
  const name = await callerName(context)
  const notice = {
    type: internal ? 'ticket_internal_comment' : 'ticket_commented',
    title: `${name} commented on ticket #${ticket.uid}${internal ? ' internally' : ''}`,
    message: excerpt(valueIn(change, 'comment')),
    ticket,
    words: {
      staff: `${name} wrote ${internal ? 'an internal comment' : 'a comment'} on the ticket #${ticket.uid}:`,
      customer: `${name} answered your ticket #${ticket.uid}:`,
      text: String(valueIn(change, 'comment')),
    },
  } as const
  const mentioned = await tellMentioned(context, change, ticket, name)
  await notify(context, notice, {
    permission: 'tickets.view',
    without: mentioned,
    staff,
    roles: fromCustomer && ticket.assigned_to === null ? optionsOf(options).unassigned : [],
    customer: internal || fromCustomer ? null : ticket.user_id,
    readers: watchersOf(ticket, change),
  })
  if (!internal && !fromCustomer) await mailCopies(context, notice)
}

/** Tells those whom the comment mentions, in place of telling them of a comment; gives their ids. */
async function tellMentioned(
  context: Telling,
  change: Change,
  ticket: TicketFacts,
  name: string,
): Promise<readonly number[]> {
  const { catalog, transaction } = context
  const mentions = catalog.resources.get('ticket_mentions')
  if (mentions === undefined) return []
  const ids = await mentionedIn(transaction, { mentions, comment: change.recordId })
  if (ids.length === 0) return []
  const text = String(valueIn(change, 'comment'))
  const notice = {
    type: 'mentioned',
    title: `${name} mentioned you on ticket #${ticket.uid}`,
    message: excerpt(text),
    ticket,
    more: { comment_id: change.recordId },
    words: {
      staff: `${name} mentioned you in a comment on the ticket #${ticket.uid}:`,
      customer: `${name} mentioned you on your ticket #${ticket.uid}:`,
      text,
    },
  } as const
  const customer = ids.find((id) => id === ticket.user_id)
  const readers = { ids: ids.filter((id) => id !== customer), resource: change.resource, recordId: change.recordId }
  return notify(context, notice, { permission: 'tickets.view', customer, readers })
}

interface Comment {
  readonly comments: Resource
  readonly ticket: number
  readonly id: Id
}

/** Who commented on a ticket before a comment. */
const commentersBefore = gathered(
  async (transaction, keys: readonly Comment[]): Promise<readonly (readonly number[])[]> => {
    const { comments } = keys[0]!
    const text = `select k.nth, c.user_id
      from unnest($1::int[], $2::${idType(comments)}[]) with ordinality as k(ticket, id, nth)
      join "${comments.table}" c on c.ticket_id = k.ticket and c.id < k.id and c.user_id is not null
      group by k.nth, c.user_id order by k.nth, c.user_id`
    const rows = await transaction.run({ text }, [keys.map(({ ticket }) => ticket), keys.map(({ id }) => id)])
    return keys.map((_, at) => rows.flatMap(([nth, user]) => (Number(nth) === at + 1 ? [Number(user)] : [])))
  },
)

interface Mentioning {
  readonly mentions: Resource
  readonly comment: Id
}

/** Whom a comment mentions. */
const mentionedIn = gathered(
  async (transaction, keys: readonly Mentioning[]): Promise<readonly (readonly number[])[]> => {
    const { mentions } = keys[0]!
    const text = `select comment_id, user_id from "${mentions.table}" where comment_id = any($1) order by id`
    const rows = await transaction.run({ text }, [keys.map(({ comment }) => comment)])
    return keys.map(({ comment }) => rows.flatMap(([id, user]) => (id === String(comment) ? [Number(user)] : [])))
  },
)
