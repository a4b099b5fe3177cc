/** Route: the sources of the tickets of a period, their assignees, and their times. */
import type { Reply, RouteContext, Row } from '../../../engine/index.ts'
import { percentage, underParents } from './breakdown.ts'
import { type Period, periodOf } from './period.ts'
import { ticketQuery, todayOf } from './tickets.ts'

/** The most customers, agents and tags. */
const TOP = 10
const HOUR_MS = 3_600_000

/**
 * The dimensions of the counts, in the order of the statement: the ticket's column, and the resource with the names.
 */
const GROUPS = [
  { column: 'department_id', resource: 'departments' },
  { column: 'type_id', resource: 'types' },
  { column: 'category_id', resource: 'categories' },
  { column: 'user_id', resource: 'users' },
  { column: 'assigned_to', resource: 'users' },
] as const
const PERSON = `concat_ws(' ', l.first_name, l.last_name)`

interface Group {
  readonly id: number | null
  readonly name: string | null
  readonly count: number
}

/** GET /dashboard/analytics. Hours are the desk's; `by_weekday` begins on Monday. */
export async function analytics(context: RouteContext): Promise<Reply> {
  const period = periodOf(context.parameters, todayOf(context))
  const [rows, times] = await Promise.all([counts(context, period), rhythm(context, period)])
  const groups = GROUPS.map((_, index) => rows.filter(([group]) => Number(group) === index).map(groupOf))
  const [departments = [], types = [], categories = [], customers = [], agents = []] = groups
  const tags = rows.filter(([group]) => Number(group) === GROUPS.length).map(groupOf)
  const data = {
    date_from: period.from,
    date_to: period.to,
    departments: proportions(departments),
    types: proportions(types),
    categories: proportions(categories),
    top_customers: customers,
    top_agents: agents,
    tags: tags.map(({ name, count }) => ({ name, count })),
    ...times,
  }
  return { data }
}

/**
 * Group, id, name and count for all dimensions: one scan of the tickets. Lists of tags repeat, so equal ones are
 * counted before they are split.
 */
async function counts(context: RouteContext, period: Period): Promise<readonly Row[]> {
  const query = ticketQuery(context)
  const columns = [...GROUPS.map(({ column }) => `t.${column}`), 't.tags']
  // The first three have few values, so all their combinations cost less than each of them alone.
  const [department, type, category, customer, agent, tagged] = columns
  const cells = `select grouping(t.department_id) * 4 + grouping(t.user_id) * 2 + grouping(t.assigned_to) as g, ${columns.join(', ')}, count(*) as n
    from ${query.from} where ${query.counted()} and ${query.within('t.created_at', period)}
    group by grouping sets ((${department}, ${type}, ${category}), (${customer}), (${agent}), (${tagged}))`
  const named = GROUPS.map(({ column, resource }, index) => {
    const people = resource === 'users'
    const mine = `select ${column} as id, sum(n) as n from plinth_cells where g = ${GROUPING[column]}`
    const parents = context.catalog.resources.get(resource)!.fields.has('parent_id')
    const largest = people
      ? `${mine} and ${column} is not null group by 1 order by n desc, id limit ${TOP}`
      : parents
        ? underParents(column, `x.g = ${GROUPING[column]}`, query.table(resource))
        : `${mine} group by 1`
    return `select ${index}, c.id, ${people ? PERSON : 'l.name'} as name, c.n from (${largest}) c left join ${query.table(resource)} l on l.id = c.id`
  })
  const tags = `(select ${GROUPS.length}, null::integer, tag, sum(n) from plinth_cells,
    lateral (select distinct jsonb_array_elements_text(tags) as tag) x where g = ${GROUPING.tags} group by tag order by 4 desc, tag limit ${TOP})`
  return query.run(
    `with plinth_cells as materialized (${cells}) ${[...named, tags].join(' union all ')} order by 1, 4 desc, 2 nulls first, 3`,
  )
}

/** The columns that a row is not grouped by: 4 for the three settings, 2 for customers, 1 for agents. */
const GROUPING = { department_id: 3, type_id: 3, category_id: 3, user_id: 5, assigned_to: 6, tags: 7 } as const

function groupOf([, id, name, count]: Row): Group {
  return { id: id == null ? null : Number(id), name: name ?? null, count: Number(count) }
}

function proportions(groups: readonly Group[]) {
  const whole = groups.reduce((sum, { count }) => sum + count, 0)
  return groups.map((group) => ({ ...group, percentage: percentage(group.count, whole) }))
}

async function rhythm(context: RouteContext, period: Period) {
  const query = ticketQuery(context)
  const rows = await query.run(
    `select floor(${query.localSeconds('t.created_at')} / 3600)::int, count(*) from ${query.from}
    where ${query.counted()} and ${query.within('t.created_at', period)} group by 1`,
  )
  const by_hour = new Array<number>(24).fill(0)
  const by_weekday = new Array<number>(7).fill(0)
  for (const [hour, count] of rows) {
    // The clock of the desk, read as if it were UTC.
    const moment = new Date(Number(hour) * HOUR_MS)
    by_hour[moment.getUTCHours()]! += Number(count)
    by_weekday[(moment.getUTCDay() + 6) % 7]! += Number(count)
  }
  return { by_hour, by_weekday }
}
