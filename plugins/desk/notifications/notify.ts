/** Makes notifications: rows of the transaction that they tell of, and mails that leave once it has committed. */
import type { HookContext, JsonObject } from '../../../engine/index.ts'
import { mailPerson, type Words } from './mail.ts'
import { type NotificationType, optionsOf } from './options.ts'
import { type Audience, peopleOf } from './people.ts'
import { isListed, isMailed } from './reach.ts'
import type { TicketFacts } from './ticket-facts.ts'

export interface Notice {
  readonly type: NotificationType
  readonly title: string
  readonly message: string
  readonly ticket?: TicketFacts
  /** Ids beside those of the ticket. */
  readonly more?: JsonObject
  /** What a mail of it says; the title if absent. */
  readonly words?: Words
  /** Nothing stands in the list. */
  readonly mailOnly?: boolean
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
  const people = await peopleOf(context, notice.type, audience)
  const listed = notice.mailOnly === true ? [] : people.filter(({ reach }) => isListed(reach))
  if (listed.length > 0) {
    await addRows(
      context,
      notice,
      listed.map(({ id }) => id),
    )
  }
  const usual = optionsOf(context.options).mail.has(notice.type)
  for (const person of people.filter((one) => isMailed(one, usual))) await mailPerson(context, notice, person)
  return people.map(({ id }) => id)
}

async function addRows(context: HookContext, notice: Notice, ids: readonly number[]): Promise<void> {
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
