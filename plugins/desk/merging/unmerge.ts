/** Undoes a merge: what moved comes back, as far as it is still there. */
import { ApiError, type JsonObject, type Reply, type RouteContext } from '../../../engine/index.ts'
import { idsIn, MOVING, moveRows } from './move.ts'

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

/** Locks the other ticket, which the caller must be allowed to change; refuses where what moved has gone on from there. */
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
