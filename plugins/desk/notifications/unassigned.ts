/**
 * Hook: somebody can't be assigned tickets any more; those who hear of unassigned tickets are told of the open ones. YAML
 * can't say it: an automation acts for the record that was written, and these tickets are others, before they change.
 */
import type { HookContext, Next } from '../../../engine/index.ts'
import { mayLoseTickets, openTicketsOf, worksOn } from '../tickets/assignee.ts'
import { notify } from './notify.ts'
import { optionsOf } from './options.ts'

/** The message names so many tickets, and the number of the others. */
const NAMED = 10

/** `notifications.unassigned`, around every change and deletion of a user. */
export async function unassigned(context: HookContext, next: Next): Promise<void> {
  const { options, record } = context
  const id = Number(record?.id)
  const tickets = (await mayLoseTickets(context)) ? await openTicketsOf(context, id) : []
  await next()
  if (tickets.length === 0 || (await worksOn(context, id))) return
  const name = `${record?.first_name} ${record?.last_name}`
  const what = tickets.length === 1 ? 'open ticket is' : 'open tickets are'
  const numbers = tickets.slice(0, NAMED).map(({ uid }) => `#${uid}`)
  const more = tickets.length > NAMED ? ` and ${tickets.length - NAMED} more` : ''
  const message = `${name} does not work on tickets any more. Nobody is assigned now to ${numbers.join(', ')}${more}.`
  await notify(
    context,
    {
      type: 'ticket_unassigned',
      title: `${tickets.length} ${what} unassigned now`,
      message,
      more: { user_id: id },
      words: { staff: message, customer: message },
    },
    // Whoever removed the account is told too: the answer says nothing of tickets.
    { permission: 'tickets.view', roles: optionsOf(options).unassigned, caller: true },
  )
}
