/** What is told of a ticket that was merged into another one. */
import { mailCopies } from './mail.ts'
import { callerName, notify } from './notify.ts'
import type { Telling } from './telling.ts'
import { type TicketFacts, ticketsOf, watchersOf } from './ticket-facts.ts'

const PERMISSION = 'tickets.view'

/** To the assignee, the customer, the watchers and the contact. A customer hears of the other ticket only where it is theirs. */
export async function tellMerged(context: Telling, ticket: TicketFacts, into: number): Promise<void> {
  const other = (await ticketsOf(context, [into])).get(into)
  if (other === undefined) return
  const theirs = other.user_id === ticket.user_id
  const name = await callerName(context)
  const notice = {
    type: 'ticket_merged',
    title: `Ticket #${ticket.uid} was merged into #${other.uid}`,
    message: ticket.subject,
    ticket,
    words: {
      staff: `${name} merged the ticket #${ticket.uid} into #${other.uid}.`,
      customer: theirs
        ? `Your ticket #${ticket.uid} was merged into your ticket #${other.uid}: we go on there.`
        : `Your ticket #${ticket.uid} has been closed.`,
    },
  } as const
  const known = await notify(context, notice, {
    permission: PERMISSION,
    staff: [ticket.assigned_to],
    readers: watchersOf(ticket),
  })
  const told = theirs ? notice : { ...notice, title: `Ticket #${ticket.uid} was closed` }
  await notify(context, told, { permission: PERMISSION, customer: ticket.user_id, without: known })
  await mailCopies(context, told)
}
