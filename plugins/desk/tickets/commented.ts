/** Hook: what a comment does to its ticket: it counts as the first response, or opens the ticket again. */
import { type HookContext, holds, type Next } from '../../../engine/index.ts'
import { stampFirstResponse } from './first-response.ts'
import { categoryOf, isDone } from './status.ts'

/** `tickets.commented`, around the creation of a comment. */
export async function commented(context: HookContext, next: Next): Promise<void> {
  await next()
  const { actor, options, result } = context
  if (result === undefined || result.is_internal === true) return
  if (actor.kind === 'system') return
  if (holds(actor, 'tickets.comment')) await stampFirstResponse(context, result.ticket_id)
  else if (options.reopen_on_comment !== false) await reopen(context)
}

async function reopen({ catalog, records, result, transaction }: HookContext): Promise<void> {
  const [tickets, statuses] = [catalog.resources.get('tickets')!, catalog.resources.get('statuses')!]
  const ticket = await transaction.knex(tickets.table).where({ id: result?.ticket_id }).first('id', 'status_id')
  if (ticket === undefined || !isDone(await categoryOf(catalog, transaction, ticket.status_id))) return
  const open = await transaction
    .knex(statuses.table)
    .where({ category: 'open' })
    .whereNull('deleted_at')
    .orderBy([{ column: 'is_default', order: 'desc' }, { column: 'id' }])
    .first('id')
  if (open !== undefined) await records('tickets', 'system').update(ticket.id, { status_id: open.id })
}
