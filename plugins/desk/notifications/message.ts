/** Hook: somebody wrote in a conversation; those who take part in it are told. */
import type { HookContext, Next } from '../../../engine/index.ts'
import { callerName, excerpt, notify, ticketOf } from './notify.ts'

/** `notifications.message`, around the creation of a message. */
export async function message(context: HookContext, next: Next): Promise<void> {
  await next()
  const { catalog, resource, result, transaction } = context
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
  await notify(
    context,
    {
      type: 'conversation_message',
      title: `${await callerName(context)} wrote about ticket #${ticket.uid}`,
      message: excerpt(result.message),
      ticket,
      more: { conversation_id: Number(conversation.id) },
    },
    {
      permission: 'conversations.view',
      staff: [conversation.user_id, ...senders, ticket.assigned_to],
      customer: open ? ticket.user_id : null,
    },
  )
}
