/**
 * Hook: what staff say to the customer first, in a comment or a chat, is the first response. YAML can't say it: what
 * follows is a value of the record that is written, and this one is of another, at the same moment.
 */
import { type HookContext, holds, type Next } from '../../../engine/index.ts'

/** `tickets.first_response`, around the creation of a comment or a message. */
export async function firstResponse(context: HookContext, next: Next): Promise<void> {
  await next()
  const { actor, catalog, now, result, transaction } = context
  if (result === undefined || result.is_internal === true || actor.kind === 'system') return
  const inChat = result.conversation_id !== undefined
  if (!holds(actor, inChat ? 'conversations.message' : 'tickets.comment')) return
  const ticket = inChat ? await ticketOfChat(context) : result.ticket_id
  const { table } = catalog.resources.get('tickets')!
  if (ticket === undefined) return
  await transaction.knex(table).where({ id: ticket, first_response_at: null }).update({ first_response_at: now() })
}

/** The ticket of a conversation with the customer. */
async function ticketOfChat({ catalog, result, transaction }: HookContext): Promise<number | undefined> {
  const { table } = catalog.resources.get('conversations')!
  const chat = await transaction.knex(table).where({ id: result?.conversation_id, type: 'customer' }).first('ticket_id')
  return chat?.ticket_id
}
