/** What is told of a ticket that has another status or another priority. */
import type { HookContext } from '../../../engine/index.ts'
import { ENDED } from '../tickets/figures.ts'
import { mailContact } from './mail.ts'
import { callerName, notify } from './notify.ts'
import type { TicketFacts } from './ticket-facts.ts'

interface Status {
  readonly id: number
  readonly name: string
  readonly category: string
  readonly is_cancelled?: boolean
}

/** To the assignee and the customer; to the contact when the work has ended, or goes on after that. */
export async function tellStatus(context: HookContext, ticket: TicketFacts, from: number, to: number): Promise<void> {
  const { catalog, transaction } = context
  const rows: readonly Status[] = await transaction
    .knex(catalog.resources.get('statuses')!.table)
    .whereIn('id', [from, to])
    .select()
  const [before, after] = [from, to].map((id) => rows.find((one) => one.id === id))
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
  if (hasEnded(before) !== hasEnded(after)) await mailContact(context, notice)
}

/** To the assignee and the customer. */
export async function tellPriority(context: HookContext, ticket: TicketFacts, to: number): Promise<void> {
  const { catalog, transaction } = context
  const { table } = catalog.resources.get('priorities')!
  const row = await transaction.knex(table).where({ id: to }).first('name')
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

function audienceOf({ assigned_to, user_id }: TicketFacts) {
  return { permission: 'tickets.view', staff: [assigned_to], customer: user_id }
}

function hasEnded(status: Status | undefined): boolean {
  return ENDED.some((category) => category === status?.category)
}

function sentenceOf({ uid }: TicketFacts, before: Status | undefined, after: Status | undefined): string {
  const ticket = `Your ticket #${uid}`
  if (after?.is_cancelled === true) return `${ticket} has been cancelled.`
  if (after?.category === 'solved') return `${ticket} has been resolved.`
  if (after?.category === 'closed') return `${ticket} has been closed.`
  if (hasEnded(before)) return `${ticket} is open again.`
  return `The status of your ticket #${uid} is now ${after?.name ?? ''}.`
}
