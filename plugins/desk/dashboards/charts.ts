/** Route: the same figures for charts. */
import type { Reply, RouteContext } from '../../../engine/index.ts'
import { breakdown, type Share } from './breakdown.ts'
import { periodOf } from './period.ts'
import { todayOf } from './tickets.ts'
import { trend } from './trend.ts'

/** A status has no colour; statuses of one category get shades of one hue. */
const SHADES: Readonly<Record<string, readonly string[]>> = {
  open: ['#2563eb', '#0891b2', '#4f46e5', '#0ea5e9'],
  pending: ['#d97706', '#ca8a04', '#ea580c', '#b45309'],
  solved: ['#16a34a', '#0d9488', '#65a30d', '#15803d'],
  closed: ['#6b7280', '#94a3b8', '#475569', '#a1a1aa'],
  cancelled: ['#9f1239', '#be185d'],
}
const PLAIN = '#6b7280'

/** GET /dashboard/charts; `labels` are all days of the period. */
export async function charts(context: RouteContext): Promise<Reply> {
  const period = periodOf(context.parameters, todayOf(context))
  const [shares, days] = await Promise.all([breakdown(context, period, ['status', 'priority']), trend(context, period)])
  const data = {
    labels: days.map(({ date }) => date),
    datasets: [
      { label: 'Created', data: days.map(({ created }) => created) },
      { label: 'Resolved', data: days.map(({ resolved }) => resolved) },
      { label: 'Backlog', data: days.map(({ backlog }) => backlog) },
    ],
    status: drawn(shares.status, statusColors(shares.status)),
    priority: drawn(
      shares.priority,
      shares.priority.map(({ detail }) => detail ?? PLAIN),
    ),
  }
  return { data }
}

function drawn(shares: readonly Share[], colors: readonly string[]) {
  return { labels: shares.map(({ name }) => name ?? 'None'), data: shares.map(({ total }) => total), colors }
}

function statusColors(shares: readonly Share[]): readonly string[] {
  const used = new Map<string, number>()
  return shares.map(({ detail }) => {
    const shades = SHADES[detail ?? ''] ?? [PLAIN]
    const at = used.get(detail ?? '') ?? 0
    used.set(detail ?? '', at + 1)
    return shades[at % shades.length]!
  })
}
