/** The tickets of a period by status, priority, department and category: one scan for all of them. */
import type { RouteContext } from '../../../engine/index.ts'
import type { Period } from './period.ts'
import { ticketQuery } from './tickets.ts'

/** Dimension → the ticket's column, its resource, and further values of the answer. */
const DIMENSIONS = {
  status: { column: 'status_id', resource: 'statuses', detail: 'category' },
  priority: { column: 'priority_id', resource: 'priorities', detail: 'color' },
  department: { column: 'department_id', resource: 'departments', detail: undefined },
  category: { column: 'category_id', resource: 'categories', detail: undefined },
} as const

export type Dimension = keyof typeof DIMENSIONS

/** One value of a dimension; without id and name it is for tickets without one. */
export interface Share {
  readonly id: number | null
  readonly name: string | null
  readonly total: number
  /** The category of a status, or that it is cancelled; the colour of a priority. */
  readonly detail: string | null
}

/**
 * The tickets created in a period by each dimension: all live values, also without tickets, and deleted ones with
 * tickets.
 */
export async function breakdown<D extends Dimension>(
  context: RouteContext,
  period: Period,
  dimensions: readonly D[],
): Promise<Readonly<Record<D, readonly Share[]>>> {
  const query = ticketQuery(context)
  const columns = dimensions.map((dimension) => `t.${DIMENSIONS[dimension].column}`).join(', ')
  const cells = `select ${columns}, count(*) as n from ${query.from} where ${query.counted()} and ${query.within('t.created_at', period)} group by ${columns}`
  const shares = dimensions.map((dimension, index) => {
    const { column, resource, detail } = DIMENSIONS[dimension]
    const { fields } = context.catalog.resources.get(resource)!
    const told = fields.has('is_cancelled')
      ? `case when l.is_cancelled then '${CANCELLED}' else l.${detail} end`
      : `l.${detail}`
    const upper = fields.has('parent_id')
    const totals = upper
      ? underParents(column, 'true', query.table(resource))
      : `select ${column} as id, sum(n) as n from plinth_cells group by 1`
    return `select ${index}, coalesce(c.id, l.id), l.name, coalesce(c.n, 0), ${detail === undefined ? 'null' : told}
      from (${totals}) c full join ${query.table(resource)} l on l.id = c.id
      where c.n > 0 or (${query.readable(resource, 'l')}${upper ? ' and l.parent_id is null' : ''})`
  })
  const rows = await query.run(
    `with plinth_cells as materialized (${cells}) ${shares.join(' union all ')} order by 1, 2`,
  )
  const found: Record<string, Share[]> = Object.fromEntries(dimensions.map((dimension) => [dimension, []]))
  for (const [index, id, name, total, detail] of rows) {
    const share = {
      id: id == null ? null : Number(id),
      name: name ?? null,
      total: Number(total),
      detail: detail ?? null,
    }
    found[dimensions[Number(index)]!]!.push(share)
  }
  return found as Record<D, Share[]>
}

/** SQL: counts of `plinth_cells` by a setting; those of a lower one count for the one above it. */
export function underParents(column: string, where: string, table: string): string {
  return `select coalesce(p.parent_id, x.${column}) as id, sum(x.n) as n
    from plinth_cells x left join ${table} p on p.id = x.${column} where ${where} group by 1`
}

/** The number of tickets of one dimension. */
export function totalOf(shares: readonly Share[]): number {
  return shares.reduce((sum, { total }) => sum + total, 0)
}

/** The detail of a status that is marked as cancelled; other statuses have their category. */
const CANCELLED = 'cancelled'

/** A share as a percentage with two decimals; 0 of nothing. */
export function percentage(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100
}
