/** ⇄ Writes a report as a file of its format, one row at a time, so that memory stays constant. */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { turns } from '../../../engine/index.ts'
import { cellOf } from '../../csv/cell.ts'
import type { Bounds } from './bounds.ts'
import type { Snapshot, Values, ValueType } from './content.ts'
import { textsInTurns } from './in-turns.ts'
import type { Format } from './kinds.ts'

/** Writes the file at `path`; loads the largest writers on use. */
export async function render(snapshot: Snapshot, format: Format, path: string, bounds: Bounds): Promise<void> {
  if (format === 'xlsx') {
    const { writeWorkbook } = await import('./xlsx/workbook.ts')
    return writeWorkbook(snapshot, path)
  }
  if (format === 'pdf') {
    const { charactersNamed, writeReport } = await import('./pdf/report.ts')
    const missing = await writeReport(snapshot, path, bounds)
    if (missing.size > 0) bounds.notDrawn(charactersNamed(missing))
    return
  }
  const parts = format === 'csv' ? csvParts(snapshot) : jsonParts(snapshot)
  await pipeline(Readable.from(parts, { objectMode: false }), createWriteStream(path))
}

/** A header of labels with units, then values for programs: plain numbers, seconds. */
async function* csvParts({ content, rows }: Snapshot): AsyncGenerator<string, void> {
  const { columns } = content
  yield `${columns.map(({ label, type }) => cellOf(`${label}${unitOf(type)}`)).join(',')}\n`
  const line = (values: Values): string =>
    // A number is never a formula, also a negative one.
    `${values.map((value) => (typeof value === 'number' ? String(value) : cellOf(value))).join(',')}\n`
  const giveWay = turns()
  for await (const batch of rows()) yield* textsInTurns(batch, giveWay, line)
}

/** The unit of plain numbers that a label does not have. */
function unitOf(type: ValueType): string {
  if (type === 'duration') return ' (seconds)'
  return type === 'percent' ? ' (%)' : ''
}

async function* jsonParts(snapshot: Snapshot): AsyncGenerator<string, void> {
  const { content, count, madeAt, name, period, rows, summary, type } = snapshot
  const columns = content.columns.map(({ key, label, type }) => ({ key, label, type }))
  const head = { name, type, date_from: period.from, date_to: period.to, created_at: madeAt, summary, columns }
  yield `${JSON.stringify({ ...head, rows_count: count }).slice(0, -1)},"rows":[`
  const giveWay = turns()
  let comma = ''
  const line = (values: Values): string => {
    const text = `${comma}\n${JSON.stringify(objectOf(snapshot, values))}`
    comma = ','
    return text
  }
  for await (const batch of rows()) yield* textsInTurns(batch, giveWay, line)
  yield '\n]}\n'
}

/** A row by the keys of its columns. */
export function objectOf(
  { content }: Pick<Snapshot, 'content'>,
  values: Values,
): Record<string, string | number | null> {
  return Object.fromEntries(content.columns.map(({ key }, at) => [key, values[at] ?? null]))
}
