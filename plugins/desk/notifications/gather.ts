/** Mails of one batch, gathered: who would be mailed of many records because of one request is mailed once, with a list of them. */
import type { Mail } from '../../mail/index.ts'
import type { Mailed } from './mail.ts'
import type { Lot } from './occasion.ts'

/** A mail of one record on its way. */
export interface Letter {
  readonly lot: Lot
  readonly mailed: Mailed
  readonly firstName: string
  /** The page of the ticket; empty: there is none for this reader. */
  readonly link: string
  /** The ticket's number where nothing else may be told. */
  readonly only?: string | undefined
  readonly mail: Mail
}

const SEVERAL = new URL('./mails/several.liquid', import.meta.url)

/** The mails of letters, in the order of the first of each. */
export function gathered(letters: readonly Letter[]): readonly Mail[] {
  const groups = new Map<string, Letter[]>()
  for (const [at, letter] of letters.entries()) {
    const { actorId, change } = letter.lot.occasion
    const request = change?.requestId ?? null
    const key = request === null ? String(at) : JSON.stringify([letter.mail.to, request, actorId])
    groups.set(key, [...(groups.get(key) ?? []), letter])
  }
  return [...groups.values()].flatMap((group) =>
    recordsOf(group) > 1 ? [several(group)] : group.map(({ mail }) => mail),
  )
}

/** How many tickets they are about, or other records where they are about none. */
function recordsOf(letters: readonly Letter[]): number {
  return new Set(letters.map(aboutOf)).size
}

function aboutOf({ lot: { occasion }, mailed: { ticket } }: Letter): string {
  return ticket === undefined ? `${occasion.plan.resource.name} ${occasion.record}` : `tickets ${ticket.id}`
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
