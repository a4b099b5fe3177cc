/** Hook: a ticket is new, has a new assignee, another status or another priority. */
import type { HookContext, Json, Next } from '../../../engine/index.ts'
import { mailContact } from './mail.ts'
import { callerName, notify } from './notify.ts'
import { optionsOf } from './options.ts'
import type { TicketFacts } from './ticket-facts.ts'
import { tellPriority, tellStatus } from './ticket-moved.ts'

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
    contact_id: numberOrNull(result.contact_id),
    assigned_to: numberOrNull(result.assigned_to),
  }
  const details = String(result.details)
  if (action === 'create') return created(context, facts, details)
  const changed = (field: string): boolean => (record?.[field] ?? null) !== (result[field] ?? null)
  if (changed('assigned_to') && facts.assigned_to !== null) await assigned(context, facts, details)
  if (changed('status_id')) await tellStatus(context, facts, Number(record?.status_id), Number(result.status_id))
  if (changed('priority_id')) await tellPriority(context, facts, Number(result.priority_id))
}

async function created(context: HookContext, ticket: TicketFacts, text: string): Promise<void> {
  if (context.bulk) return
  const { type, message } = { type: 'ticket_created', message: ticket.subject } as const
  const known = await tellStaff(context, { type, message, title: `New ticket #${ticket.uid}`, ticket }, text)
  const title = `Your ticket #${ticket.uid}`
  const news = 'We will write to you as soon as there is news.'
  // One who is both is told once, as one of the staff.
  const customer = ticket.user_id === null || known.includes(ticket.user_id) ? undefined : ticket.user_id
  const own = customer !== undefined && customer === context.caller.id
  const said = `${own ? `We have received your ticket #${ticket.uid}` : `We have opened the ticket #${ticket.uid} for you`}. ${news}`
  const words = { staff: said, customer: said, text }
  const opened = { type, title, message: `A ticket was opened for you: ${ticket.subject}`, ticket, words }
  // Whoever opened it has the answer on the screen, and gets a receipt by mail alone.
  if (customer !== undefined) {
    await notify(context, { ...opened, mailOnly: own }, { permission: PERMISSION, customer, caller: own })
  }
  await mailContact(context, opened)
}

async function tellStaff(
  context: HookContext,
  notice: { readonly type: 'ticket_created'; title: string; message: string; ticket: TicketFacts },
  text: string,
): Promise<readonly number[]> {
  const { assigned_to: assignee, uid } = notice.ticket
  const opened = `${await callerName(context)} opened the ticket #${uid}`
  const sentence = assignee === null ? `${opened}. Nobody is assigned to it.` : `${opened} and assigned it to you.`
  const staff = assignee === null ? { roles: optionsOf(context.options).unassigned } : { staff: [assignee] }
  const words = { staff: sentence, customer: sentence, text }
  return notify(context, { ...notice, words }, { permission: PERMISSION, ...staff })
}

async function assigned(context: HookContext, ticket: TicketFacts, text: string): Promise<void> {
  const title = `Ticket #${ticket.uid} was assigned to you`
  const name = await callerName(context)
  const message = `${name} assigned you the ticket ${ticket.subject}`
  const sentence = `${name} assigned the ticket #${ticket.uid} to you.`
  const words = { staff: sentence, customer: sentence, text }
  await notify(
    context,
    { type: 'ticket_assigned', title, message, ticket, words },
    { permission: PERMISSION, staff: [ticket.assigned_to] },
  )
}

function numberOrNull(value: Json | undefined): number | null {
  return typeof value === 'number' ? value : null
}
