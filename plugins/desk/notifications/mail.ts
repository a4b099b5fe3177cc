/** Mails of notifications: to people as they want to be told, and copies for the contact of a ticket and its cc, who have no list. */
import { sendMail } from '../../mail/index.ts'
import { rowById } from './gather.ts'
import { optionsOf } from './options.ts'
import type { Person } from './people.ts'
import type { Telling } from './telling.ts'
import type { TicketFacts } from './ticket-facts.ts'

/** What a mail says: one sentence on what happened, and the whole text of what somebody wrote. */
export interface Words {
  readonly staff: string
  /** To the customer, and to the contact. */
  readonly customer: string
  readonly text?: string
}

/** What a mail says of its ticket. */
export type TicketAbout = Pick<TicketFacts, 'id' | 'uid' | 'subject'>

/** What is mailed. */
export interface Mailed {
  readonly type: string
  readonly title: string
  readonly ticket?: TicketAbout
  readonly words?: Words
  readonly mailOnly?: boolean
}

const NOTICE = new URL('./mails/notice.liquid', import.meta.url)
const UNCONFIRMED = new URL('./mails/unconfirmed.liquid', import.meta.url)

/** Mails one person of an audience. */
export async function mailPerson(context: Telling, mailed: Mailed, person: Person): Promise<void> {
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
  await sendNotice(context, mailed, {
    email: person.email,
    firstName: known ? person.firstName : '',
    sentence: sentence ?? `${title}.`,
    link: linkTo(optionsOf(context.options).ticketPage, ticket),
    customer: person.customer && ticket !== undefined,
  })
}

/** Mails the contact of a ticket, and each address of its cc, what the customer may read; nobody gets it twice. */
export async function mailCopies(
  context: Telling,
  mailed: Mailed & { readonly ticket: TicketFacts; readonly words: Words },
): Promise<void> {
  const { bulk, options } = context
  const { ticket, type, words } = mailed
  if (bulk || (ticket.contact_id === null && ticket.cc.length === 0) || (ticket.deleted_at ?? null) !== null) return
  if (!optionsOf(options).mail.has(type)) return
  const { contact, customer } = await addressesOf(context, ticket)
  const copies = [...(contact === undefined ? [] : [contact]), ...ticket.cc.map((email) => ({ email, first_name: '' }))]
  const sent = new Set([customer])
  for (const { email, first_name: firstName } of copies) {
    if (sent.has(email)) continue
    sent.add(email)
    context.explained?.(`${type}: ${email} gets a copy by mail`)
    await sendNotice(context, mailed, { email, firstName, sentence: words.customer, link: '', customer: true })
  }
}

interface Addresses {
  readonly contact: { readonly first_name: string; readonly email: string } | undefined
  readonly customer: string | undefined
}

async function addressesOf({ catalog, transaction }: Telling, ticket: TicketFacts): Promise<Addresses> {
  const row = (resource: string, columns: readonly string[], id: number | null) =>
    id === null ? null : rowById(transaction, { table: catalog.resources.get(resource)!.table, columns, id })
  const [found, user] = await Promise.all([
    row('contacts', ['first_name', 'email', 'deleted_at'], ticket.contact_id),
    row('users', ['email'], ticket.user_id),
  ])
  const customer = typeof user?.email === 'string' ? user.email : undefined
  if (typeof found?.email !== 'string' || (found.deleted_at ?? null) !== null) return { contact: undefined, customer }
  return { contact: { first_name: String(found.first_name), email: found.email }, customer }
}

/** Whom a notice goes to, and what of it is theirs. */
interface Recipient {
  readonly email: string
  readonly firstName: string
  readonly sentence: string
  readonly link: string
  readonly customer: boolean
}

function sendNotice(context: Telling, { ticket, title, words }: Mailed, to: Recipient): Promise<void> {
  const about = { uid: ticket?.uid ?? '', subject: ticket?.subject ?? title, text: words?.text ?? '' }
  const theirs = { first_name: to.firstName, sentence: to.sentence, link: to.link, is_customer: to.customer }
  return sendMail(context, { template: NOTICE, to: to.email, data: { ...about, ...theirs }, ...threadOf(ticket) })
}

function threadOf(ticket: TicketAbout | undefined): { readonly thread?: string } {
  return ticket === undefined ? {} : { thread: `ticket-${ticket.uid}` }
}

function linkTo(page: string, ticket: TicketAbout | undefined): string {
  if (page === '' || ticket === undefined) return ''
  return page.replaceAll('{uid}', ticket.uid).replaceAll('{id}', String(ticket.id))
}
