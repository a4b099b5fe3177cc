/** What is told of a ticket that has another status or another priority. */
import { ENDED } from '../tickets/figures.ts'
import { rowById } from './gather.ts'
import { mailCopies } from './mail.ts'
import { callerName, notify } from './notify.ts'
import type { Telling } from './telling.ts'
import { type TicketFacts, watchersOf } from './ticket-facts.ts'

const STATUS = ['name', 'category', 'is_cancelled']

interface Status {
  readonly id: number
  readonly name: string
  readonly category: string
  readonly is_cancelled?: boolean
}

/** To the assignee and the customer; to the contact when the work has ended, or goes on after that. */
export async function tellStatus(context: Telling, ticket: TicketFacts, from: number, to: number): Promise<void> {
  const { catalog, transaction } = context
  const { fields, table } = catalog.resources.get('statuses')!
  const columns = STATUS.filter((name) => fields.has(name))
  const [before, after] = (await Promise.all(
    [from, to].map((id) => rowById(transaction, { table, columns, id })),
  )) as readonly (Status | null)[]
  const name = after?.name ?? ''
  const customer = sentenceOf(ticket, before, after)
  const who = await callerName(context)
  const notice = {
    type: 'ticket_status_changed',
    title: `The status of ticket #${ticket.uid} is now ${name}`,
    message: `${who} changed the status to ${name}: ${ticket.subject}`,
    ticket,
    words: { staff: `${who} changed the status of the ticket #${ticket.uid} to ${name}.`, customer },
  } as const
  await notify(context, notice, audienceOf(ticket))
  if (hasEnded(before) !== hasEnded(after)) await mailCopies(context, notice)
}

/** To the assignee and the customer. */
export async function tellPriority(context: Telling, ticket: TicketFacts, to: number): Promise<void> {
  const { catalog, transaction } = context
  const { table } = catalog.resources.get('priorities')!
  const row = await rowById(transaction, { table, columns: ['name'], id: to })
  const name = String(row?.name ?? '')
  const who = await callerName(context)
  const notice = {
    type: 'ticket_priority_changed',
    title: `The priority of ticket #${ticket.uid} is now ${name}`,
    message: `${who} changed the priority to ${name}: ${ticket.subject}`,
    ticket,
    words: {
      staff: `${who} changed the priority of the ticket #${ticket.uid} to ${name}.`,
      customer: `The priority of your ticket #${ticket.uid} is now ${name}.`,
    },
  } as const
  await notify(context, notice, audienceOf(ticket))
}

function audienceOf(ticket: TicketFacts) {
  return {
    permission: 'tickets.view',
    staff: [ticket.assigned_to],
    customer: ticket.user_id,
    readers: watchersOf(ticket),
  }
}

function hasEnded(status: Status | null | undefined): boolean {
  return ENDED.some((category) => category === status?.category)
}

function sentenceOf({ uid }: TicketFacts, before: Status | null | undefined, after: Status | null | undefined): string {
  const ticket = `Your ticket #${uid}`
  if (after?.is_cancelled === true) return `${ticket} has been cancelled.`
  if (after?.category === 'solved') return `${ticket} has been resolved.`
  if (after?.category === 'closed') return `${ticket} has been closed.`
  if (hasEnded(before)) return `${ticket} is open again.`
  return `The status of your ticket #${uid} is now ${after?.name ?? ''}.`
}
