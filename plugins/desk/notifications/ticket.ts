/** Told: a ticket is new, has a new assignee, another status or another priority. */
import type { Change, Json } from '../../../engine/index.ts'
import { mailCopies } from './mail.ts'
import { callerName, nameOf, notify } from './notify.ts'
import { optionsOf } from './options.ts'
import { type Telling, valueIn } from './telling.ts'
import { type TicketFacts, watchersOf } from './ticket-facts.ts'
import { tellMerged } from './ticket-merged.ts'
import { tellPriority, tellStatus } from './ticket-moved.ts'

const PERMISSION = 'tickets.view'

/** The creation, and every change, of a ticket. */
export async function ticket(context: Telling, change: Change, found: TicketFacts): Promise<void> {
  const status = change.fields.find(({ field }) => field === 'status_id')
  const priority = valueIn(change, 'priority_id')
  const assignee = valueIn(change, 'assigned_to')
  if (change.action === 'create') return created(context, { ...found, assigned_to: numberOrNull(assignee) })
  // Who is told is who had it then, even if somebody else has it by now.
  const facts = assignee === undefined ? found : { ...found, assigned_to: numberOrNull(assignee) }
  if (assignee !== undefined && facts.assigned_to !== null) await assigned(context, facts)
  const into = numberOrNull(valueIn(change, 'merged_into_id'))
  if (into !== null) await tellMerged(context, facts, into)
  // Closing is part of the merge.
  else if (status !== undefined) await tellStatus(context, facts, Number(status.from), Number(status.to))
  if (priority !== undefined) await tellPriority(context, facts, Number(priority))
}

async function created(context: Telling, ticket: TicketFacts): Promise<void> {
  const text = ticket.details
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
  await mailCopies(context, opened)
}

async function tellStaff(
  context: Telling,
  notice: { readonly type: 'ticket_created'; title: string; message: string; ticket: TicketFacts },
  text: string,
): Promise<readonly number[]> {
  const { assigned_to: assignee, uid } = notice.ticket
  const staff = assignee === null ? { roles: optionsOf(context.options).unassigned } : { staff: [assignee] }
  // Few of the staff are mailed of a new ticket, so the caller's name is seldom asked for.
  const words = (how: string) => async () => {
    const sentence = `${await callerName(context)} opened the ticket #${uid}${how}`
    return { staff: sentence, customer: sentence, text }
  }
  const how = assignee === null ? '. Nobody is assigned to it.' : ' and assigned it to you.'
  const known = await notify(context, { ...notice, words: words(how) }, { permission: PERMISSION, ...staff })
  if (notice.ticket.watchers.length === 0) return known
  const watching = { permission: PERMISSION, readers: watchersOf(notice.ticket), without: known }
  return [...known, ...(await notify(context, { ...notice, words: words(', which you watch.') }, watching))]
}

async function assigned(context: Telling, ticket: TicketFacts): Promise<void> {
  const title = `Ticket #${ticket.uid} was assigned to you`
  const name = await callerName(context)
  const message = `${name} assigned you the ticket ${ticket.subject}`
  const sentence = `${name} assigned the ticket #${ticket.uid} to you.`
  const words = { staff: sentence, customer: sentence, text: ticket.details }
  await notify(
    context,
    { type: 'ticket_assigned', title, message, ticket, words },
    { permission: PERMISSION, staff: [ticket.assigned_to] },
  )
  if (ticket.watchers.length > 0) await tellOfAssignee(context, ticket, name)
}

async function tellOfAssignee(context: Telling, ticket: TicketFacts, by: string): Promise<void> {
  const to = await nameOf(context, ticket.assigned_to)
  const title = `Ticket #${ticket.uid} was assigned to ${to}`
  const sentence = `${by} assigned the ticket #${ticket.uid} to ${to}.`
  const message = `${by} assigned the ticket to ${to}: ${ticket.subject}`
  const words = { staff: sentence, customer: sentence }
  const without = ticket.assigned_to === null ? [] : [ticket.assigned_to]
  const audience = { permission: PERMISSION, readers: watchersOf(ticket), without }
  await notify(context, { type: 'ticket_assigned', title, message, ticket, words }, audience)
}

function numberOrNull(value: Json | undefined): number | null {
  return typeof value === 'number' ? value : null
}
