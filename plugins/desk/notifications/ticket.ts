/** Hook: a ticket is new, has a new assignee, another status or another priority. */
import type { HookContext, Json, Next } from '../../../engine/index.ts'
import { callerName, notify, type TicketFacts } from './notify.ts'
import { optionsOf } from './options.ts'

const PERMISSION = 'tickets.view'

/** `notifications.ticket`, around the creation and every change of a ticket. */
export async function ticket(context: HookContext, next: Next): Promise<void> {
  await next()
  const { action, record, result } = context
  if (result === undefined) return
  const facts: TicketFacts = {
    id: Number(result.id),
    uid: String(result.uid),
    subject: String(result.subject),
    user_id: numberOrNull(result.user_id),
    assigned_to: numberOrNull(result.assigned_to),
  }
  if (action === 'create') return created(context, facts)
  const changed = (field: string): boolean => (record?.[field] ?? null) !== (result[field] ?? null)
  if (changed('assigned_to') && facts.assigned_to !== null) await assigned(context, facts)
  if (changed('status_id')) await moved(context, facts, 'statuses', result.status_id)
  if (changed('priority_id')) await moved(context, facts, 'priorities', result.priority_id)
}

async function created(context: HookContext, ticket: TicketFacts): Promise<void> {
  const title = `New ticket #${ticket.uid}`
  const type = 'ticket_created'
  const told = { type, title, message: ticket.subject, ticket } as const
  const staff =
    ticket.assigned_to === null ? { roles: optionsOf(context.options).unassigned } : { staff: [ticket.assigned_to] }
  const assignee = ticket.assigned_to
  // One who is both is told once, as one of the staff.
  const known = await notify(
    context,
    { ...told, mailTo: ({ id }) => id === assignee },
    { permission: PERMISSION, ...staff },
  )
  if (ticket.user_id === null || known.includes(ticket.user_id)) return
  const opened = `A ticket was opened for you: ${ticket.subject}`
  await notify(
    context,
    { ...told, title: `Your ticket #${ticket.uid}`, message: opened, mailTo: () => true },
    { permission: PERMISSION, customer: ticket.user_id },
  )
}

async function assigned(context: HookContext, ticket: TicketFacts): Promise<void> {
  const title = `Ticket #${ticket.uid} was assigned to you`
  const message = `${await callerName(context)} assigned you the ticket ${ticket.subject}`
  await notify(
    context,
    { type: 'ticket_assigned', title, message, ticket, mailTo: () => true },
    { permission: PERMISSION, staff: [ticket.assigned_to] },
  )
}

async function moved(
  context: HookContext,
  ticket: TicketFacts,
  setting: 'statuses' | 'priorities',
  id: Json | undefined,
): Promise<void> {
  const { catalog, transaction } = context
  const row = await transaction
    .knex(catalog.resources.get(setting)!.table)
    .where({ id: Number(id) })
    .first('name')
  const what = setting === 'statuses' ? 'status' : 'priority'
  const name = String(row?.name ?? '')
  await notify(
    context,
    {
      type: setting === 'statuses' ? 'ticket_status_changed' : 'ticket_priority_changed',
      title: `The ${what} of ticket #${ticket.uid} is now ${name}`,
      message: `${await callerName(context)} changed the ${what} to ${name}: ${ticket.subject}`,
      ticket,
      mailTo: ({ customer }) => customer,
    },
    { permission: PERMISSION, staff: [ticket.assigned_to], customer: ticket.user_id },
  )
}

function numberOrNull(value: Json | undefined): number | null {
  return typeof value === 'number' ? value : null
}
