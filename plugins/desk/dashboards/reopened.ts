/** How often finished work was taken up again. */
import type { RouteContext } from '../../../engine/index.ts'
import { ENDED } from '../tickets/figures.ts'
import type { Period } from './period.ts'
import { ticketQuery } from './tickets.ts'

/**
 * Changes of a ticket's status in the period, from a category that ends the work to one that does not, as the categories
 * are now. Only what the activity record holds is known; 0 for the time before it was kept, and where it is not kept.
 */
export async function reopenings(context: RouteContext, period: Period): Promise<number> {
  if (context.catalog.resources.get('tickets')?.keys.activity !== true) return 0
  const query = ticketQuery(context)
  const ended = (side: 'from' | 'to'): string =>
    `(c ->> '${side}')::int = any(array(select s.id from ${query.table('statuses')} s where s.category in (${ENDED.map((category) => `'${category}'`).join(', ')})))`
  // A ticket that was taken up again in the period had not ended before it, and the log is indexed by records.
  const [row] = await query.run(
    `select count(*) from ${query.from} join plinth_change a on a.resource = 'tickets' and a.record_id = t.id,
      lateral jsonb_array_elements(a.changes) c
    where a.action = 'update' and ${query.within('a.created_at', period)}
      and c ->> 'field' = 'status_id' and ${ended('from')} and not ${ended('to')}
      and ${query.counted()} and ${await query.since(period.from)}`,
  )
  return Number(row?.[0] ?? 0)
}
