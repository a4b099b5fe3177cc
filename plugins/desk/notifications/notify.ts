/** Makes notifications: rows of the transaction that they tell of, and mails that leave once it has committed. */
import type { JsonObject } from '../../../engine/index.ts'
import { explainNotice } from './explain-notice.ts'
import { rowById } from './gather.ts'
import { mailPerson, type Words } from './mail.ts'
import { type NotificationType, optionsOf } from './options.ts'
import { type Audience, peopleOf } from './people.ts'
import { isListed, isMailed } from './reach.ts'
import type { ListRow, Telling } from './telling.ts'
import type { TicketFacts } from './ticket-facts.ts'

export interface Notice {
  readonly type: NotificationType
  readonly title: string
  readonly message: string
  readonly ticket?: TicketFacts
  /** Ids beside those of the ticket. */
  readonly more?: JsonObject
  /** What a mail of it says; the title if absent. A function is called only when somebody is mailed. */
  readonly words?: Words | (() => Promise<Words>)
  /** Nothing stands in the list. */
  readonly mailOnly?: boolean
}

const TITLE_LENGTH = 255
const EXCERPT_LENGTH = 200

/**
 * Tells an audience and gives the ids of those who were told; in the open transaction, so that a change and its
 * notifications are there together or not at all.
 */
export async function notify(context: Telling, notice: Notice, audience: Audience): Promise<readonly number[]> {
  // Who imports a desk of ten thousand tickets tells its people so, once.
  if (context.bulk) return []
  const people = await peopleOf(context, notice.type, audience)
  if (context.explained !== undefined) await explainNotice(context, notice, audience, people)
  const listed = notice.mailOnly === true ? [] : people.filter(({ reach }) => isListed(reach))
  if (listed.length > 0) {
    await addRows(
      context,
      notice,
      listed.map(({ id }) => id),
    )
  }
  const usual = optionsOf(context.options).mail.has(notice.type)
  const mailed = people.filter((one) => isMailed(one, usual))
  if (mailed.length > 0) {
    const { words: said, ...rest } = notice
    const words = typeof said === 'function' ? await said() : said
    for (const person of mailed) await mailPerson(context, words === undefined ? rest : { ...rest, words }, person)
  }
  return people.map(({ id }) => id)
}

async function addRows(context: Telling, notice: Notice, ids: readonly number[]): Promise<void> {
  const { type, title, message, ticket, more = {} } = notice
  const about = {
    ticket_id: ticket?.id ?? null,
    ticket_uid: ticket?.uid ?? null,
    ticket_subject: ticket?.subject ?? null,
  }
  const said = { type, title: [...title].slice(0, TITLE_LENGTH).join(''), message, data: { ...about, ...more } }
  const rows = ids.map((id): ListRow => ({ user_id: id, ...said }))
  if (context.list === undefined) await listRows(context, rows)
  else context.list(rows)
}

/** Writes rows of people's lists, in their order. */
export async function listRows(
  { catalog, logWrites, now, transaction }: Pick<Telling, 'catalog' | 'logWrites' | 'now' | 'transaction'>,
  rows: readonly ListRow[],
): Promise<void> {
  if (rows.length === 0) return
  const { table } = catalog.resources.get('notifications')!
  const text = `insert into "${table}" (user_id, type, title, message, data, created_at)
    select r.user_id, r.type, r.title, r.message, r.data, $2::timestamptz
    from rows from (jsonb_to_recordset($1::jsonb) as (user_id int, type text, title text, message text, data jsonb))
      with ordinality as r(user_id, type, title, message, data, nth)
    order by r.nth returning id`
  const ids = await transaction.run({ text, name: 'notifications add' }, [JSON.stringify(rows), now()])
  await logWrites(
    'notifications',
    ids.map(([id]) => Number(id)),
  )
}

/** The beginning of a long text, in one line. */
export function excerpt(text: unknown): string {
  const line = String(text).replace(/\s+/g, ' ').trim()
  const characters = [...line]
  return characters.length <= EXCERPT_LENGTH ? line : `${characters.slice(0, EXCERPT_LENGTH).join('')}…`
}

/** The name of who began it, for sentences. */
export async function callerName(context: Telling): Promise<string> {
  return context.caller.id === null ? 'The desk' : nameOf(context, context.caller.id)
}

/** The name of an account, for sentences. */
export async function nameOf({ catalog, transaction }: Telling, id: number | null): Promise<string> {
  const { table } = catalog.resources.get('users')!
  const row = id === null ? null : await rowById(transaction, { table, columns: ['first_name', 'last_name'], id })
  return row === null ? 'Somebody' : `${row.first_name} ${row.last_name}`
}
