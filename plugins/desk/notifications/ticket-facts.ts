/** The tickets that notifications are about, as they are by now. */
import type { Id, Resource } from '../../../engine/index.ts'
import type { Telling } from './telling.ts'

export interface TicketFacts {
  readonly id: number
  readonly uid: string
  readonly subject: string
  /** Its customer. */
  readonly user_id: number | null
  readonly contact_id: number | null
  /** Null too when the account can't work on it any more. */
  readonly assigned_to: number | null
  readonly details: string
  /** Addresses that get a copy of what is mailed to the customer. */
  readonly cc: readonly string[]
  /** Accounts that hear of whatever happens on it, as far as they may see it. */
  readonly watchers: readonly number[]
  /** When it was deleted: its customer may read nothing of it any more. */
  readonly deleted_at?: unknown
}

/** The tickets of these ids, deleted ones too. */
export async function ticketsOf(
  { catalog, transaction }: Pick<Telling, 'catalog' | 'transaction'>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, TicketFacts>> {
  const [tickets, users] = [catalog.resources.get('tickets')!, catalog.resources.get('users')!]
  const { knex } = transaction
  const optional = ['deleted_at', 'cc'].filter((name) => tickets.fields.has(name)).map((name) => `t.${name}`)
  const assigned = knex(`${users.table} as a`)
    .whereRaw('a.id = t.assigned_to')
    .whereNull('a.deleted_at')
    .whereNot('a.status', 'declined')
    .select('a.id')
    .as('assigned_to')
  const rows = await knex(`${tickets.table} as t`)
    .whereIn('t.id', [...new Set(ids)])
    .select('t.id', 't.uid', 't.subject', 't.details', 't.user_id', 't.contact_id', ...optional, assigned, {
      watchers: knex.raw(watchersSql(tickets)),
    })
  return new Map(rows.map((ticket) => [ticket.id, { cc: [], ...ticket }]))
}

/** An application may have tickets that nobody can watch. */
function watchersSql({ relations }: Resource): string {
  const watchers = relations.get('watchers')
  if (watchers?.kind !== 'many_to_many') return 'array[]::integer[]'
  const { table, from, to } = watchers.through
  return `array(select w."${to}" from "${table}" w where w."${from}" = t.id order by 1)`
}

/** Who watches a ticket, as part of an audience: told of the ticket, or of what is said on it, if they may see that. */
export function watchersOf({ id, watchers }: TicketFacts, said?: { readonly resource: string; readonly recordId: Id }) {
  const { resource, recordId } = said ?? { resource: 'tickets', recordId: id }
  return { ids: watchers, resource, recordId }
}
