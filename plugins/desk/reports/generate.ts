/** POST /reports/generate: makes a report at once, or by a job when it is about many tickets. */
import {
  ApiError,
  admits,
  dayAt,
  isRefusal,
  type JobContext,
  type JsonObject,
  type Reply,
  type RouteContext,
} from '../../../engine/index.ts'
import { type Period, periodOf } from '../dashboards/period.ts'
import { zoneOf } from '../tickets/zone.ts'
import { type Format, nameOf, type ReportType, typeOf } from './kinds.ts'
import { discard, fileOf, makeReport } from './make.ts'
import { reportQuery } from './query.ts'
import type { Order } from './snapshot.ts'

/** The longest time for one statement of a job, in milliseconds: nobody waits for its answer. */
const JOB_STATEMENT_MS = 300_000

/** The most reports of one person in jobs: the places of jobs are for all. */
const MOST_PENDING = 2

type Ordered = Order & { readonly format: Format }

/** The part of a report's record that its job reads. */
interface Stored {
  readonly type: ReportType
  readonly format: Format
  readonly date_from: string
  readonly date_to: string
}

/** Returns 201 with the report, `completed`, or `pending` when a job makes it; 422 for a reversed period. */
export async function generate(context: RouteContext): Promise<Reply> {
  const { body } = context
  const period = periodOf(body, dayAt(context.now().getTime(), zoneOf(context.catalog)))
  const order: Ordered = { type: typeOf(String(body.type)), format: (body.format ?? 'json') as Format, period }
  return (await isLarge(context, order)) ? later(context, order) : now(context, order)
}

async function replyOf({ records }: RouteContext, id: number): Promise<Reply> {
  return { status: 201, data: await records('reports', 'system').get(id) }
}

/** Whether a report is about too many tickets for a waiting caller. */
async function isLarge(context: RouteContext, { type, period }: Ordered): Promise<boolean> {
  const most = Number(context.options.job_tickets)
  const query = await reportQuery(context, period, context.database.adhoc)
  // These two look at earlier tickets too. Some of those ended in the period.
  const days = type === 'agents' || type === 'performance' ? query.concerned() : query.within('t.created_at')
  const rows = await query.run(
    `select count(*) from (select 1 from ${query.table('tickets')} t
    where ${query.seen()} and ${days} limit ${most + 1}) x`,
  )
  return Number(rows[0]?.[0] ?? 0) > most
}

function asked({ type, format, period }: Ordered, maker: number | null): JsonObject {
  const name = nameOf(type, period)
  return { name, type, format, date_from: period.from, date_to: period.to, created_by_id: maker }
}

/**
 * The file comes first: a crash leaves a file without a row, which the keeper finds, and never a report without its
 * file.
 */
async function now(context: RouteContext, order: Ordered): Promise<Reply> {
  const made = await makeReport(context, order)
  try {
    return await context.once(async (inner) => {
      const fixed = { ...asked(order, context.actor.id), ...made.fields }
      const id = Number((await inner.records('reports', 'system').create({}, fixed)).id)
      await inner
        .model('reports')
        .query()
        .findById(id)
        .patch({ file: fileOf(context, id, made.size) })
      return replyOf(inner, id)
    })
  } catch (error) {
    // After a lost connection the report may exist, and would lack its file.
    if (isRefusal(error)) await discard(context, made)
    throw error
  }
}

function later(context: RouteContext, order: Ordered): Promise<Reply> {
  return context.once(async (inner) => {
    const own = { created_by_id: context.actor.id, status: 'pending' }
    if ((await inner.model('reports').query().where(own).resultSize()) >= MOST_PENDING) {
      const message = `You have ${MOST_PENDING} reports under way; wait until one is made`
      throw new ApiError('too_many_requests', { message, retryAfter: 5 })
    }
    const fixed = { ...asked(order, context.actor.id), status: 'pending' }
    const id = Number((await inner.records('reports', 'system').create({}, fixed)).id)
    const job_id = await inner.enqueue('reports.generate', { report: id }, { as: 'actor' })
    await inner.model('reports').query().findById(id).patch({ job_id })
    return replyOf(inner, id)
  })
}

/** The job: makes a pending report with the present rights of its maker. */
export async function generateLater(context: JobContext, payload: JsonObject): Promise<JsonObject> {
  const id = Number(payload.report)
  const pending = { id, status: 'pending' }
  const reports = context.model('reports')
  const report = await reports.query().findOne(pending).castTo<Stored | undefined>()
  // An earlier run got as far as recording it.
  if (report === undefined) return { report: id }
  try {
    if (!admits(context.actor, 'reports.generate')) throw new ApiError('forbidden')
    const period: Period = periodOf({ date_from: report.date_from, date_to: report.date_to }, report.date_to)
    const order = { type: report.type, format: report.format, period }
    const made = await makeReport(context, order, JOB_STATEMENT_MS)
    const file = fileOf(context, id, made.size)
    const changes = { ...made.fields, file, updated_at: context.now().toISOString() }
    const changed = context.signal.aborted ? 0 : await reports.query().where(pending).patch(changes)
    if (changed === 0) await discard(context, made)
  } catch (error) {
    const hopeless = error instanceof ApiError && error.status < 500
    if (hopeless || context.lastAttempt()) {
      await reports.query().where(pending).patch({ status: 'failed' })
    }
    throw error
  }
  return { report: id }
}

/** The tries of a job for a report. */
export const JOB_ATTEMPTS = 3
