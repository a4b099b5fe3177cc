/**
 * The hook `notifications.unassigned`: when an account loses its right to work on tickets, the roles of the option
 * `unassigned` are told about its open tickets. A rule in YAML is about the record that was written; these tickets are
 * other records, as they were before.
 */
import type { HookContext, Next } from '../../../engine/index.ts'
import { sendMails } from '../../mail/index.ts'
import { mayLoseTickets, openTicketsOf, worksOn } from '../tickets/assignee.ts'
import { listRows } from './list.ts'
import { mailTo } from './mail.ts'
import { optionsOf } from './options.ts'
import { peopleOf } from './people.ts'
import { isListed, isMailed } from './reach.ts'

/** The message names this many tickets, and counts the others. */
const NAMED = 10

const KIND = 'ticket_unassigned'

/** Runs around every change and deletion of a user. */
export async function unassigned(context: HookContext, next: Next): Promise<void> {
  const { bulk, record } = context
  const id = Number(record?.id)
  const tickets = (await mayLoseTickets(context)) ? await openTicketsOf(context, id) : []
  await next()
  if (bulk || tickets.length === 0 || (await worksOn(context, id))) return
  const name = `${record?.first_name} ${record?.last_name}`
  const what = tickets.length === 1 ? 'open ticket is' : 'open tickets are'
  const numbers = tickets.slice(0, NAMED).map(({ uid }) => `#${uid}`)
  const more = tickets.length > NAMED ? ` and ${tickets.length - NAMED} more` : ''
  const message = `${name} does not work on tickets any more. Nobody is assigned now to ${numbers.join(', ')}${more}.`
  await tellThem(context, { title: `${tickets.length} ${what} unassigned now`, message, id })
}

interface WordingValues {
  readonly title: string
  readonly message: string
  /** The account that was assigned. */
  readonly id: number
}

/** The person who removed the account is told too: the answer to the removal says nothing about tickets. */
async function tellThem(context: HookContext, { id, message, title }: WordingValues): Promise<void> {
  const { mail, unassigned: roles } = optionsOf(context.options)
  const group = { roles, permission: null, needs: 'tickets.view' }
  const { byId } = await peopleOf(context, { accounts: [], groups: [group], kinds: [KIND] })
  const told = [...byId.values()].filter(({ live }) => live)
  const data = { ticket_id: null, ticket_uid: null, ticket_subject: null, user_id: id }
  const rows = told
    .filter((one) => isListed(one.reachOf(KIND)))
    .map((one) => ({ user_id: one.id, type: KIND, title, message, data }))
  await listRows(context, rows)
  const words = { title, sentence: message, text: '', speaks: true }
  const mails = told
    .filter((one) => isMailed({ reach: one.reachOf(KIND), concerned: false }, mail.has(KIND)))
    .flatMap((one) => mailTo(context.options, { words, ticket: undefined, alone: false }, one) ?? [])
  await sendMails(context, mails)
}
