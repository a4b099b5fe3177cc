/** Makes notifications: rows of the transaction that they tell of, and mails that leave once it has committed. */
import type { HookContext, JsonObject } from '../../../engine/index.ts'
import { sendMail } from '../../mail/index.ts'
import { type NotificationType, optionsOf } from './options.ts'
import { type Audience, type Person, peopleOf } from './people.ts'

/** The ticket that a notification is about. */
export interface TicketFacts {
  readonly id: number
  readonly uid: string
  readonly subject: string
  readonly user_id: number | null
  readonly assigned_to: number | null
  /** When it was deleted: its customer may read nothing of it any more. */
  readonly deleted_at?: unknown
}

export interface Notice {
  readonly type: NotificationType
  readonly title: string
  readonly message: string
  readonly ticket?: TicketFacts
  /** Ids beside those of the ticket. */
  readonly more?: JsonObject
  /** Whom of the audience a mail is for; absent: nobody. */
  readonly mailTo?: (person: Person) => boolean
}

const TITLE_LENGTH = 255
const EXCERPT_LENGTH = 200

/**
 * Tells an audience and gives the ids of those who were told; in the open transaction, so that a change and its
 * notifications are there together or not at all.
 */
export async function notify(context: HookContext, notice: Notice, audience: Audience): Promise<readonly number[]> {
  // Who imports a desk of ten thousand tickets tells its people so, once.
  if (context.bulk) return []
  const people = await peopleOf(context, audience)
  if (people.length === 0) return []
  const ids = people.map(({ id }) => id)
  const { type, title, message, ticket, more = {} } = notice
  const about = {
    ticket_id: ticket?.id ?? null,
    ticket_uid: ticket?.uid ?? null,
    ticket_subject: ticket?.subject ?? null,
  }
  const table = context.catalog.resources.get('notifications')!.table
  await context.transaction.run(
    {
      text: `insert into "${table}" (user_id, type, title, message, data, created_at)
        select unnest($1::int[]), $2, $3, $4, $5::jsonb, $6::timestamptz`,
      name: 'notifications add',
    },
    [
      ids,
      type,
      [...title].slice(0, TITLE_LENGTH).join(''),
      message,
      JSON.stringify({ ...about, ...more }),
      context.now(),
    ],
  )
  const mailed = optionsOf(context.options).mail.has(type) ? people.filter((one) => notice.mailTo?.(one) === true) : []
  for (const person of mailed) await mail(context, notice, person)
  return ids
}

async function mail(context: HookContext, { type, message, ticket }: Notice, person: Person): Promise<void> {
  const uid = ticket?.uid ?? ''
  if (person.customer && !person.verified) {
    // Anybody can register with a stranger's address: what they write must not reach the stranger as the desk's mail.
    const bare = new URL('./mails/unconfirmed.liquid', import.meta.url)
    return sendMail(context, { template: bare, to: person.email, data: { uid } })
  }
  const template = new URL(`./mails/${type}.liquid`, import.meta.url)
  const data = { first_name: person.firstName, message, uid, subject: ticket?.subject ?? '' }
  await sendMail(context, { template, to: person.email, data: { ...data, is_customer: person.customer } })
}

/** The ticket of an id as it is inside the transaction; undefined when there is none. */
export async function ticketOf({ catalog, transaction }: HookContext, id: unknown): Promise<TicketFacts | undefined> {
  const { fields, table } = catalog.resources.get('tickets')!
  const deleted = fields.has('deleted_at') ? ['deleted_at'] : []
  return transaction
    .knex(table)
    .where({ id: Number(id) })
    .first('id', 'uid', 'subject', 'user_id', 'assigned_to', ...deleted)
}

/** The beginning of a long text, in one line. */
export function excerpt(text: unknown): string {
  const line = String(text).replace(/\s+/g, ' ').trim()
  const characters = [...line]
  return characters.length <= EXCERPT_LENGTH ? line : `${characters.slice(0, EXCERPT_LENGTH).join('')}…`
}

/** The name of who began it, for sentences. */
export async function callerName({ caller, catalog, transaction }: HookContext): Promise<string> {
  if (caller.id === null) return 'The desk'
  const { table } = catalog.resources.get('users')!
  const row = await transaction.knex(table).where({ id: caller.id }).first('first_name', 'last_name')
  return row === undefined ? 'Somebody' : `${row.first_name} ${row.last_name}`
}
