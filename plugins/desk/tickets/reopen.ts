/**
 * Hook: a customer's comment opens a ticket again whose work has ended, unless it only says thanks. YAML can't say it: no
 * condition reads what a text means, and the ticket is to be open at the customer's next look.
 */
import { type HookContext, holds, type Next } from '../../../engine/index.ts'
import { worksOn } from './assignee.ts'
import { categoryOf, isDone } from './status.ts'
import { onlyThanks } from './thanks.ts'

const UNITS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/** `tickets.reopen`, around the creation of a comment. */
export async function reopen(context: HookContext, next: Next): Promise<void> {
  await next()
  const { actor, catalog, options, records, result, transaction } = context
  if (result === undefined || result.is_internal === true || actor.kind === 'system') return
  if (options.reopen_on_comment === false || holds(actor, 'tickets.comment')) return
  const [tickets, statuses] = [catalog.resources.get('tickets')!, catalog.resources.get('statuses')!]
  const ticket = await transaction
    .knex(tickets.table)
    .where({ id: result.ticket_id })
    .first('id', 'status_id', 'assigned_to', 'resolved_at')
  if (ticket === undefined || !isDone(await categoryOf(catalog, transaction, ticket.status_id))) return
  if (isTooEarly(context, ticket.resolved_at) || (await isThanks(context))) return
  const open = await transaction
    .knex(statuses.table)
    .where({ category: 'open' })
    .whereNull('deleted_at')
    .orderBy([{ column: 'is_default', order: 'desc' }, { column: 'id' }])
    .first('id')
  if (open === undefined) return
  const left = ticket.assigned_to !== null && !(await worksOn(context, ticket.assigned_to))
  // What nobody works on any more would be nobody's without being in the queue of such tickets.
  await records('tickets', 'system').update(ticket.id, { status_id: open.id, ...(left ? { assigned_to: null } : {}) })
}

/** Whether the work ended less than `after` ago. */
function isTooEarly({ now, options }: HookContext, resolvedAt: unknown): boolean {
  const rule = options.reopen_on_comment
  const after = typeof rule === 'object' && rule !== null && 'after' in rule ? String(rule.after) : ''
  const [, count, unit = ''] = /^(\d+) (minute|hour|day)s?$/.exec(after) ?? []
  if (count === undefined || !(resolvedAt instanceof Date || typeof resolvedAt === 'string')) return false
  return now().getTime() - new Date(resolvedAt).getTime() < Number(count) * (UNITS[unit] ?? 0)
}

async function isThanks({ actor, catalog, result, transaction }: HookContext): Promise<boolean> {
  const { table } = catalog.resources.get('users')!
  const writer = await transaction
    .knex(table)
    .where({ id: Number(actor.id) })
    .first('first_name', 'last_name')
  return onlyThanks(String(result?.comment), [String(writer?.first_name ?? ''), String(writer?.last_name ?? '')])
}
