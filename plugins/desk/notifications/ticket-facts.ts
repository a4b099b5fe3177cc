/** The ticket that a notification is about, as it is inside the transaction. */
import type { HookContext } from '../../../engine/index.ts'

export interface TicketFacts {
  readonly id: number
  readonly uid: string
  readonly subject: string
  /** Its customer. */
  readonly user_id: number | null
  readonly contact_id: number | null
  /** Null too when the account can't work on it any more. */
  readonly assigned_to: number | null
  /** When it was deleted: its customer may read nothing of it any more. */
  readonly deleted_at?: unknown
}

/** The ticket of an id; undefined when there is none. */
export async function ticketOf(
  { catalog, transaction }: Pick<HookContext, 'catalog' | 'transaction'>,
  id: unknown,
): Promise<TicketFacts | undefined> {
  const [tickets, users] = [catalog.resources.get('tickets')!, catalog.resources.get('users')!]
  const { knex } = transaction
  const deleted = tickets.fields.has('deleted_at') ? ['t.deleted_at'] : []
  const assigned = knex(`${users.table} as a`)
    .whereRaw('a.id = t.assigned_to')
    .whereNull('a.deleted_at')
    .whereNot('a.status', 'declined')
    .select('a.id')
    .as('assigned_to')
  return knex(`${tickets.table} as t`)
    .where('t.id', Number(id))
    .first('t.id', 't.uid', 't.subject', 't.user_id', 't.contact_id', ...deleted, assigned)
}
