/** The figures of the desk, defined once for lists, dashboards, reports and the AI: in SQL, and in words for people. */
import type { Catalog, Runner } from '../../../engine/index.ts'

/** Categories of a status: in the first two, work continues; in the others it has ended. */
export const OPEN = ['open', 'pending'] as const
export const ENDED = ['solved', 'closed'] as const

/** [term, meaning], for the page and the reference. */
export const MEANINGS: readonly (readonly [term: string, meaning: string])[] = [
  ['Open', 'The status has the category open or pending.'],
  ['Closed', 'The status has the category solved or closed: the work has ended, with a result or without.'],
  [
    'Cancelled',
    'Closed with a status that is marked as cancelled, or merged into another ticket: the work ended without a result.',
  ],
  [
    'Resolved',
    'Closed and not cancelled. It counts on the day on which it was resolved; without such a time, on none.',
  ],
  ['Resolution time', 'From the creation to the moment of being resolved; cancelled tickets have none.'],
  ['First response', 'From the creation to the first public comment or chat message of staff.'],
  ['Unassigned', 'Open, with nobody assigned.'],
  ['Overdue', 'Open, with a due date before today.'],
  ['Backlog', 'Created by the end of the day and not closed by then.'],
  ['Category', 'Tickets of a sub-category count for the category above it.'],
]

/** SQL over a ticket `t`. */
export interface Figures {
  readonly open: string
  readonly closed: string
  readonly cancelled: string
  readonly resolved: string
  readonly unassigned: string
  /** `today` is SQL of a date. */
  readonly overdue: (today: string) => string
  /** The end of the work, as stamped, else the last change; null before. */
  readonly endedAt: string
  /** The time when a resolved ticket was resolved; null where that is unknown. */
  readonly resolvedAt: string
  /** Seconds; null where there is nothing to measure. */
  readonly resolution: string
  readonly firstResponse: string
  /**
   * Whether a ticket may count from a moment on: false only if it ended before. By indexes, so that a period costs what
   * happened in it and what is open, however long the past is. `moment` is SQL of a time, and `open` of the ids from
   * `openStatuses`: PostgreSQL can estimate how many tickets those have, but not for a sub-select.
   */
  readonly since: (moment: string, open: string) => string
}

/** The SQL of the figures over the tickets of this catalog, whose alias is `t`. */
export function figuresOf({ resources }: Catalog): Figures {
  const statuses = resources.get('statuses')!
  const within = (condition: string): string =>
    `t.status_id = any(array(select d.id from "${statuses.table}" d where ${condition}))`
  const ended = `d.category in (${ENDED.map((category) => `'${category}'`).join(', ')})`
  // An application may have statuses without this mark: then nothing is cancelled.
  const marked = statuses.fields.has('is_cancelled')
  const closed = within(ended)
  const merges = resources.get('tickets')?.fields.has('merged_into_id') === true
  const done = marked ? within(`${ended} and not d.is_cancelled`) : closed
  const resolved = merges ? `(${done} and t.merged_into_id is null)` : done
  const dropped = marked ? within(`${ended} and d.is_cancelled`) : 'false'
  const resolvedAt = `case when ${resolved} then coalesce(t.resolved_at, t.closed_at) end`
  return {
    open: `not ${closed}`,
    closed,
    cancelled: merges ? `(${dropped} or (${closed} and t.merged_into_id is not null))` : dropped,
    resolved,
    unassigned: `(t.assigned_to is null and not ${closed})`,
    overdue: (today) => `(t.due_date < ${today} and not ${closed})`,
    endedAt: `case when ${closed} then coalesce(t.resolved_at, t.closed_at, t.updated_at) end`,
    resolvedAt,
    resolution: secondsTo(resolvedAt),
    firstResponse: secondsTo('t.first_response_at'),
    since: (moment, open) =>
      `(t.created_at >= ${moment} or t.first_response_at >= ${moment} or t.resolved_at >= ${moment}
        or t.resolved_at is null or t.status_id = any(${open}))`,
  }
}

/** The ids of the statuses of open tickets, including deleted ones, which tickets still have. */
export async function openStatuses({ resources }: Catalog, runner: Runner): Promise<readonly number[]> {
  const ended = ENDED.map((category) => `'${category}'`).join(', ')
  const text = `select id from "${resources.get('statuses')!.table}" where category not in (${ended})`
  return (await runner.run({ text }, [])).map(([id]) => Number(id))
}

/** SQL of the seconds from a ticket's creation to a moment, at least 0; null without the moment. */
function secondsTo(moment: string): string {
  // GREATEST ignores nulls: alone it would turn a missing answer into a wait of 0.
  return `case when (${moment}) is not null then greatest(date_part('epoch', (${moment}) - t.created_at), 0) end`
}
