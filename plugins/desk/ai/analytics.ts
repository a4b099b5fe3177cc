/**
 * Analytics of the AI: how often it was used, how sure it was, how often its suggestions were taken, and the moods of
 * customers. ⇄
 */
import type { JsonObject, PluginContext, Row } from '../../../engine/index.ts'
import { zoneOf } from '../tickets/zone.ts'

const DAYS = 30
const SURE = 0.8
const UNSURE = 0.5

/** The numbers over the tickets that the caller may read; all are present, 0 or empty without use. */
export async function analytics(context: PluginContext): Promise<JsonObject> {
  const table = (name: string): string => context.catalog.resources.get(name)!.table
  const values: unknown[] = []
  const readable = context.readable('tickets', 't', values)
  const own = `"${table('ai_classifications')}" c join "${table('tickets')}" t on t.id = c.ticket_id where ${readable}`
  const uses = `"${table('ai_uses')}" u left join "${table('tickets')}" t on t.id = u.ticket_id
    where (u.ticket_id is null or ${readable})`
  const run = (text: string): Promise<readonly Row[]> => context.database.adhoc.run({ text }, values)
  const [sums] = await run(`select count(*), count(*) filter (where c.automatic), count(*) filter (where c.applied),
    coalesce(avg(c.confidence), 0), count(*) filter (where c.confidence >= ${SURE}),
    count(*) filter (where c.confidence < ${UNSURE}) from ${own}`)
  const moods = await run(`select mood, count(*), coalesce(sum(score), 0) from (
    select c.sentiment as mood, c.sentiment_score as score from ${own} and c.sentiment is not null
    union all select u.sentiment, u.score from ${uses} and u.sentiment is not null) m group by mood`)
  const volumes = await run(`select u.kind, u.provider, count(*), count(*) filter (where u.fell_back) from ${uses}
    group by u.kind, u.provider order by u.kind, u.provider`)
  const zone = `$${values.push(zoneOf(context.catalog))}::text`
  const days = await run(`select to_char(u.created_at at time zone ${zone}, 'YYYY-MM-DD'), count(*) from ${uses}
    and u.created_at >= now() - interval '${DAYS} days' group by 1 order by 1`)
  const [total = 0, automatic = 0, applied = 0, average = 0, high = 0, low = 0] = (sums ?? []).map(Number)
  return {
    classifications: {
      total,
      automatic,
      applied,
      acceptance_rate: total === 0 ? 0 : rounded((applied / total) * 100, 2),
    },
    confidence: { average: rounded(average, 4), high, medium: total - high - low, low },
    sentiment: moodsOf(moods),
    volumes: volumesOf(volumes),
    providers: providersOf(volumes),
    trend: days.map(([date, count]) => ({ date: date ?? '', total: Number(count) })),
  }
}

function moodsOf(rows: readonly Row[]): JsonObject {
  const of = (mood: string): number => Number(rows.find(([name]) => name === mood)?.[1] ?? 0)
  const total = rows.reduce((sum, [, count]) => sum + Number(count), 0)
  const score = rows.reduce((sum, [, , points]) => sum + Number(points), 0)
  return {
    total,
    positive: of('positive'),
    neutral: of('neutral'),
    negative: of('negative'),
    average_score: total === 0 ? 0 : rounded(score / total, 4),
  }
}

function volumesOf(rows: readonly Row[]): JsonObject {
  const sum = (some: readonly Row[], at: number): number => some.reduce((all, row) => all + Number(row[at]), 0)
  const of = (kind: string): number =>
    sum(
      rows.filter(([name]) => name === kind),
      2,
    )
  return {
    classification: of('classification'),
    responses: of('responses'),
    sentiment: of('sentiment'),
    total: sum(rows, 2),
    fallbacks: sum(rows, 3),
  }
}

function providersOf(rows: readonly Row[]): readonly JsonObject[] {
  const totals = new Map<string, number>()
  for (const [, provider, count] of rows) totals.set(provider ?? '', (totals.get(provider ?? '') ?? 0) + Number(count))
  return [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, total]) => ({ name, total }))
}

function rounded(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits + 0
}
