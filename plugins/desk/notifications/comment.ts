/** Told: somebody commented on a ticket; the other side is told, and of internal comments the staff alone. */
import type { Change } from '../../../engine/index.ts'
import { mailCopies } from './mail.ts'
import { callerName, excerpt, notify } from './notify.ts'
import { optionsOf } from './options.ts'
import { type Telling, valueIn } from './telling.ts'
import { type TicketFacts, watchersOf } from './ticket-facts.ts'

/** The creation of a comment on a ticket. */
export async function comment(context: Telling, change: Change, ticket: TicketFacts): Promise<void> {
  const { caller, catalog, options, transaction } = context
  const { table } = catalog.resources.get(change.resource)!
  const internal = valueIn(change, 'is_internal') === true
  const earlier = async (): Promise<readonly unknown[]> =>
    transaction
      .knex(table)
      .where({ ticket_id: ticket.id })
      .where('id', '<', change.recordId)
      .whereNotNull('user_id')
      .distinct()
      .pluck('user_id')
  const fromCustomer = caller.id !== null && caller.id === ticket.user_id
  const staff = internal || fromCustomer ? [ticket.assigned_to, ...(await earlier())] : []
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
  const ids: readonly number[] = await transaction
    .knex(mentions.table)
    .where({ comment_id: change.recordId })
    .pluck('user_id')
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
