/** ⇄ A report as a PDF: title, period, figures, a chart, and the rows over as many pages as needed. */

import { type GiveWay, turns } from '../../../../engine/index.ts'
import type { Bounds } from '../bounds.ts'
import { figureAt, type Snapshot, type Values } from '../content.ts'
import { textOf } from '../text.ts'
import { drawChart } from './chart.ts'
import { CARD, GREY, HEAD, INK } from './colors.ts'
import { openDocument, PAGE, type PdfDocument } from './document.ts'
import { fitting, wrapped } from './fit.ts'
import { drawHeader, drawRow, layRow, rowTexts, type Table, tableOf } from './table.ts'

const MARGIN = 36
const INNER = PAGE.width - 2 * MARGIN
/** The footer begins below it. */
const BOTTOM = PAGE.height - 40
const CHART_HEIGHT = 176
/** The most missing characters that are named. */
const NAMED = 12

/** A document, and the position on its last page. */
interface Pen {
  readonly document: PdfDocument
  readonly giveWay: GiveWay
  y: number
}

/** Writes the PDF at `path`; returns the characters that none of its fonts has. */
export async function writeReport(
  snapshot: Snapshot,
  path: string,
  { desk, fonts: files, pdfRows }: Bounds,
): Promise<ReadonlySet<number>> {
  const title = `${snapshot.name} – ${desk}`
  const document = await openDocument(path, { title, made: snapshot.madeAt, files })
  try {
    await drawReport(document, snapshot, pdfRows, desk)
    return document.fonts.missing
  } catch (error) {
    document.abandon()
    throw error
  }
}

async function drawReport(document: PdfDocument, snapshot: Snapshot, pdfRows: number, desk: string): Promise<void> {
  const { chart, content, count, name } = snapshot
  await document.fonts.ready([desk, name, ...chart.labels, ...content.columns.map(({ label }) => label)])
  const pen: Pen = { document, giveWay: turns(), y: MARGIN }
  document.newPage()
  drawTop(pen, snapshot, desk)
  const table = tableOf(document, content.columns, MARGIN, INNER)
  if (count === 0) note(pen, 'There are no rows in this period.')
  else await drawRows(pen, snapshot, table, pdfRows)
  if (count > pdfRows) {
    roomFor(pen, 30)
    const [shown, all] = [pdfRows, count].map((number) => number.toLocaleString('en-US'))
    note(
      pen,
      `These are the ${content.chronological ? 'newest' : 'first'} ${shown} of ${all} rows; the formats csv, xlsx and json hold all of them.`,
    )
  }
  noteMissing(pen)
  await document.close((page, pages) => {
    const style = { size: 7.5, color: GREY } as const
    const y = PAGE.height - 22
    document.text(MARGIN, y, fitting(document, desk, style.size, INNER / 2), style)
    document.text(PAGE.width - MARGIN, y, `Page ${page} of ${pages}`, { ...style, align: 'right' })
  }, pen.giveWay)
}

function drawTop(pen: Pen, { name, period, madeAt, zone, content, summary, chart }: Snapshot, desk: string): void {
  const { document } = pen
  const [title = name] = name.split(',')
  document.text(MARGIN, 54, `${title} report`, { size: 20, color: HEAD, bold: true })
  document.text(PAGE.width - MARGIN, 48, fitting(document, desk, 10, INNER / 2), {
    size: 10,
    color: INK,
    align: 'right',
  })
  const made = `Made ${textOf(madeAt.toISOString(), 'timestamp', zone)} ${zone}`
  document.text(PAGE.width - MARGIN, 62, made, { size: 8, color: GREY, align: 'right' })
  document.text(MARGIN, 71, `${period.from} to ${period.to}, whole days, all times in ${zone}`, {
    size: 9.5,
    color: GREY,
  })
  const gap = 8
  const width = (INNER - gap * (content.tiles.length - 1)) / content.tiles.length
  content.tiles.forEach(({ label, path, type }, at) => {
    const x = MARGIN + at * (width + gap)
    document.box(x, 84, width, 46, CARD)
    document.box(x, 84, 2.5, 46, HEAD)
    document.text(x + 11, 104, textOf(figureAt(summary, path), type, zone), { size: 14, color: INK, bold: true })
    document.text(x + 11, 120, fitting(document, label, 7.5, width - 16), { size: 7.5, color: GREY })
  })
  drawChart(document, chart, { x: MARGIN, y: 140, width: INNER, height: CHART_HEIGHT })
  pen.y = 140 + CHART_HEIGHT + 14
}

async function drawRows(pen: Pen, snapshot: Snapshot, table: Table, most: number): Promise<void> {
  const { columns } = snapshot.content
  const head = (): void => {
    drawHeader(pen.document, table, pen.y)
    pen.y += table.headerHeight
  }
  let done = 0
  if (most > 0) head()
  for await (const batch of drawnRows(snapshot, most)) {
    for (const values of batch.slice(0, most - done)) {
      const row = rowTexts(columns, values, snapshot.zone)
      await pen.document.fonts.ready(row)
      const laid = layRow(table, pen.document, row)
      if (roomFor(pen, laid.height)) head()
      drawRow(pen.document, table, laid, pen.y, done % 2 === 1)
      pen.y += laid.height
      done++
      await pen.giveWay()
    }
    if (done >= most) return
  }
}

/** The rows in drawing order: of rows in the order of time, the last `most`, reversed. */
async function* drawnRows({ content, count, rows }: Snapshot, most: number): AsyncGenerator<readonly Values[], void> {
  if (content.chronological !== true) return yield* rows()
  let before = Math.max(0, count - most)
  const newest: (readonly Values[])[] = []
  for await (const batch of rows()) {
    newest.unshift(batch.slice(before).reverse())
    before = Math.max(0, before - batch.length)
  }
  yield* newest
}

/** Begins a new page when a height does not fit; returns whether it did. */
function roomFor(pen: Pen, height: number): boolean {
  if (pen.y + height <= BOTTOM) return false
  pen.document.newPage()
  pen.y = MARGIN
  return true
}

function note(pen: Pen, text: string): void {
  for (const line of wrapped(pen.document, text, 8, INNER, 3)) {
    pen.y += 14
    pen.document.text(MARGIN, pen.y, line, { size: 8, color: GREY })
  }
}

/** Names the characters that no font has, so that nobody takes a box for part of a name. */
function noteMissing(pen: Pen): void {
  const { missing } = pen.document.fonts
  if (missing.size === 0) return
  roomFor(pen, 50)
  const named = charactersNamed(missing)
  note(pen, `□ stands for characters that this document has no font for (${named}); csv, xlsx and json hold them.`)
}

/** `U+0E01, U+0E02 and 7 more`. */
export function charactersNamed(characters: ReadonlySet<number>): string {
  const named = [...characters].slice(0, NAMED).map((one) => `U+${one.toString(16).toUpperCase().padStart(4, '0')}`)
  return `${named.join(', ')}${characters.size > NAMED ? ` and ${characters.size - NAMED} more` : ''}`
}
