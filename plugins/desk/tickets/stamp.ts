/** Hook: when a ticket was solved and closed follows from the category of its status. */
import type { HookContext, Next } from '../../../engine/index.ts'
import { categoryOf } from './status.ts'

/** `tickets.stamp`: sets or clears resolved_at and closed_at as the status changes. */
export async function stamp(context: HookContext, next: Next): Promise<void> {
  const { catalog, input, record, transaction } = context
  const changed = input.status_id !== undefined && input.status_id !== record?.status_id
  if (changed) {
    const category = await categoryOf(catalog, transaction, input.status_id)
    const now = context.now().toISOString()
    const resolved = record?.resolved_at ?? null
    if (category === 'solved') Object.assign(input, { resolved_at: resolved ?? now, closed_at: null })
    else if (category === 'closed') Object.assign(input, { resolved_at: resolved ?? now, closed_at: now })
    else Object.assign(input, { resolved_at: null, closed_at: null })
  }
  await next()
}
