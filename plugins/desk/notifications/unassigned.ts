/**
 * The hook `notifications.unassigned`: when an account loses its right to work on tickets, the roles of the option
 * `unassigned` are told about its open tickets. A rule in YAML is about the record that was written; these tickets are
 * other records, as they were before.
 */
import { type HookContext, type JsonObject, type Next, pluginTextIn } from '../../../engine/index.ts'
import { fillWords, sendMails } from '../../mail/index.ts'
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
  const data = {
    name: `${record?.first_name} ${record?.last_name}`,
    count: tickets.length,
    numbers: tickets
      .slice(0, NAMED)
      .map(({ uid }) => `#${uid}`)
      .join(', '),
    more: Math.max(0, tickets.length - NAMED),
  }
  await tellThem(context, id, data)
}

/** The texts of the notification, in Liquid. */
export const WORDS = {
  unassigned_title: '{{ count }} open {% if count == 1 %}ticket is{% else %}tickets are{% endif %} unassigned now',
  unassigned:
    '{{ name }} does not work on tickets any more. Nobody is assigned now to {{ numbers }}{% if more > 0 %} and {{ more }} more{% endif %}.',
}

/** The notification in a language. */
function saidIn({ catalog }: HookContext, language: string | undefined, data: JsonObject) {
  const said = (name: keyof typeof WORDS): string =>
    fillWords(pluginTextIn(catalog, language, `notifications.${name}`) ?? WORDS[name], data)
  return { title: said('unassigned_title'), message: said('unassigned') }
}

/** The person who removed the account is told too: the answer to the removal says nothing about tickets. */
async function tellThem(context: HookContext, id: number, about: JsonObject): Promise<void> {
  const { mail, unassigned: roles } = optionsOf(context.options)
  const group = { roles, permission: null, needs: 'tickets.view' }
  const { byId } = await peopleOf(context, { accounts: [], groups: [group], kinds: [KIND] })
  const told = [...byId.values()].filter(({ live }) => live)
  const data = { ticket_id: null, ticket_uid: null, ticket_subject: null, user_id: id }
  const rows = told
    .filter((one) => isListed(one.reachOf(KIND)))
    .map((one) => ({ user_id: one.id, type: KIND, ...saidIn(context, one.language, about), data }))
  await listRows(context, rows)
  const mails = told
    .filter((one) => isMailed({ reach: one.reachOf(KIND), concerned: false }, mail.has(KIND)))
    .flatMap((one) => {
      const { message: sentence, title } = saidIn(context, one.language, about)
      const words = { title, sentence, text: '', speaks: true }
      return mailTo(context.options, { words, ticket: undefined, alone: false }, one) ?? []
    })
  await sendMails(context, mails)
}
