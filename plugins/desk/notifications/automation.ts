/** The action `notify` of automations: people hear of a record, each in the words that they may read and the way that they want. */
import type {
  ActionContext,
  ActionContribution,
  ActionMistake,
  ActionPlace,
  Entry,
  Json,
  JsonObject,
  Resource,
} from '../../../engine/index.ts'
import { isObject } from '../../../engine/index.ts'
import { readWords } from '../../mail/index.ts'
import { kindOf } from './automation-kinds.ts'
import { type Candidate, candidatesOf, exceptedIn, toMistake, toOf } from './automation-people.ts'
import { TAKES } from './automation-takes.ts'
import { type Filled, filler, pathsIn, wordingOf, wordMistakes } from './automation-words.ts'
import { mailPerson, type TicketAbout } from './mail.ts'
import { listRows } from './notify.ts'
import { optionsOf } from './options.ts'
import { isListed, isMailed, toldHow } from './reach.ts'
import type { ListRow } from './telling.ts'

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value]
}

/** Finds people whom there are not, and texts that can't be read. */
function check(given: JsonObject, place: ActionPlace): readonly ActionMistake[] {
  const people = (['to', 'except'] as const).flatMap((key) =>
    listOf(given[key]).flatMap((entry, index) => {
      const at = Array.isArray(given[key]) ? [key, index] : [key]
      const mistake = toMistake(place, entry)
      const words = isObject(entry) ? wordMistakes(place, entry) : []
      return [
        ...(mistake === undefined ? [] : [{ ...mistake, at }]),
        ...words.map((one) => ({ ...one, at: [...at, ...(one.at ?? [])] })),
      ]
    }),
  )
  const data = Object.entries(dataIn(given)).flatMap(([name, path]) =>
    readWords(place, `{{ ${path} }}`).mistakes.map((mistake) => ({ ...mistake, at: ['data', name] })),
  )
  return [...people, ...wordMistakes(place, given), ...data]
}

function dataIn({ data }: JsonObject): Readonly<Record<string, string>> {
  return isObject(data) ? Object.fromEntries(Object.entries(data).map(([name, path]) => [name, String(path)])) : {}
}

/** What somebody is told. */
interface ToldPerson extends Candidate, Filled {
  readonly ticket: TicketAbout | undefined
  /** What `data` names. */
  readonly more: JsonObject
}

/** `notifications.notify`: one look for each class of readers, one statement for all rows, and one for all mails. */
async function run(context: ActionContext): Promise<void> {
  const { options, work } = context
  const kind = kindOf(work.given, work.automation)
  const told = await toldTo(context, await candidatesIn(context, kind))
  const listed = told.filter(({ person }) => isListed(person.reach))
  await listRows(
    context,
    listed.map((one) => rowOf(context, kind, one)),
  )
  const entries: Entry[] = []
  const telling = {
    ...context,
    options,
    caller: { id: null },
    bulk: false,
    enqueue: async (_: string, payload: JsonObject) => String(entries.push({ payload })),
  }
  for (const { person, sentence, speaks, text, ticket, title } of told) {
    if (!isMailedOf(context, kind, person)) continue
    // Nothing of a record goes to an address that nobody confirmed; of a ticket it hears that there is news.
    if (person.customer && !person.verified && ticket === undefined && speaks) continue
    const about = ticket === undefined ? {} : { ticket }
    const words = { staff: sentence, customer: sentence, text }
    await mailPerson(telling, { type: kind, title, words, ...about }, person)
  }
  await context.enqueueEach('mail.send', entries)
}

async function candidatesIn(context: ActionContext, kind: string): Promise<readonly Candidate[]> {
  const { given } = context.work
  const found = await candidatesOf(context, listOf(given.to).map(toOf), kind)
  const excepted = await exceptedIn(context, listOf(given.except).map(String))
  return found.filter(({ person, record }) => !excepted.has(`${record} ${person.id}`))
}

/** Whether somebody is mailed of a kind: as they chose; then as the automation says, or as the options do, of what concerns them. */
function isMailedOf({ options, work }: ActionContext, kind: string, person: Candidate['person']): boolean {
  if (typeof work.given.mail === 'boolean') return isMailed({ ...person, concerned: true }, work.given.mail)
  return isMailed(person, [...optionsOf(options).mail].includes(kind))
}

/** What each candidate who may see the record reads of it, for each cause that was not its own doing. */
async function toldTo(context: ActionContext, candidates: readonly Candidate[]): Promise<readonly ToldPerson[]> {
  const { catalog, sightings, work } = context
  const { given, records, resource } = work
  const wordings = listOf(given.to).map((entry) => wordingOf(given, entry))
  const paths = pathsIn({ catalog, resource }, wordings)
  const [facts, data] = [ticketPaths(resource), dataIn(given)]
  const alone = records.length === 0
  const asked = [...paths, ...facts, ...Object.values(data)]
  const seen = alone ? [] : await sightings(resource.name, asked, candidates)
  const actors = new Map<number, (number | null)[]>()
  for (const { change, id } of records) actors.set(id, [...(actors.get(id) ?? []), change?.actorId ?? null])
  const fill = filler(context, wordings, paths)
  return candidates.flatMap((candidate, at) => {
    const values = alone ? asked.map(() => null) : seen[at]
    if (values === undefined) return []
    const words = fill(candidate.entry, values.slice(0, paths.length))
    const rest = values.slice(paths.length)
    const more = Object.keys(data).map((name, nth) => [name, rest[facts.length + nth] ?? null] as const)
    const ticket = ticketIn(rest.slice(0, facts.length))
    const told: ToldPerson = { ...candidate, ...words, ticket, more: Object.fromEntries(more) }
    if (alone) return [told]
    return (actors.get(candidate.record) ?? []).filter((id) => id !== candidate.person.id).map(() => told)
  })
}

/** The paths to what is said of a ticket: of the record itself, or of the ticket that it belongs to. */
function ticketPaths({ owner, relations }: Resource): readonly string[] {
  if (owner === 'tickets') return ['id', 'uid', 'subject']
  const relation = relations.get('ticket')
  return relation?.kind === 'belongs_to' && relation.target === 'tickets'
    ? ['ticket.id', 'ticket.uid', 'ticket.subject']
    : []
}

function ticketIn([id, uid, subject]: readonly Json[]): TicketAbout | undefined {
  return typeof id === 'number' ? { id, uid: String(uid ?? ''), subject: String(subject ?? '') } : undefined
}

function rowOf(
  { work }: ActionContext,
  kind: string,
  { message, more, person, record, ticket, title }: ToldPerson,
): ListRow {
  const about = {
    ticket_id: ticket?.id ?? null,
    ticket_uid: ticket?.uid ?? null,
    ticket_subject: ticket?.subject ?? null,
  }
  const named = work.given.data !== undefined || record === 0
  const data = { ...about, ...(named ? more : { resource: work.resource.name, record_id: record }) }
  return { user_id: person.id, type: kind, title, message, data }
}

/** Who would be told of the records, and how; whoever made a change is not told of it. */
async function explain(context: ActionContext): Promise<readonly string[]> {
  const { work } = context
  const kind = kindOf(work.given, work.automation)
  const candidates = await candidatesOf(context, listOf(work.given.to).map(toOf), kind)
  const excepted = await exceptedIn(context, listOf(work.given.except).map(String))
  const seen = await context.sightings(work.resource.name, [], candidates)
  return candidates.map(({ person, record }, at) => {
    if (excepted.has(`${record} ${person.id}`)) return `${person.email} is named under except, and is not told`
    if (seen[at] === undefined) return `${person.email} may not see the record, and is not told`
    const how = toldHow(isListed(person.reach), isMailedOf(context, kind, person))
    return `${person.email} ${how}${person.reach === 'default' ? '' : `, as they chose for ${kind}`}`
  })
}

export const notifyAction: ActionContribution = {
  description: 'Tells people of the record, in their list of notifications and by mail.',
  key: 'notify',
  takes: TAKES,
  check,
  run,
  explain,
}
