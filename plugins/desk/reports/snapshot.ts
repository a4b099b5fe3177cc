/**
 * ⇄ Computes a report: figures, chart and rows at one moment; the rows go into a file, so that memory stays constant.
 */

import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { JsonObject, PluginContext, Row, Transaction } from '../../../engine/index.ts'
import type { Period } from '../dashboards/period.ts'
import { zoneOf } from '../tickets/zone.ts'
import { type Chart, type Column, type Content, figureAt, type Snapshot, type Values } from './content.ts'
import { figures } from './figures.ts'
import { nameOf, type ReportType } from './kinds.ts'
import { type Query, reportQuery } from './query.ts'
import { CONTENTS } from './types.ts'

/** Rows read at a time. */
const BATCH = 500

/** The report to compute, and its reader. */
export interface Order {
  readonly type: ReportType
  readonly period: Period
}

type Asking = Pick<PluginContext, 'catalog' | 'readable' | 'database' | 'now'>

/**
 * Computes a report in one transaction with one state of the database; the rows go to the file `path`. `patience` is
 * the longest time for each statement, in milliseconds; the database's own limit if absent.
 */
export async function takeSnapshot(
  context: Asking,
  { type, period }: Order,
  path: string,
  patience?: number,
): Promise<Snapshot> {
  const content = CONTENTS[type]
  const madeAt = context.now()
  const taken = await context.database.transaction(async (transaction) => {
    await transaction.run({ text: 'set transaction isolation level repeatable read, read only' }, [])
    if (patience !== undefined) await transaction.run({ text: `set local statement_timeout = ${patience}` }, [])
    const query = await reportQuery(context, period, transaction)
    const own = content.figures === undefined ? {} : await content.figures(query.another())
    const summary: JsonObject = { ...(await figures(query.another())), ...own }
    const chart = chartCollector(content, summary)
    const file = await open(path, 'w')
    try {
      const count = await writeRows(transaction, query, content, file, chart)
      return { summary, chart: chart.done(), count }
    } finally {
      await file.close()
    }
  })
  return {
    ...taken,
    name: nameOf(type, period),
    type,
    period,
    madeAt,
    zone: zoneOf(context.catalog),
    content,
    rows: () => readRows(path, taken.count),
  }
}

async function writeRows(
  transaction: Transaction,
  query: Query,
  content: Content,
  file: FileHandle,
  chart: ChartCollector,
): Promise<number> {
  const text = content.rows(query)
  await transaction.run({ text: `declare report_rows no scroll cursor for ${text}` }, query.values)
  let count = 0
  for (;;) {
    const rows = await transaction.run({ text: `fetch ${BATCH} from report_rows` }, [])
    const batch = rows.map((row) => valuesOf(content.columns, row))
    for (const values of batch) chart.add(values)
    // Not write(): on a nearly full disk it may write a part, and calls that success.
    if (batch.length > 0) await file.appendFile(batch.map(lineOf).join(''))
    count += batch.length
    if (batch.length < BATCH) return count
  }
}

function valuesOf(columns: readonly Column[], row: Row): Values {
  return columns.map(({ type }, at) => {
    const text = row[at] ?? null
    return text === null || type === 'text' || type === 'timestamp' || type === 'date' ? text : Number(text)
  })
}

/** One line of the file. Readers of lines also end one at these two characters, which JSON leaves as they are. */
function lineOf(values: Values): string {
  return `${JSON.stringify(values).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`
}

/** Reads as many rows as were written; throws where the file ends before them. */
async function* readRows(path: string, count: number): AsyncGenerator<readonly Values[], void> {
  const input = createReadStream(path)
  let failed: unknown
  // An unreadable file just ends.
  input.once('error', (error) => {
    failed = error
  })
  try {
    let batch: Values[] = []
    let read = 0
    for await (const line of createInterface({ input })) {
      read += 1
      if (batch.push(JSON.parse(line) as Values) < BATCH) continue
      yield batch
      batch = []
    }
    if (read !== count) throw failed ?? new Error(`${path} has ${read} rows of the ${count} that were written`)
    if (batch.length > 0) yield batch
  } finally {
    // A reader may stop before the end.
    input.destroy()
  }
}

/** People cannot tell more bars apart. */
const BARS = 12
/** More points are drawn as sums of several days. */
const POINTS = 120

interface ChartCollector {
  readonly add: (values: Values) => void
  readonly done: () => Chart
}

/** Begins to collect the values of a report's chart. */
function chartCollector({ chart, columns }: Content, summary: JsonObject): ChartCollector {
  if ('list' in chart) return { add: () => undefined, done: () => ofList(chart.title, summary, chart.list) }
  const at = (key: string): number => columns.findIndex((column) => column.key === key)
  const [label, series] = [at(chart.label), chart.series.map(at)]
  const labels: string[] = []
  const data = series.map((): number[] => [])
  return {
    add: (values) => {
      if (chart.kind === 'bar' && labels.length === BARS) return
      labels.push(String(values[label] ?? ''))
      for (const [index, column] of series.entries()) data[index]!.push(Number(values[column] ?? 0))
    },
    done: () => {
      const every = chart.kind === 'line' ? Math.ceil(labels.length / POINTS) : 1
      const parts = data.map((points, index) => ({
        label: columns[series[index]!]!.label,
        data: every > 1 ? summed(points, every) : points,
      }))
      const title = every > 1 ? `${chart.title}, ${every} days to a point` : chart.title
      return { kind: chart.kind, title, labels: labels.filter((_, index) => index % every === 0), series: parts }
    },
  }
}

function summed(points: readonly number[], every: number): readonly number[] {
  const sums = new Array<number>(Math.ceil(points.length / every)).fill(0)
  points.forEach((point, index) => {
    sums[Math.floor(index / every)]! += point
  })
  return sums
}

function ofList(title: string, summary: JsonObject, list: string): Chart {
  const items = (figureAt(summary, list) ?? []) as readonly { readonly name: string; readonly total: number }[]
  const shown = items.slice(0, BARS)
  return {
    kind: 'bar',
    title,
    labels: shown.map(({ name }) => name),
    series: [{ label: 'Tickets', data: shown.map(({ total }) => total) }],
  }
}
