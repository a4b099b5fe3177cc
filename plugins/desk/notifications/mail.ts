/** Mails of notifications: to accounts, and copies to addresses without one. */
import type { JsonObject } from '../../../engine/index.ts'
import type { Mail } from '../../mail/index.ts'
import { optionsOf } from './options.ts'
import type { Person } from './people.ts'
import type { Filled } from './wording.ts'

/** The ticket of a mail. */
export interface TicketAbout {
  readonly id: number
  readonly uid: string
  readonly subject: string
}

/** The content of a mail. */
export interface Mailed {
  readonly words: Pick<Filled, 'title' | 'sentence' | 'text' | 'speaks'>
  readonly ticket: TicketAbout | undefined
  /** Whether no list shows it: a receipt for the person who did something. */
  readonly alone: boolean
}

export const NOTICE = new URL('./mails/notice.liquid', import.meta.url)
export const UNCONFIRMED = new URL('./mails/unconfirmed.liquid', import.meta.url)

type Addressee = Pick<Person, 'customer' | 'email' | 'firstName' | 'verified'>

/** Whether the address of a person is known to be theirs, so that texts of others may go there. */
export function isKnown({ customer, verified }: Pick<Person, 'customer' | 'verified'>): boolean {
  return !customer || verified
}

/** The mail to a person; undefined where their address may get none. */
export function mailTo(options: JsonObject, { alone, ticket, words }: Mailed, person: Addressee): Mail | undefined {
  const known = isKnown(person)
  // Anybody can register with a stranger's address. The desk must not mail the texts of that person to the stranger, and
  // sends no receipts there. About a ticket it says only that there is news.
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

/** The address of a mail, and the words that depend on it. */
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

/** The URL of a ticket's page; empty without a page or a ticket. */
export function linkTo(page: string, ticket: TicketAbout | undefined): string {
  if (page === '' || ticket === undefined) return ''
  return page.replaceAll('{uid}', ticket.uid).replaceAll('{id}', String(ticket.id))
}
