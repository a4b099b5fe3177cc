/** Hook: when a ticket was solved and closed follows from the category of its status. */
import type { HookContext, Next } from '../../../engine/index.ts'
import { timesOfImport } from './import-times.ts'
import { categoryOf } from './status.ts'

/** `tickets.stamp`: sets or clears resolved_at and closed_at as the status changes; what is imported brings its own. */
export async function stamp(context: HookContext, next: Next): Promise<void> {
  if (context.bulk && context.action === 'create') {
    await timesOfImport(context)
    return next()
  }
  const { catalog, draft, input, record, transaction } = context
  const { status_id } = await draft()
  if (status_id !== record?.status_id) {
    const category = await categoryOf(catalog, transaction, status_id)
    const now = context.now().toISOString()
    const resolved = record?.resolved_at ?? null
    if (category === 'solved') Object.assign(input, { resolved_at: resolved ?? now, closed_at: null })
    else if (category === 'closed') Object.assign(input, { resolved_at: resolved ?? now, closed_at: now })
    else Object.assign(input, { resolved_at: null, closed_at: null })
  }
  await next()
}
