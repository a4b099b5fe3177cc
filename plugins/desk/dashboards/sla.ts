/** Route: how the desk keeps its promised times. */
import type { Reply, RouteContext } from '../../../engine/index.ts'
import { percentage } from './breakdown.ts'
import { periodOf } from './period.ts'
import { ticketQuery, todayOf } from './tickets.ts'

const SLA_STATES = ['met', 'breached', 'paused', 'due_soon', 'on_track'] as const

/** GET /dashboard/sla: the tickets created in a period, by their present state and by priority. */
export async function sla(context: RouteContext): Promise<Reply> {
  const period = periodOf(context.parameters, todayOf(context))
  const query = ticketQuery(context)
  // The YAML defines the states, once for lists and figures.
  const state = context.catalog.resources.get('tickets')?.fields.get('sla_state')?.computed
  const cells = `select t.priority_id, (${state}) as state, count(*) as n from ${query.from}
    where ${query.counted()} and ${query.within('t.created_at', period)} group by 1, 2`
  const rows = await query.run(
    `with plinth_cells as materialized (${cells}) select l.id, l.name, l.color, ${SLA_STATES.map(
      (one) => `coalesce(sum(c.n) filter (where c.state = '${one}'), 0)`,
    ).join(', ')}
    from ${query.table('priorities')} l left join plinth_cells c on c.priority_id = l.id
    group by l.id having sum(c.n) > 0 or ${query.readable('priorities', 'l')} order by l.id`,
  )
  const priorities = rows.map(([id, name, color, ...counts]) => ({
    id: Number(id),
    name: name ?? '',
    color: color ?? null,
    ...shown(counts.map(Number)),
  }))
  const sums = SLA_STATES.map((state) => priorities.reduce((total, priority) => total + priority[state], 0))
  return { data: { date_from: period.from, date_to: period.to, ...shown(sums), priorities } }
}

/** Counts in the order of the states. The rate is of the decided ones; those in progress may end either way. */
function shown([met = 0, breached = 0, paused = 0, due_soon = 0, on_track = 0]: readonly number[]) {
  return { met, breached, paused, due_soon, on_track, met_rate: percentage(met, met + breached) }
}
