/** Route: the satisfaction of customers, and the share of those asked who answered. */
import type { Reply, Route, RouteContext } from '../../../engine/index.ts'
import { percentage } from '../dashboards/breakdown.ts'
import { SATISFACTION } from '../dashboards/output.ts'
import { periodOf } from '../dashboards/period.ts'
import { FIGURES, PERIOD_WINDOW } from '../dashboards/routes.ts'
import { type TicketQuery, ticketQuery, todayOf } from '../dashboards/tickets.ts'

/** The most agents and departments shown: those asked about most. */
const SHOWN = 100

/** GET /dashboard/satisfaction: the ratings of a period, of tickets and ratings that the caller may see. */
async function satisfaction(context: RouteContext): Promise<Reply> {
  const period = periodOf(context.parameters, todayOf(context))
  const query = ticketQuery(context)
  const cells = `select r.rating, r.agent_id, r.department_id
    from ${query.table('satisfaction_ratings')} r join ${query.from} on t.id = r.ticket_id
    where ${query.counted()} and ${query.readable('satisfaction_ratings', 'r')} and ${query.within('r.created_at', period)}`
  const rows = await query.run(
    `with plinth_cells as materialized (${cells})
    select 'rating', rating, null, count(*), count(rating), avg(rating) from plinth_cells where rating is not null group by 2
    union all ${groupedSql(query, 'agent')} union all ${groupedSql(query, 'department')}
    union all select 'all', null, null, count(*), count(rating), avg(rating) from plinth_cells`,
  )
  const of = (kind: string) => rows.filter((row) => row[0] === kind)
  const counts = new Map(of('rating').map(([, rating, , count]) => [Number(rating), Number(count)]))
  const named = (kind: string) =>
    of(kind).map(([, id, name, ...figures]) => ({
      id: id == null ? null : Number(id),
      name: name ?? null,
      ...shown(figures),
    }))
  const data = {
    date_from: period.from,
    date_to: period.to,
    ...shown(of('all')[0]?.slice(3) ?? []),
    ratings: [1, 2, 3, 4, 5].map((rating) => ({ rating, count: counts.get(rating) ?? 0 })),
    agents: named('agent'),
    departments: named('department'),
  }
  return { data }
}

/** By the assignee of the ticket when it was asked about, or by its department then; both names as on tickets. */
function groupedSql({ table }: TicketQuery, kind: 'agent' | 'department'): string {
  const [from, name] =
    kind === 'agent' ? [table('users'), `concat_ws(' ', l.first_name, l.last_name)`] : [table('departments'), 'l.name']
  return `(select '${kind}', c.id, case when l.id is not null then ${name} end, c.asked, c.answered, c.average
    from (select ${kind}_id as id, count(*) as asked, count(rating) as answered, avg(rating) as average from plinth_cells group by 1) c
    left join ${from} l on l.id = c.id order by c.asked desc, c.id limit ${SHOWN})`
}

function shown([asked, answered, average]: readonly (string | null | undefined)[]) {
  const [whole, part] = [Number(asked ?? 0), Number(answered ?? 0)]
  return {
    asked: whole,
    answered: part,
    answer_rate: percentage(part, whole),
    average: average == null ? null : Math.round(Number(average) * 100) / 100,
  }
}

export const figureRoute: Route = {
  ...FIGURES,
  path: '/dashboard/satisfaction',
  summary: 'How content customers are with solutions',
  description: `${PERIOD_WINDOW} The ratings asked for in the period; agent and department are those when the ticket was solved.`,
  output: SATISFACTION,
  handle: satisfaction,
}
