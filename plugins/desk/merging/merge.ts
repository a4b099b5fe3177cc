/** Merges a ticket into another one, and undoes that. */
import {
  ApiError,
  fieldError,
  invalid,
  type JsonObject,
  type Reply,
  type RouteContext,
  type Transaction,
} from '../../../engine/index.ts'
import { idsIn, MOVING, moveRows, shareWatchers } from './move.ts'

type Merging = RouteContext & { readonly transaction: Transaction }

interface Pair {
  readonly old: JsonObject
  readonly into: JsonObject
}

/** `POST /tickets/{id}/merge` */
export function merge({ once }: RouteContext): Promise<Reply> {
  return once(async (context) => {
    const pair = await pairOf(context)
    const { old, into } = pair
    refuse(pair, context.body.force === true)
    const [from, to] = [Number(old.id), Number(into.id)]
    const moved: Record<string, readonly number[]> = {}
    const same = isSameCustomer(pair)
    if (same) for (const one of MOVING) moved[one] = await moveRows(context, one, from, to)
    moved.description = [await describe(context, pair, same)]
    moved.watchers = await shareWatchers(context, from, to)
    await keep(context, pair, moved)
    const status = await closedStatus(context, Number(old.status_id))
    await context.records('tickets').update(from, { status_id: status }, { fixed: { merged_into_id: to } })
    return {
      data: await context.records('tickets').get(to),
      message: `Ticket #${old.uid} was merged into #${into.uid}`,
    }
  })
}

/**
 * Both tickets, locked, if the caller may change each; the lower id first, so that two merges never wait for each
 * other.
 */
async function pairOf({ body, headers, params, records }: Merging): Promise<Pair> {
  const tickets = records('tickets')
  const other = await tickets.get(Number(body.into)).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'record_not_found') throw error
    throw invalid({ into: [fieldError('invalid_selection', 'The selected ticket is invalid')] })
  })
  const found = await tickets.get(params.id ?? '')
  const ids = [Number(found.id), Number(other.id)]
  for (const id of [...ids].sort((a, b) => a - b)) {
    await tickets.update(id, {}, id === ids[0] ? { ifMatch: headers['if-match'] } : {})
  }
  // Read again: the values from before the lock may be old.
  return { old: await tickets.get(Number(found.id)), into: await tickets.get(Number(other.id)) }
}

function refuse({ old, into }: Pair, force: boolean): void {
  if (old.id === into.id) throw invalid({ into: ['A ticket cannot be merged into itself'] })
  if (old.merged_into_id !== null)
    throw new ApiError('conflict', { message: `Ticket #${old.uid} was merged already: undo that first` })
  if (into.merged_into_id !== null) {
    const { uid } = into.merged_into as JsonObject
    throw invalid({ into: [`Ticket #${into.uid} was merged into #${uid}: merge into that one`] })
  }
  if (force || isSameCustomer({ old, into })) return
  throw new ApiError('conflict', {
    message: `#${old.uid} and #${into.uid} are of different customers: send "force": true to merge them all the same`,
  })
}

/** Of the same account; without an account, of the same contact or of none. */
function isSameCustomer({ old, into }: Pair): boolean {
  if (old.user_id !== into.user_id) return false
  return old.user_id !== null || old.contact_id === into.contact_id
}

/**
 * The details of the ticket as a comment on the other one: written by its customer at that time, or internal where the
 * other customer may not read them.
 */
async function describe(
  { actor, catalog, now, transaction }: Merging,
  { old, into }: Pair,
  same: boolean,
): Promise<number> {
  const { table } = catalog.resources.get('ticket_comments')!
  const text = `${old.subject}\n\n${old.details}`
  const row = same
    ? { comment: text, is_internal: false, user_id: old.user_id, created_at: old.created_at, updated_at: now() }
    : {
        comment: `Ticket #${old.uid} was merged into this one: ${text}`,
        is_internal: true,
        user_id: actor.id,
        created_at: now(),
        updated_at: now(),
      }
  const [made] = await transaction
    .knex(table)
    .insert({ ...row, ticket_id: into.id })
    .returning('id')
  return Number(made.id)
}

async function keep(context: Merging, { old, into }: Pair, moved: Record<string, readonly number[]>): Promise<void> {
  const { actor, catalog, now, transaction } = context
  const { table } = catalog.resources.get('ticket_merges')!
  const row = { ticket_id: old.id, into_id: into.id, status_id: old.status_id, user_id: actor.id, merged_at: now() }
  await transaction.knex(table).insert({ ...row, moved: JSON.stringify(moved) })
}

/** The status of a merged ticket: its own if that is closed, else the first closed one that is not cancelled. */
async function closedStatus({ catalog, transaction }: Merging, own: number): Promise<number> {
  const { fields, table } = catalog.resources.get('statuses')!
  const order = fields.has('is_cancelled') ? 's.is_cancelled, s.id' : 's.id'
  const text = `select s.id from "${table}" s where s.category = 'closed' and (s.deleted_at is null or s.id = $1::integer)
    order by s.id <> $1::integer, ${order} limit 1`
  const [row] = await transaction.run({ text }, [own])
  return Number(row?.[0])
}

/** `POST /tickets/{id}/unmerge` */
export function unmerge({ once }: RouteContext): Promise<Reply> {
  return once(async (context) => {
    const { catalog, headers, model, params, records, transaction } = context
    const { knex } = transaction
    const table = (name: string): string => catalog.resources.get(name)!.table
    const tickets = records('tickets')
    const { id } = await tickets.get(params.id ?? '')
    const old = await tickets.update(Number(id), {}, { ifMatch: headers['if-match'] })
    const kept = await knex(table('ticket_merges')).where({ ticket_id: old.id }).first()
    if (old.merged_into_id === null || kept === undefined)
      throw new ApiError('conflict', { message: `Ticket #${old.uid} was not merged` })
    const [from, to] = [Number(old.id), Number(kept.into_id)]
    await otherOf(context, old, to)
    const moved = kept.moved as JsonObject
    for (const one of MOVING) await moveRows(context, one, to, from, idsIn(moved, one))
    await knex(table('ticket_comments'))
      .whereIn('id', [...idsIn(moved, 'description')])
      .delete()
    await knex(table('ticket_watchers'))
      .where({ ticket_id: to })
      .whereIn('user_id', [...idsIn(moved, 'watchers')])
      .delete()
    await knex(table('ticket_merges')).where({ ticket_id: from }).delete()
    const before = await model('statuses').query().modify('live').findById(kept.status_id).select('id')
    await tickets.update(from, before === undefined ? {} : { status_id: Number(before.id) }, {
      fixed: { merged_into_id: null },
    })
    return { data: await tickets.get(from), message: `The merge of ticket #${old.uid} was undone` }
  })
}

/**
 * Locks the other ticket, which the caller must be allowed to change; refuses where something that moved has moved on.
 */
async function otherOf(
  { catalog, records, transaction }: Parameters<Parameters<RouteContext['once']>[0]>[0],
  old: JsonObject,
  id: number,
): Promise<void> {
  const { uid } = old.merged_into as JsonObject
  const row = await transaction
    .knex(catalog.resources.get('tickets')!.table)
    .where({ id })
    .first('deleted_at', 'merged_into_id')
  if (row?.deleted_at !== null)
    throw new ApiError('conflict', { message: `Ticket #${uid} is deleted: restore it first` })
  if (row.merged_into_id !== null)
    throw new ApiError('conflict', { message: `Ticket #${uid} was merged too since then: undo that first` })
  await records('tickets').update(id, {})
}
