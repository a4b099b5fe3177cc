/** Splits a ticket: makes a new one of some of its comments. */
import {
  admits,
  fieldError,
  invalid,
  type JsonObject,
  type Reply,
  type RouteContext,
  type Row,
  type Transaction,
} from '../../../engine/index.ts'
import { worksOn } from '../tickets/assignee.ts'
import { moveRows, shareWatchers } from './move.ts'

type Splitting = RouteContext & { readonly transaction: Transaction }

/** The values that the new ticket takes over. */
const TAKEN_OVER = [
  'user_id',
  'contact_id',
  'priority_id',
  'category_id',
  'sub_category_id',
  'department_id',
  'type_id',
  'tags',
  'cc',
] as const

/** `POST /tickets/{id}/split` */
export function split({ once }: RouteContext): Promise<Reply> {
  return once(async (context) => {
    const { body, headers, params, records } = context
    const tickets = records('tickets')
    const { id } = await tickets.get(params.id ?? '')
    const old = await tickets.update(Number(id), {}, { ifMatch: headers['if-match'] })
    const ids = body.comments as readonly number[]
    const comments = await commentsOf(context, Number(old.id), ids)
    const details = body.details ?? firstPublic(comments)
    if (details === undefined)
      throw invalid({ details: ['The details field is required: all of the comments are internal'] })
    const input = { subject: body.subject ?? null, details }
    const made = await tickets.create(input, { ...(await takenOver(context, old)), split_from_id: Number(old.id) })
    await moveRows(context, 'ticket_comments', Number(old.id), Number(made.id), ids)
    await shareWatchers(context, Number(old.id), Number(made.id))
    return {
      status: 201,
      data: await tickets.get(Number(made.id)),
      message: `Ticket #${made.uid} was split from #${old.uid}`,
    }
  })
}

/**
 * The comments in the order of their writing: id, text, internal; throws validation_failed for comments of other
 * tickets.
 */
async function commentsOf(context: Splitting, ticket: number, ids: readonly number[]): Promise<readonly Row[]> {
  const { catalog, readable, transaction } = context
  const values: unknown[] = [ticket, ids]
  const text = `select c.id, c.comment, c.is_internal from "${catalog.resources.get('ticket_comments')!.table}" c
    where c.ticket_id = $1::integer and c.id = any($2::integer[]) and ${readable('ticket_comments', 'c', values)}
    order by c.created_at, c.id`
  const rows = await transaction.run({ text }, values)
  const found = new Set(rows.map(([id]) => Number(id)))
  const errors = ids.flatMap((id, index) =>
    found.has(id)
      ? []
      : [[`comments.${index}`, [fieldError('invalid_selection', 'The selected comment is invalid')]] as const],
  )
  if (errors.length > 0) throw invalid(Object.fromEntries(errors))
  return rows
}

function firstPublic(comments: readonly Row[]): string | undefined {
  return comments.find(([, , internal]) => internal === 'f')?.[1] ?? undefined
}

/** As the system reads them, since they are stored as they are; the assignee only where the caller may assign. */
async function takenOver(context: Splitting, { id }: JsonObject): Promise<JsonObject> {
  const stored = await context.records('tickets', 'system').get(Number(id))
  const values: Record<string, JsonObject[string]> = {}
  for (const name of TAKEN_OVER) if (stored[name] !== undefined) values[name] = stored[name] ?? null
  const assignee = Number(stored.assigned_to ?? 0)
  const stays = assignee > 0 && admits(context.actor, 'tickets.assign') && (await worksOn(context, assignee))
  return stays ? { ...values, assigned_to: assignee } : values
}
