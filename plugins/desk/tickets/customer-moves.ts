/** Hook: customers close, resolve and reopen their own tickets, and move them nowhere else. */
import { ApiError, type HookContext, holds, type Next } from '../../../engine/index.ts'
import { categoryOf, isDone } from './status.ts'

/** `tickets.customer_moves`: holds whoever lacks tickets.update to those three moves. */
export async function customerMoves(context: HookContext, next: Next): Promise<void> {
  const { actor, catalog, draft, record, transaction } = context
  const status = holds(actor, 'tickets.update') ? record?.status_id : (await draft()).status_id
  if (status !== record?.status_id) {
    const to = await categoryOf(catalog, transaction, status)
    const reopens = to === 'open' && isDone(await categoryOf(catalog, transaction, record?.status_id))
    if (!isDone(to) && !reopens) {
      throw new ApiError('forbidden', { message: 'Customers may only close, resolve or reopen their tickets' })
    }
  }
  await next()
}
