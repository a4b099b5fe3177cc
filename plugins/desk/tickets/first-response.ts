/** Hook: what staff say to the customer first, in a comment or a chat, is the first response. */
import { type HookContext, holds, type Next } from '../../../engine/index.ts'

/** Stamps a ticket that nobody answered yet. */
export async function stampFirstResponse(
  { catalog, now, transaction }: Pick<HookContext, 'catalog' | 'now' | 'transaction'>,
  ticket: unknown,
): Promise<void> {
  const { table } = catalog.resources.get('tickets')!
  await transaction.knex(table).where({ id: ticket, first_response_at: null }).update({ first_response_at: now() })
}

/** `tickets.answered`, around the creation of a message. */
export async function answered(context: HookContext, next: Next): Promise<void> {
  await next()
  const { actor, catalog, result, transaction } = context
  if (result === undefined || result.is_internal === true || actor.kind === 'system') return
  if (!holds(actor, 'conversations.message')) return
  const { table } = catalog.resources.get('conversations')!
  const chat = await transaction.knex(table).where({ id: result.conversation_id, type: 'customer' }).first('ticket_id')
  if (chat !== undefined) await stampFirstResponse(context, chat.ticket_id)
}
