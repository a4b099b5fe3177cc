/** ⇄ A report as a PDF: title, period, figures, a chart, and the rows over as many pages as they need. */

import type { Bounds } from '../bounds.ts'
import { figureAt, type Snapshot, type Values } from '../content.ts'
import { textOf } from '../text.ts'
import { type Canvas, fitting, newCanvas, wrapped } from './canvas.ts'
import { drawChart } from './chart.ts'
import { CARD, GREY, HEAD, INK } from './colors.ts'
import { openDocument, PAGE, type PdfDocument } from './document.ts'
import { type Fonts, openFonts } from './fonts.ts'
import { drawHeader, drawRow, HEADER_HEIGHT, layRow, rowTexts, type Table, tableOf } from './table.ts'

const MARGIN = 36
const INNER = PAGE.width - 2 * MARGIN
/** Below it is the footer. */
const BOTTOM = PAGE.height - 40
const CHART_HEIGHT = 176
/** So many missing characters are named. */
const NAMED = 12

/** What is drawn on at the moment. */
interface Pen {
  readonly document: PdfDocument
  readonly fonts: Fonts
  readonly desk: string
  canvas: Canvas
  y: number
}

/** Writes the PDF at `path`. */
export async function writeReport(snapshot: Snapshot, path: string, { pdfRows, desk }: Bounds): Promise<void> {
  const fonts = await openFonts()
  const { chart, content, count, name } = snapshot
  const texts = [desk, name, ...chart.labels, ...content.columns.map(({ label }) => label)]
  await fonts.ready(texts)
  const document = await openDocument(path, fonts, `${name} – ${desk}`, snapshot.madeAt)
  const pen: Pen = { document, fonts, desk, canvas: newCanvas(fonts), y: MARGIN }
  drawTop(pen, snapshot)
  const table = tableOf(content.columns, MARGIN, INNER)
  if (count === 0) note(pen, 'There are no rows in this period.')
  else await drawRows(pen, snapshot, table, pdfRows)
  if (count > pdfRows) {
    await roomFor(pen, 30)
    const [shown, all] = [pdfRows, count].map((number) => number.toLocaleString('en-US'))
    note(pen, `These are the first ${shown} of ${all} rows; the formats csv, xlsx and json hold all of them.`)
  }
  await noteMissing(pen)
  await endPage(pen)
  await document.close((pages) => {
    const total = newCanvas(fonts, 0)
    total.text(0, 0, `of ${pages}`, { size: 7.5, color: GREY })
    return total.operators.join('\n')
  })
}

function drawTop(pen: Pen, { name, period, madeAt, content, summary, chart }: Snapshot): void {
  const { canvas, fonts, desk } = pen
  const [title = name] = name.split(',')
  canvas.text(MARGIN, 54, `${title} report`, { size: 20, color: HEAD, bold: true })
  canvas.text(PAGE.width - MARGIN, 48, fitting(fonts, desk, 10, INNER / 2), { size: 10, color: INK, align: 'right' })
  const made = `Made ${textOf(madeAt.toISOString(), 'timestamp')} UTC`
  canvas.text(PAGE.width - MARGIN, 62, made, { size: 8, color: GREY, align: 'right' })
  canvas.text(MARGIN, 71, `${period.from} to ${period.to}, whole days in UTC`, { size: 9.5, color: GREY })
  const gap = 8
  const width = (INNER - gap * (content.tiles.length - 1)) / content.tiles.length
  content.tiles.forEach(({ label, path, type }, at) => {
    const x = MARGIN + at * (width + gap)
    canvas.box(x, 84, width, 46, CARD)
    canvas.box(x, 84, 2.5, 46, HEAD)
    canvas.text(x + 11, 104, textOf(figureAt(summary, path), type), { size: 14, color: INK, bold: true })
    canvas.text(x + 11, 120, fitting(fonts, label, 7.5, width - 16), { size: 7.5, color: GREY })
  })
  drawChart(canvas, fonts, chart, { x: MARGIN, y: 140, width: INNER, height: CHART_HEIGHT })
  pen.y = 140 + CHART_HEIGHT + 14
}

async function drawRows(pen: Pen, { content, rows }: Snapshot, table: Table, most: number): Promise<void> {
  const head = (): void => {
    drawHeader(pen.canvas, pen.fonts, table, pen.y)
    pen.y += HEADER_HEIGHT
  }
  let done = 0
  if (most > 0) head()
  for await (const batch of rows()) {
    const texts = batch.slice(0, most - done).map((values: Values) => rowTexts(content.columns, values))
    await pen.fonts.ready(texts.flat())
    for (const row of texts) {
      const laid = layRow(table, pen.fonts, row)
      if (await roomFor(pen, laid.height)) head()
      drawRow(pen.canvas, table, laid, pen.y, done % 2 === 1)
      pen.y += laid.height
      done++
    }
    if (done >= most) return
  }
}

/** Turns the page when so much does not fit on it; tells whether it did. */
async function roomFor(pen: Pen, height: number): Promise<boolean> {
  if (pen.y + height <= BOTTOM) return false
  await endPage(pen)
  pen.canvas = newCanvas(pen.fonts)
  pen.y = MARGIN
  return true
}

/** Everybody else's requests come between two pages. */
async function endPage({ canvas, document, desk, fonts }: Pen): Promise<void> {
  const style = { size: 7.5, color: GREY } as const
  const y = PAGE.height - 22
  const total = PAGE.width - MARGIN - 22
  canvas.text(MARGIN, y, fitting(fonts, desk, 7.5, INNER / 2), style)
  canvas.text(total - 3, y, `Page ${document.pages + 1}`, { ...style, align: 'right' })
  canvas.operators.push(`q 1 0 0 1 ${total} ${PAGE.height - y} cm /Total Do Q`)
  await document.page(canvas.operators.join('\n'))
  await new Promise((resolve) => setImmediate(resolve))
}

function note(pen: Pen, text: string): void {
  for (const line of wrapped(pen.fonts, text, 8, INNER, 3)) {
    pen.y += 14
    pen.canvas.text(MARGIN, pen.y, line, { size: 8, color: GREY })
  }
}

/** Says which characters stand as boxes, so that nobody takes one for a name. */
async function noteMissing(pen: Pen): Promise<void> {
  const missing = [...pen.fonts.missing].map((one) => `U+${one.toString(16).toUpperCase().padStart(4, '0')}`)
  if (missing.length === 0) return
  await roomFor(pen, 50)
  const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : ''
  const named = `${missing.slice(0, NAMED).join(', ')}${more}`
  note(pen, `□ stands for characters that this document has no font for (${named}); csv, xlsx and json hold them.`)
}
