/** What people are told on the occasions of a batch: rows of their lists and mails, in few statements however many there are. */
import type { Json, JsonObject, ListenerContext } from '../../../engine/index.ts'
import { sendMails } from '../../mail/index.ts'
import { type Candidate, type Context, candidatesOf } from './candidates.ts'
import { gathered, type Letter } from './gather.ts'
import { type ListRow, listRows } from './list.ts'
import { copyTo, isKnown, linkTo, mailTo, type TicketAbout } from './mail.ts'
import type { Copies, Notice } from './notice.ts'
import { idsAt, isMet, type Lot, lotsOf, type Occasion } from './occasion.ts'
import { optionsOf } from './options.ts'
import type { People } from './people.ts'
import { type Plan, ticketPaths } from './plan.ts'
import { isListed, isMailed, toldHow } from './reach.ts'
import { withStrangers } from './strangers.ts'
import { type Filled, filler, type Wording } from './wording.ts'

type Fill = ReturnType<typeof filler>
type Writing = Context & Pick<ListenerContext, 'enqueueEach' | 'logWrites' | 'now'>

/** Tells people. */
export async function tellOf(context: Writing, occasions: readonly Occasion[]): Promise<void> {
  const lots = await lotsOf(context, occasions)
  if (lots.length === 0) return
  const { candidates, people } = await candidatesOf(context, lots)
  const fill = filler(context)
  const words = wordsOf(fill, context, people)
  const told = candidates.filter(({ seen }) => seen !== undefined)
  const rows = told.filter((one) => howOf(context.options, one).listed).map((one) => rowOf(one, words(one)))
  await listRows(context, rows)
  const mails = told
    .filter((one) => howOf(context.options, one).mailed)
    .flatMap((one) => mailOf(context, one, words(one)))
  const copied = lots.flatMap((lot) => copiesOf(fill, context, lot, people))
  const copies = await withStrangers(context, copied)
  await sendMails(context, gathered([...mails, ...copies]))
}

/** Who would be told and who would not, a line for each; nothing is written. */
export async function explainOf(context: Context, occasions: readonly Occasion[]): Promise<readonly Line[]> {
  const lots = await lotsOf(context, occasions)
  if (lots.length === 0) return []
  const { candidates, people } = await candidatesOf(context, lots)
  const told = candidates.map((one): Line => {
    const { kind } = one.lot.notice
    if (one.seen === undefined) return { kind, text: `${one.person.email} ${one.barred}, and is not told` }
    const { listed, mailed } = howOf(context.options, one)
    const chosen = one.person.reachOf(kind) === 'default' ? '' : `, as they chose for ${kind}`
    return { kind, text: `${one.person.email} ${toldHow(listed, mailed)}${chosen}` }
  })
  const fill = filler(context)
  const copied = lots.flatMap((lot) =>
    copiesOf(fill, context, lot, people).map(
      ({ mail }): Line => ({ kind: lot.notice.kind, text: `${mail.to} gets a copy by mail` }),
    ),
  )
  return [...told, ...copied]
}

interface Line {
  readonly kind: string
  readonly text: string
}

/** How somebody is told: as they chose; then as the notice says, or as the options do, of what concerns them. */
function howOf(options: JsonObject, { audience, concerned, lot: { notice }, person }: Candidate) {
  const reach = person.reachOf(notice.kind)
  const isOf = { reach, concerned: concerned || notice.mail !== undefined }
  return { listed: audience.listed && isListed(reach), mailed: isMailed(isOf, usually(options, notice)) }
}

function usually(options: JsonObject, { kind, mail }: Notice): boolean {
  return mail ?? [...optionsOf(options).mail].some((one) => one === kind)
}

/** The words for somebody, filled with what they see. */
function wordsOf(fill: Fill, context: Context, people: People): (candidate: Candidate) => Filled {
  return ({ audience: { wording }, lot, seen }) => {
    const { plan } = lot.occasion
    const read = (path: string): Json =>
      path.startsWith('before.')
        ? (seen?.before[plan.before.indexOf(path.slice('before.'.length))] ?? null)
        : (seen?.now[plan.now.indexOf(path)] ?? null)
    return filledBy(fill, context, { lot, people, wording }, read)
  }
}

interface Wanted {
  readonly lot: Lot
  readonly people: People
  readonly wording: Wording
}

function filledBy(
  fill: Fill,
  { options }: Context,
  { lot, people, wording }: Wanted,
  read: (path: string) => Json,
): Filled {
  const { actorId, plan } = lot.occasion
  const paths = plan.named.get(wording) ?? []
  const name = actorId === null ? optionsOf(options).programName : people.byId.get(actorId)?.name
  const said = { paths, values: paths.map(read), actor: name ?? 'Somebody' }
  return fill(wording, said, paths.length > 0)
}

function ticketIn(notice: Notice, read: (path: string) => Json): TicketAbout | undefined {
  const [id, uid, subject] = ticketPaths(notice).map(read)
  return typeof id === 'number' ? { id, uid: String(uid ?? ''), subject: String(subject ?? '') } : undefined
}

function readBy({ lot, seen }: Candidate): (path: string) => Json {
  const { now }: Plan = lot.occasion.plan
  return (path) => seen?.now[now.indexOf(path)] ?? null
}

function rowOf(one: Candidate, { message, title }: Filled): ListRow {
  const { notice, occasion } = one.lot
  const read = readBy(one)
  const ticket = ticketIn(notice, read)
  const about = {
    ticket_id: ticket?.id ?? null,
    ticket_uid: ticket?.uid ?? null,
    ticket_subject: ticket?.subject ?? null,
  }
  const more = Object.entries(notice.data).map(([name, path]) => [name, read(path)] as const)
  const data = { ...about, ...(more.length > 0 ? Object.fromEntries(more) : recordOf(occasion, notice)) }
  return { user_id: one.person.id, type: notice.kind, title, message, data }
}

/** The record that is told of, where nothing else says which it is. */
function recordOf({ change, plan, record }: Occasion, { ticket }: Notice): JsonObject {
  if (record === undefined || (change !== undefined && ticket !== undefined)) return {}
  return { resource: plan.resource.name, record_id: record }
}

function mailOf({ options }: Context, one: Candidate, words: Filled): readonly Letter[] {
  const { audience, lot, person } = one
  const ticket = ticketIn(lot.notice, readBy(one))
  const mailed = { words, ticket, alone: !audience.listed }
  const found = mailTo(options, mailed, person)
  if (found === undefined) return []
  const { actorId } = lot.occasion
  const mail = { ...found, by: actorId === person.id ? null : actorId }
  const known = isKnown(person)
  const link = known ? linkTo(optionsOf(options).ticketPage, ticket) : ''
  const only = known ? undefined : ticket?.uid
  return [{ lot, mailed, firstName: known ? person.firstName : '', link, only, mail }]
}

/** The copies of a lot, in the words for whom they are copies of; nobody gets one twice, nor who is told already. */
function copiesOf(fill: Fill, context: Context, lot: Lot, people: People): readonly Letter[] {
  const { notice, occasion } = lot
  const { copies } = notice
  if (copies === undefined || !usually(context.options, notice) || !isMet(lot, copies)) return []
  const wording = wordingFor(lot, copies)
  if (wording === undefined) return []
  const read = (path: string): Json => lot.findings.values[occasion.plan.values.get(path) ?? -1] ?? null
  const words = filledBy(fill, context, { lot, people, wording }, read)
  const sent = new Set(idsAt(lot, copies.of).map((id) => people.byId.get(id)?.email))
  return (occasion.plan.addresses.get(notice) ?? []).flatMap(({ address, firstName }) =>
    [read(address)].flat().flatMap((email): readonly Letter[] => {
      if (typeof email !== 'string' || sent.has(email)) return []
      sent.add(email)
      const name = firstName === undefined ? '' : String(read(firstName) ?? '')
      const mailed = { words, ticket: ticketIn(notice, read), alone: true }
      const mail = { ...copyTo(mailed, { email, firstName: name }), by: occasion.actorId }
      return [{ lot, mailed, firstName: name, link: '', mail }]
    }),
  )
}

/** The words of the first entry that tells whom the copies are of, or would if there were somebody. */
function wordingFor(lot: Lot, { of }: Copies): Wording | undefined {
  const { actorId } = lot.occasion
  const isSelf = actorId !== null && idsAt(lot, of).includes(actorId)
  const found = lot.notice.to.find((one) => one.people === of && (isSelf || !one.self) && isMet(lot, one))
  return found?.wording
}
