/** Told: somebody wrote in a conversation; those who take part in it are told. */
import type { Change } from '../../../engine/index.ts'
import { mailCopies } from './mail.ts'
import { callerName, excerpt, notify } from './notify.ts'
import { optionsOf } from './options.ts'
import { type Telling, valueIn } from './telling.ts'
import { ticketsOf, watchersOf } from './ticket-facts.ts'

/** The creation of a message in a conversation. */
export async function message(context: Telling, change: Change): Promise<void> {
  const { caller, catalog, options, transaction } = context
  const { table } = catalog.resources.get(change.resource)!
  const conversation = await transaction
    .knex(catalog.resources.get('conversations')!.table)
    .where({ id: Number(valueIn(change, 'conversation_id')) })
    .first('id', 'type', 'ticket_id', 'user_id')
  const ticket = conversation && (await ticketsOf(context, [conversation.ticket_id])).get(conversation.ticket_id)
  if (ticket === undefined) return
  const senders: readonly unknown[] = await transaction
    .knex(table)
    .where({ conversation_id: conversation.id })
    .where('id', '<', change.recordId)
    .whereNotNull('user_id')
    .distinct()
    .pluck('user_id')
  const open =
    conversation.type === 'customer' && valueIn(change, 'is_internal') !== true && (ticket.deleted_at ?? null) === null
  const fromCustomer = caller.id !== null && caller.id === ticket.user_id
  const name = await callerName(context)
  const notice = {
    type: 'conversation_message',
    title: `${name} wrote about ticket #${ticket.uid}`,
    message: excerpt(valueIn(change, 'message')),
    ticket,
    more: { conversation_id: Number(conversation.id) },
    words: {
      staff: `${name} wrote in a conversation about the ticket #${ticket.uid}:`,
      customer: `${name} wrote to you about your ticket #${ticket.uid}:`,
      text: String(valueIn(change, 'message')),
    },
  } as const
  await notify(context, notice, {
    permission: 'conversations.view',
    staff: [conversation.user_id, ...senders, ticket.assigned_to],
    roles: fromCustomer && ticket.assigned_to === null ? optionsOf(options).unassigned : [],
    customer: open ? ticket.user_id : null,
    readers: watchersOf(ticket, change),
  })
  if (open && !fromCustomer) await mailCopies(context, notice)
}
