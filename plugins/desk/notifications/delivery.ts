/** Delivers the notifications of a batch of events: rows of people's lists and mails, in a fixed number of statements. */
import type { Json, JsonObject, ListenerContext } from '../../../engine/index.ts'
import { sendMails, strangersAmong } from '../../mail/index.ts'
import { digested, type Letter } from './digest.ts'
import { idsAt, isMet, type Match, matchesOf, type NotificationEvent } from './event.ts'
import { type ListRow, listRows } from './list.ts'
import { copyTo, isKnown, linkTo, mailTo, type TicketAbout } from './mail.ts'
import type { Copies, NotificationRule } from './notification-rule.ts'
import { optionsOf } from './options.ts'
import type { People } from './people.ts'
import { isListed, isMailed, toldHow } from './reach.ts'
import { type Context, type Recipient, recipientsOf } from './recipients.ts'
import { type RuleSet, ticketPaths } from './rule-set.ts'
import { type Filled, filler, type Wording } from './wording.ts'

/** Marks the letters to strangers: addresses that belong to no account and no contact. */
async function withStrangers(
  context: Pick<ListenerContext, 'catalog' | 'transaction'>,
  letters: readonly Letter[],
): Promise<readonly Letter[]> {
  if (letters.length === 0) return letters
  const strangers = await strangersAmong(
    context,
    letters.map(({ mail }) => mail.to),
  )
  return letters.map((one) => ({ ...one, mail: { ...one.mail, stranger: strangers.has(one.mail.to.toLowerCase()) } }))
}

type Fill = ReturnType<typeof filler>
type Writing = Context & Pick<ListenerContext, 'enqueueEach' | 'logWrites' | 'now'>

/** Notifies everyone whom the rules of these events name. */
export async function deliver(context: Writing, events: readonly NotificationEvent[]): Promise<void> {
  const matches = await matchesOf(context, events)
  if (matches.length === 0) return
  const { recipients, people } = await recipientsOf(context, matches)
  const fill = filler(context)
  const words = wordsOf(fill, context, people)
  const told = recipients.filter(({ seen }) => seen !== undefined)
  const rows = told.filter((one) => howOf(context.options, one).listed).map((one) => rowOf(one, words(one)))
  await listRows(context, rows)
  const mails = told
    .filter((one) => howOf(context.options, one).mailed)
    .flatMap((one) => mailOf(context, one, words(one)))
  const copied = matches.flatMap((match) => copiesOf(fill, context, match, people))
  const copies = await withStrangers(context, copied)
  await sendMails(context, digested([...mails, ...copies]))
}

/** A line for each recipient, told or not, with the reason; writes nothing. */
export async function explainDelivery(
  context: Context,
  events: readonly NotificationEvent[],
): Promise<readonly Line[]> {
  const matches = await matchesOf(context, events)
  if (matches.length === 0) return []
  const { recipients, people } = await recipientsOf(context, matches)
  const told = recipients.map((one): Line => {
    const { kind } = one.match.rule
    if (one.seen === undefined) return { kind, text: `${one.person.email} ${one.excluded}, and is not told` }
    const { listed, mailed } = howOf(context.options, one)
    const chosen = one.person.reachOf(kind) === 'default' ? '' : `, as they chose for ${kind}`
    return { kind, text: `${one.person.email} ${toldHow(listed, mailed)}${chosen}` }
  })
  const fill = filler(context)
  const copied = matches.flatMap((match) =>
    copiesOf(fill, context, match, people).map(
      ({ mail }): Line => ({ kind: match.rule.kind, text: `${mail.to} gets a copy by mail` }),
    ),
  )
  return [...told, ...copied]
}

interface Line {
  readonly kind: string
  readonly text: string
}

/** The channels for a recipient: their own choice, then that of the rule, then (if it concerns them) that of the options. */
function howOf(options: JsonObject, { audience, concerned, match: { rule }, person }: Recipient) {
  const reach = person.reachOf(rule.kind)
  const isOf = { reach, concerned: concerned || rule.mail !== undefined }
  return { listed: audience.listed && isListed(reach), mailed: isMailed(isOf, usually(options, rule)) }
}

function usually(options: JsonObject, { kind, mail }: NotificationRule): boolean {
  return mail ?? [...optionsOf(options).mail].some((one) => one === kind)
}

/** Fills the wording of a recipient with the values that this recipient may see. */
function wordsOf(fill: Fill, context: Context, people: People): (recipient: Recipient) => Filled {
  return ({ audience: { wording }, match, person: { language }, seen }) => {
    const { ruleSet } = match.event
    const read = (path: string): Json =>
      path.startsWith('before.')
        ? (seen?.before[ruleSet.before.indexOf(path.slice('before.'.length))] ?? null)
        : (seen?.now[ruleSet.now.indexOf(path)] ?? null)
    return filledBy(fill, context, { language, match, people, wording }, read)
  }
}

interface Wanted {
  readonly match: Match
  readonly people: People
  readonly wording: Wording
  readonly language?: string | undefined
}

function filledBy(
  fill: Fill,
  { options }: Context,
  { language, match, people, wording }: Wanted,
  read: (path: string) => Json,
): Filled {
  const { actorId, ruleSet } = match.event
  const paths = ruleSet.named.get(wording) ?? []
  const name = actorId === null ? optionsOf(options).programName : people.byId.get(actorId)?.name
  const values = { paths, values: paths.map(read), actor: name ?? 'Somebody' }
  return fill(wording, values, { language, resource: ruleSet.resource.name, speaks: paths.length > 0 })
}

function ticketIn(rule: NotificationRule, read: (path: string) => Json): TicketAbout | undefined {
  const [id, uid, subject] = ticketPaths(rule).map(read)
  return typeof id === 'number' ? { id, uid: String(uid ?? ''), subject: String(subject ?? '') } : undefined
}

function readBy({ match, seen }: Recipient): (path: string) => Json {
  const { now }: RuleSet = match.event.ruleSet
  return (path) => seen?.now[now.indexOf(path)] ?? null
}

function rowOf(one: Recipient, { message, title }: Filled): ListRow {
  const { rule, event } = one.match
  const read = readBy(one)
  const ticket = ticketIn(rule, read)
  const about = {
    ticket_id: ticket?.id ?? null,
    ticket_uid: ticket?.uid ?? null,
    ticket_subject: ticket?.subject ?? null,
  }
  const more = Object.entries(rule.data).map(([name, path]) => [name, read(path)] as const)
  const data = { ...about, ...(more.length > 0 ? Object.fromEntries(more) : recordOf(event, rule)) }
  return { user_id: one.person.id, type: rule.kind, title, message, data }
}

/** The record that a notification is about, unless its ticket already says it. */
function recordOf({ change, ruleSet, record }: NotificationEvent, { ticket }: NotificationRule): JsonObject {
  if (record === undefined || (change !== undefined && ticket !== undefined)) return {}
  return { resource: ruleSet.resource.name, record_id: record }
}

function mailOf({ options }: Context, one: Recipient, words: Filled): readonly Letter[] {
  const { audience, match, person } = one
  const ticket = ticketIn(match.rule, readBy(one))
  const mailed = { words, ticket, alone: !audience.listed }
  const found = mailTo(options, mailed, person)
  if (found === undefined) return []
  const { actorId } = match.event
  const mail = { ...found, by: actorId === person.id ? null : actorId }
  const known = isKnown(person)
  const link = known ? linkTo(optionsOf(options).ticketPage, ticket) : ''
  const only = known ? undefined : ticket?.uid
  return [{ match, mailed, firstName: known ? person.firstName : '', link, only, mail }]
}

/** The copies of a match, in the wording of the account `copies.of`. Each address gets one, and none gets one next to its own mail. */
function copiesOf(fill: Fill, context: Context, match: Match, people: People): readonly Letter[] {
  const { rule, event } = match
  const { copies } = rule
  if (copies === undefined || !usually(context.options, rule) || !isMet(match, copies)) return []
  const wording = wordingFor(match, copies)
  if (wording === undefined) return []
  const read = (path: string): Json => match.findings.values[event.ruleSet.values.get(path) ?? -1] ?? null
  const words = filledBy(fill, context, { match, people, wording }, read)
  const sent = new Set(idsAt(match, copies.of).map((id) => people.byId.get(id)?.email))
  return (event.ruleSet.addresses.get(rule) ?? []).flatMap(({ address, firstName }) =>
    [read(address)].flat().flatMap((email): readonly Letter[] => {
      if (typeof email !== 'string' || sent.has(email)) return []
      sent.add(email)
      const name = firstName === undefined ? '' : String(read(firstName) ?? '')
      const mailed = { words, ticket: ticketIn(rule, read), alone: true }
      const mail = { ...copyTo(mailed, { email, firstName: name }), by: event.actorId }
      return [{ match, mailed, firstName: name, link: '', mail }]
    }),
  )
}

/** The wording of the first entry of `to` that names the account `copies.of`, even if no such account exists. */
function wordingFor(match: Match, { of }: Copies): Wording | undefined {
  const { actorId } = match.event
  const isSelf = actorId !== null && idsAt(match, of).includes(actorId)
  const found = match.rule.to.find((one) => one.people === of && (isSelf || !one.self) && isMet(match, one))
  return found?.wording
}
