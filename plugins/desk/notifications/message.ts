/** Hook: somebody wrote in a conversation; those who take part in it are told. */
import type { HookContext, Next } from '../../../engine/index.ts'
import { mailContact } from './mail.ts'
import { callerName, excerpt, notify } from './notify.ts'
import { optionsOf } from './options.ts'
import { ticketOf } from './ticket-facts.ts'

/** `notifications.message`, around the creation of a message. */
export async function message(context: HookContext, next: Next): Promise<void> {
  await next()
  const { caller, catalog, options, resource, result, transaction } = context
  if (result === undefined) return
  const conversation = await transaction
    .knex(catalog.resources.get('conversations')!.table)
    .where({ id: Number(result.conversation_id) })
    .first('id', 'type', 'ticket_id', 'user_id')
  const ticket = conversation && (await ticketOf(context, conversation.ticket_id))
  if (ticket === undefined) return
  const senders: readonly unknown[] = await transaction
    .knex(resource.table)
    .where({ conversation_id: conversation.id })
    .whereNotNull('user_id')
    .distinct()
    .pluck('user_id')
  const open = conversation.type === 'customer' && result.is_internal !== true && (ticket.deleted_at ?? null) === null
  const fromCustomer = caller.id !== null && caller.id === ticket.user_id
  const name = await callerName(context)
  const notice = {
    type: 'conversation_message',
    title: `${name} wrote about ticket #${ticket.uid}`,
    message: excerpt(result.message),
    ticket,
    more: { conversation_id: Number(conversation.id) },
    words: {
      staff: `${name} wrote in a conversation about the ticket #${ticket.uid}:`,
      customer: `${name} wrote to you about your ticket #${ticket.uid}:`,
      text: String(result.message),
    },
  } as const
  await notify(context, notice, {
    permission: 'conversations.view',
    staff: [conversation.user_id, ...senders, ticket.assigned_to],
    roles: fromCustomer && ticket.assigned_to === null ? optionsOf(options).unassigned : [],
    customer: open ? ticket.user_id : null,
  })
  if (open && !fromCustomer) await mailContact(context, notice)
}
