/** ⇄ Computes a report: its figures and rows as of one moment, the rows into a file, so that memory stays the same. */
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { JsonObject, PluginContext, Row, Transaction } from '../../../engine/index.ts'
import type { Period } from '../dashboards/period.ts'
import { zoneOf } from '../tickets/zone.ts'
import { type ChartCollector, chartCollector } from './chart.ts'
import type { Column, Content, Snapshot, Values } from './content.ts'
import { figures } from './figures.ts'
import { nameOf, type ReportType } from './kinds.ts'
import { type Query, reportQuery } from './query.ts'
import { CONTENTS } from './types.ts'

/** How many rows are read at a time. */
const BATCH = 500

/** What is to be reported, and as whom. */
export interface Order {
  readonly type: ReportType
  readonly period: Period
}

type Asking = Pick<PluginContext, 'catalog' | 'readable' | 'database' | 'now'>

/**
 * Computes a report in one transaction that sees one state of the database; the rows go to the file `path`.
 * `patience`, in milliseconds, is how long each statement may take; the database's own limit if absent.
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

/** One line of the file: readers of lines end one at these two as well, which JSON leaves as they are. */
function lineOf(values: Values): string {
  return `${JSON.stringify(values).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`
}

/** Reads as many rows as were written; throws where the file ends before them. */
async function* readRows(path: string, count: number): AsyncGenerator<readonly Values[], void> {
  const input = createReadStream(path)
  let failed: unknown
  // The lines of a file that cannot be read further just end.
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
    // A reader may have seen enough before the end.
    input.destroy()
  }
}
