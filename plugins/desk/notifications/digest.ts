/** Digests: one mail with a list, where one request would send a person a mail for each of many records. */
import type { Mail } from '../../mail/index.ts'
import type { Match } from './event.ts'
import type { Mailed } from './mail.ts'

/** A mail about one record, before it is sent or becomes a line of a digest. */
export interface Letter {
  readonly match: Match
  readonly mailed: Mailed
  readonly firstName: string
  /** The page of the ticket; empty where this reader has none. */
  readonly link: string
  /** The number of the ticket, for a reader who may know nothing else. */
  readonly only?: string | undefined
  readonly mail: Mail
}

export const SEVERAL = new URL('./mails/several.liquid', import.meta.url)

/** Letters of one request to one address become one mail; the order is that of the first letter of each. */
export function digested(letters: readonly Letter[]): readonly Mail[] {
  const groups = new Map<string, Letter[]>()
  for (const [at, letter] of letters.entries()) {
    const { actorId, change } = letter.match.event
    const request = change?.requestId ?? null
    const key = request === null ? String(at) : JSON.stringify([letter.mail.to, request, actorId])
    groups.set(key, [...(groups.get(key) ?? []), letter])
  }
  return [...groups.values()].flatMap((group) =>
    recordsOf(group) > 1 ? [several(group)] : group.map(({ mail }) => mail),
  )
}

/** The number of tickets that the letters are about; a letter without a ticket counts its record. */
function recordsOf(letters: readonly Letter[]): number {
  return new Set(letters.map(aboutOf)).size
}

function aboutOf({ match: { event }, mailed: { ticket } }: Letter): string {
  return ticket === undefined ? `${event.ruleSet.resource.name} ${event.record}` : `tickets ${ticket.id}`
}

function several(letters: readonly Letter[]): Mail {
  const [first] = letters
  const { mail } = first!
  if (first!.only !== undefined) {
    const uids = [...new Set(letters.flatMap(({ only }) => only ?? []))]
    return { ...causeOf(mail), template: mail.template, to: mail.to, data: { ...mail.data, uid: uids.join(', #') } }
  }
  const list = letters.map(({ link, mailed }) => `${lineOf(mailed)}${link === '' ? '' : `\n${link}`}`)
  const { firstName, mailed } = first!
  const subject = mailed.ticket?.subject ?? mailed.words.title
  const data = { count: recordsOf(letters), subject, first_name: firstName, list: list.join('\n\n') }
  return { ...causeOf(mail), template: SEVERAL, to: mail.to, data }
}

function lineOf({ ticket, words }: Mailed): string {
  const subject = ticket === undefined || words.sentence.includes(ticket.subject) ? '' : ` ${ticket.subject}`
  return `${words.sentence}${subject}`
}

function causeOf({ by = null, stranger = false }: Mail): Pick<Mail, 'by' | 'stranger'> {
  return { by, stranger }
}
