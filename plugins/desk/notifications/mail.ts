/** Mails of notifications: to people as they may be written to, and to addresses without an account. */
import type { JsonObject } from '../../../engine/index.ts'
import type { Mail } from '../../mail/index.ts'
import { optionsOf } from './options.ts'
import type { Person } from './people.ts'
import type { Filled } from './wording.ts'

/** What a mail says of its ticket. */
export interface TicketAbout {
  readonly id: number
  readonly uid: string
  readonly subject: string
}

/** What is mailed. */
export interface Mailed {
  readonly words: Pick<Filled, 'title' | 'sentence' | 'text' | 'speaks'>
  readonly ticket: TicketAbout | undefined
  /** Whether it stands in no list: a receipt of what somebody did. */
  readonly alone: boolean
}

const NOTICE = new URL('./mails/notice.liquid', import.meta.url)
const UNCONFIRMED = new URL('./mails/unconfirmed.liquid', import.meta.url)

type Addressee = Pick<Person, 'customer' | 'email' | 'firstName' | 'verified'>

/** Whether what is written may go to the address of a person. */
export function isKnown({ customer, verified }: Pick<Person, 'customer' | 'verified'>): boolean {
  return !customer || verified
}

/** The mail to a person; undefined where none may go to the address. */
export function mailTo(options: JsonObject, { alone, ticket, words }: Mailed, person: Addressee): Mail | undefined {
  const known = isKnown(person)
  // Anybody can register with a stranger's address: what they write must not reach the stranger as the desk's mail, and no
  // mail at all what they do themselves. Of a ticket it hears that there is news.
  if (!known && ticket !== undefined) {
    if (alone) return undefined
    return { template: UNCONFIRMED, to: person.email, data: { uid: ticket.uid }, ...threadOf(ticket) }
  }
  if (!known && words.speaks) return undefined
  return mailOf(words, ticket, {
    email: person.email,
    firstName: known ? person.firstName : '',
    link: linkTo(optionsOf(options).ticketPage, ticket),
    customer: person.customer && ticket !== undefined,
  })
}

/** The mail to an address without an account, which cannot sign in and so gets no link. */
export function copyTo(
  { ticket, words }: Pick<Mailed, 'ticket' | 'words'>,
  to: { readonly email: string; readonly firstName: string },
): Mail {
  return mailOf(words, ticket, { ...to, link: '', customer: true })
}

/** Whom a mail goes to, and what of it is theirs. */
interface Recipient {
  readonly email: string
  readonly firstName: string
  readonly link: string
  readonly customer: boolean
}

function mailOf(words: Mailed['words'], ticket: TicketAbout | undefined, to: Recipient): Mail {
  const about = { uid: ticket?.uid ?? '', subject: ticket?.subject ?? words.title, text: words.text }
  const theirs = { first_name: to.firstName, sentence: words.sentence, link: to.link, is_customer: to.customer }
  return { template: NOTICE, to: to.email, data: { ...about, ...theirs }, ...threadOf(ticket) }
}

function threadOf(ticket: TicketAbout | undefined): { readonly thread?: string } {
  return ticket === undefined ? {} : { thread: `ticket-${ticket.uid}` }
}

/** The page of a ticket; empty where there is none. */
export function linkTo(page: string, ticket: TicketAbout | undefined): string {
  if (page === '' || ticket === undefined) return ''
  return page.replaceAll('{uid}', ticket.uid).replaceAll('{id}', String(ticket.id))
}
