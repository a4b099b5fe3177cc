/** Mails of notifications: to people as they want to be told, and to the contact of a ticket, who has no list. */
import type { HookContext } from '../../../engine/index.ts'
import { sendMail } from '../../mail/index.ts'
import { type NotificationType, optionsOf } from './options.ts'
import type { Person } from './people.ts'
import type { TicketFacts } from './ticket-facts.ts'

/** What a mail says: one sentence on what happened, and the whole text of what somebody wrote. */
export interface Words {
  readonly staff: string
  /** To the customer, and to the contact. */
  readonly customer: string
  readonly text?: string
}

/** What is mailed. */
export interface Mailed {
  readonly type: NotificationType
  readonly title: string
  readonly ticket?: TicketFacts
  readonly words?: Words
  readonly mailOnly?: boolean
}

const NOTICE = new URL('./mails/notice.liquid', import.meta.url)
const UNCONFIRMED = new URL('./mails/unconfirmed.liquid', import.meta.url)

/** Mails one person of an audience. */
export async function mailPerson(context: HookContext, mailed: Mailed, person: Person): Promise<void> {
  const { ticket, mailOnly = false, title, words } = mailed
  const known = !person.customer || person.verified
  if (!known && ticket !== undefined) {
    // Anybody can register with a stranger's address: what they write must not reach the stranger as the desk's mail,
    // and no mail at all for what they do themselves.
    if (mailOnly) return
    const data = { uid: ticket.uid }
    return sendMail(context, { template: UNCONFIRMED, to: person.email, data, ...threadOf(ticket) })
  }
  const sentence = person.customer ? words?.customer : words?.staff
  await sendMail(context, {
    template: NOTICE,
    to: person.email,
    data: {
      ...aboutOf(mailed),
      first_name: known ? person.firstName : '',
      sentence: sentence ?? `${title}.`,
      link: linkTo(optionsOf(context.options).ticketPage, ticket),
      is_customer: person.customer && ticket !== undefined,
    },
    ...threadOf(ticket),
  })
}

/** Mails the contact of a ticket what its customer may read, unless the customer has the same address. */
export async function mailContact(
  context: HookContext,
  mailed: Mailed & { readonly ticket: TicketFacts; readonly words: Words },
): Promise<void> {
  const { bulk, catalog, options, transaction } = context
  const { ticket, type, words } = mailed
  if (bulk || ticket.contact_id === null || (ticket.deleted_at ?? null) !== null) return
  if (!optionsOf(options).mail.has(type)) return
  const [contacts, users] = [catalog.resources.get('contacts')!, catalog.resources.get('users')!]
  const contact: { first_name: string; email: string } | undefined = await transaction
    .knex(`${contacts.table} as c`)
    .leftJoin(`${users.table} as u`, 'u.id', transaction.knex.raw('?::integer', [ticket.user_id]))
    .where('c.id', ticket.contact_id)
    .whereNull('c.deleted_at')
    .whereNotNull('c.email')
    .whereRaw('c.email is distinct from u.email')
    .first('c.first_name', 'c.email')
  if (contact === undefined) return
  await sendMail(context, {
    template: NOTICE,
    to: contact.email,
    data: {
      ...aboutOf(mailed),
      first_name: contact.first_name,
      sentence: words.customer,
      link: '',
      is_customer: true,
    },
    ...threadOf(ticket),
  })
}

function aboutOf({ ticket, title, words }: Mailed) {
  return { uid: ticket?.uid ?? '', subject: ticket?.subject ?? title, text: words?.text ?? '' }
}

function threadOf(ticket: TicketFacts | undefined): { readonly thread?: string } {
  return ticket === undefined ? {} : { thread: `ticket-${ticket.uid}` }
}

function linkTo(page: string, ticket: TicketFacts | undefined): string {
  if (page === '' || ticket === undefined) return ''
  return page.replaceAll('{uid}', ticket.uid).replaceAll('{id}', String(ticket.id))
}
