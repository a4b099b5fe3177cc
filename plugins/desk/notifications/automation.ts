/** The action `notify` of automations: people hear of a record, each in the words that they may read and the way that they want. */
import type {
  ActionContext,
  ActionContribution,
  ActionMistake,
  ActionPlace,
  Entry,
  Json,
  JsonObject,
  JsonSchema,
  Resource,
} from '../../../engine/index.ts'
import { fillWords, readWords, wordsData } from '../../mail/index.ts'
import { kindOf } from './automation-kinds.ts'
import { type Candidate, candidatesOf, toMistake, toOf } from './automation-people.ts'
import { mailPerson, type TicketAbout } from './mail.ts'
import { isListed, isMailed } from './reach.ts'

const NAME = { type: 'string', minLength: 1, maxLength: 255 } as const

const HOLDERS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    roles: {
      type: 'array',
      items: NAME,
      minItems: 1,
      description: 'Everybody with one of these roles.',
      examples: [['admin']],
    },
    permission: { ...NAME, description: 'Everybody who holds this permission.', examples: ['tickets.view'] },
  },
}

const TAKES: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['to', 'title'],
  properties: {
    to: {
      description: 'Whom: relations to accounts, roles, or a permission.',
      examples: [['assignedTo', { roles: ['manager'] }]],
      oneOf: [NAME, HOLDERS, { type: 'array', items: { oneOf: [NAME, HOLDERS] }, minItems: 1, maxItems: 50 }],
    },
    title: {
      ...NAME,
      description: 'What happened, in Liquid over the record.',
      examples: ['Ticket #{{ uid }} is late'],
    },
    message: {
      type: 'string',
      maxLength: 5_000,
      default: '',
      description: 'What there is to say about it, in Liquid over the record.',
      examples: ['{{ subject }}'],
    },
    kind: {
      type: 'string',
      pattern: '^[a-z][a-z0-9_]{0,63}$',
      description: 'The kind, for filters and for each person’s settings; the name of the automation if absent.',
      examples: ['ticket_late'],
    },
    mail: {
      type: 'boolean',
      default: false,
      description: 'Whether it is mailed too, unless a person decides otherwise.',
      examples: [true],
    },
  },
}

const TITLE_LENGTH = 255
const MESSAGE_LENGTH = 5_000

function entriesIn({ to }: JsonObject): readonly Json[] {
  return Array.isArray(to) ? to : [to ?? '']
}

/** Finds people whom there are not, and texts that can't be read. */
function check(given: JsonObject, place: ActionPlace): readonly ActionMistake[] {
  const lost = entriesIn(given).flatMap((entry, index) => {
    const mistake = toMistake(place, toOf(entry))
    return mistake === undefined ? [] : [{ ...mistake, at: Array.isArray(given.to) ? ['to', index] : ['to'] }]
  })
  const texts = (['title', 'message'] as const).flatMap((key) =>
    readWords(place, String(given[key] ?? '')).mistakes.map((mistake) => ({ ...mistake, at: [key] })),
  )
  return [...lost, ...texts]
}

/** What somebody is told. */
interface Told extends Candidate {
  readonly title: string
  readonly message: string
  readonly ticket: TicketAbout | undefined
}

/** `notifications.notify`: one look for each class of readers, one statement for all rows, and one for all mails. */
async function run(context: ActionContext): Promise<void> {
  const { options, work } = context
  const kind = kindOf(work.given, work.automation)
  const candidates = await candidatesOf(context, entriesIn(work.given).map(toOf), kind)
  const told = await toldTo(context, candidates)
  const listed = told.filter(({ person }) => isListed(person.reach))
  if (listed.length > 0) await addRows(context, kind, listed)
  const entries: Entry[] = []
  const telling = {
    ...context,
    options,
    caller: { id: null },
    bulk: false,
    enqueue: async (_: string, payload: JsonObject) => String(entries.push({ payload })),
  }
  for (const { message, person, ticket, title } of told) {
    if (!isMailed(person, work.given.mail === true)) continue
    // Nothing of a record goes to an address that nobody confirmed; of a ticket it hears that there is news.
    if (person.customer && !person.verified && ticket === undefined) continue
    const sentence = /[.!?…:]$/.test(title) ? title : `${title}.`
    const about = ticket === undefined ? {} : { ticket }
    const words = { staff: sentence, customer: sentence, text: message }
    await mailPerson(telling, { type: kind, title, words, ...about }, person)
  }
  await context.enqueueEach('mail.send', entries)
}

/** What each candidate who may see the record reads of it, for each cause that was not its own doing. */
async function toldTo(context: ActionContext, candidates: readonly Candidate[]): Promise<readonly Told[]> {
  const { catalog, sightings, work } = context
  const place = { catalog, resource: work.resource }
  const [title, message] = [String(work.given.title), String(work.given.message ?? '')]
  const paths = [...new Set([title, message].flatMap((text) => readWords(place, text).paths))]
  const facts = ticketPaths(work.resource)
  const alone = work.records.length === 0
  const seen = alone ? [] : await sightings(work.resource.name, [...paths, ...facts], candidates)
  const actors = new Map<number, (number | null)[]>()
  for (const { change, id } of work.records) actors.set(id, [...(actors.get(id) ?? []), change?.actorId ?? null])
  const filled = new Map<string, Pick<Told, 'title' | 'message'>>()
  // Readers of one record mostly see the same values.
  const wordsFor = (values: readonly Json[]): Pick<Told, 'title' | 'message'> => {
    const key = JSON.stringify(values)
    const data = wordsData(context, paths, values)
    const words = filled.get(key) ?? {
      title: cut(fillWords(title, data).replace(/\s+/g, ' '), TITLE_LENGTH),
      message: cut(fillWords(message, data), MESSAGE_LENGTH),
    }
    filled.set(key, words)
    return words
  }
  return candidates.flatMap((candidate, at) => {
    const values = alone ? paths.map(() => null) : seen[at]
    if (values === undefined) return []
    const told: Told = { ...candidate, ...wordsFor(values), ticket: ticketIn(values.slice(paths.length)) }
    if (alone) return [told]
    return (actors.get(candidate.record) ?? []).filter((id) => id !== candidate.person.id).map(() => told)
  })
}

function cut(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`
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

async function addRows(
  { catalog, now, transaction, work }: ActionContext,
  kind: string,
  told: readonly Told[],
): Promise<void> {
  const data = told.map(({ record, ticket }) =>
    JSON.stringify({
      ticket_id: ticket?.id ?? null,
      ticket_uid: ticket?.uid ?? null,
      ticket_subject: ticket?.subject ?? null,
      ...(record === 0 ? {} : { resource: work.resource.name, record_id: record }),
    }),
  )
  const text = `insert into "${catalog.resources.get('notifications')!.table}" (user_id, type, title, message, data, created_at)
    select t.user_id, $1, t.title, t.message, t.data, $6::timestamptz
    from unnest($2::int[], $3::text[], $4::text[], $5::jsonb[]) as t(user_id, title, message, data)`
  const columns = [
    told.map(({ person }) => person.id),
    told.map(({ title }) => title),
    told.map(({ message }) => message),
  ]
  await transaction.run({ text, name: 'notifications add many' }, [kind, ...columns, data, now().toISOString()])
}

/** Who would be told of the records, and how; whoever made a change is not told of it. */
async function explain(context: ActionContext): Promise<readonly string[]> {
  const { work } = context
  const kind = kindOf(work.given, work.automation)
  const candidates = await candidatesOf(context, entriesIn(work.given).map(toOf), kind)
  const seen = await context.sightings(work.resource.name, [], candidates)
  return candidates.map(({ person }, at) => {
    if (seen[at] === undefined) return `${person.email} may not see the record, and is not told`
    const ways = [
      ...(isListed(person.reach) ? ['in the list'] : []),
      ...(isMailed(person, work.given.mail === true) ? ['by mail'] : []),
    ]
    const how = ways.length === 0 ? 'is not told' : `is told ${ways.join(' and ')}`
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
