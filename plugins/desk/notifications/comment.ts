/** Hook: somebody commented on a ticket; the other side is told, and of internal comments the staff alone. */
import type { HookContext, Next } from '../../../engine/index.ts'
import { callerName, excerpt, notify, ticketOf } from './notify.ts'

/** `notifications.comment`, around the creation of a comment. */
export async function comment(context: HookContext, next: Next): Promise<void> {
  await next()
  const { caller, catalog, resource, result, transaction } = context
  if (result === undefined || !catalog.resources.has('tickets')) return
  const ticket = await ticketOf(context, result.ticket_id)
  if (ticket === undefined) return
  const internal = result.is_internal === true
  const earlier = async (): Promise<readonly unknown[]> =>
    transaction.knex(resource.table).where({ ticket_id: ticket.id }).whereNotNull('user_id').distinct().pluck('user_id')
  const fromCustomer = caller.id !== null && caller.id === ticket.user_id
  const staff = internal || fromCustomer ? [ticket.assigned_to, ...(await earlier())] : []
  const customer = internal || fromCustomer ? null : ticket.user_id
  await notify(
    context,
    {
      type: internal ? 'ticket_internal_comment' : 'ticket_commented',
      title: `${await callerName(context)} commented on ticket #${ticket.uid}${internal ? ' internally' : ''}`,
      message: excerpt(result.comment),
      ticket,
      mailTo: () => true,
    },
    { permission: 'tickets.view', staff, customer },
  )
}
