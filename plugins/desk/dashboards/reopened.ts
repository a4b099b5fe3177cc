/** How often finished work was taken up again. */
import { loggedIdSql, type RouteContext } from '../../../engine/index.ts'
import { ENDED } from '../tickets/figures.ts'
import { ONCE } from './duration.ts'
import type { Period } from './period.ts'
import { ticketQuery } from './tickets.ts'

/**
 * Changes of a ticket's status in the period, from a category that ends the work to one that does not, as the categories
 * are now; a merge that is undone takes no work up again. Only what the activity record holds is known; 0 for the time before it was kept, and where it is not kept.
 */
export async function reopenings(context: RouteContext, period: Period): Promise<number> {
  const tickets = context.catalog.resources.get('tickets')!
  if (tickets.keys.activity !== true) return 0
  const query = ticketQuery(context)
  const ended = (side: 'from' | 'to'): string =>
    `(c ->> '${side}')::int = any(array(select s.id from ${query.table('statuses')} s where s.category in (${ENDED.map((category) => `'${category}'`).join(', ')})))`
  const changes = `select ${loggedIdSql(context.catalog, tickets, 'a')} as ticket_id from plinth_change a, lateral jsonb_array_elements(a.changes) c
    where a.resource = 'tickets' and a.action = 'update' and ${query.within('a.created_at', period)}
      and c ->> 'field' = 'status_id' and ${ended('from')} and not ${ended('to')}
      and not exists (select 1 from jsonb_array_elements(a.changes) m where m ->> 'field' = 'merged_into_id') ${ONCE}`
  const [row] = await query.run(
    `select count(*) from (${changes}) x join ${query.from} on t.id = x.ticket_id where ${query.counted()}`,
  )
  return Number(row?.[0] ?? 0)
}
