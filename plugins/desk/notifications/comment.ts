/** Hook: somebody commented on a ticket; the other side is told, and of internal comments the staff alone. */
import type { HookContext, Next } from '../../../engine/index.ts'
import { mailContact } from './mail.ts'
import { callerName, excerpt, notify } from './notify.ts'
import { optionsOf } from './options.ts'
import { ticketOf } from './ticket-facts.ts'

/** `notifications.comment`, around the creation of a comment. */
export async function comment(context: HookContext, next: Next): Promise<void> {
  await next()
  const { caller, catalog, options, resource, result, transaction } = context
  if (result === undefined || !catalog.resources.has('tickets')) return
  const ticket = await ticketOf(context, result.ticket_id)
  if (ticket === undefined) return
  const internal = result.is_internal === true
  const earlier = async (): Promise<readonly unknown[]> =>
    transaction.knex(resource.table).where({ ticket_id: ticket.id }).whereNotNull('user_id').distinct().pluck('user_id')
  const fromCustomer = caller.id !== null && caller.id === ticket.user_id
  const staff = internal || fromCustomer ? [ticket.assigned_to, ...(await earlier())] : []
  const name = await callerName(context)
  const notice = {
    type: internal ? 'ticket_internal_comment' : 'ticket_commented',
    title: `${name} commented on ticket #${ticket.uid}${internal ? ' internally' : ''}`,
    message: excerpt(result.comment),
    ticket,
    words: {
      staff: `${name} wrote ${internal ? 'an internal comment' : 'a comment'} on the ticket #${ticket.uid}:`,
      customer: `${name} answered your ticket #${ticket.uid}:`,
      text: String(result.comment),
    },
  } as const
  await notify(context, notice, {
    permission: 'tickets.view',
    staff,
    roles: fromCustomer && ticket.assigned_to === null ? optionsOf(options).unassigned : [],
    customer: internal || fromCustomer ? null : ticket.user_id,
  })
  if (!internal && !fromCustomer) await mailContact(context, notice)
}
