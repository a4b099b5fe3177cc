/** The table of a PDF report: rows in columns over as many pages as needed, each with the header. */
import type { Column, Values } from '../content.ts'
import { textOf } from '../text.ts'
import { HEAD, INK, WHITE, ZEBRA } from './colors.ts'
import type { PdfDocument } from './document.ts'
import { wrapped } from './fit.ts'

const SIZE = 7
const LINE = 9
const PAD = 4
/** A text that needs more lines ends in an ellipsis. */
const LINES = 3
const HEADER_LINES = 2

/** A column with its position and the lines of its header. */
interface PlacedColumn extends Column {
  readonly x: number
  readonly points: number
  readonly right: boolean
  readonly header: readonly string[]
}

export interface Table {
  readonly columns: readonly PlacedColumn[]
  readonly headerHeight: number
  readonly x: number
  readonly width: number
}

/** A row with its lines broken. */
export interface LaidRow {
  readonly cells: readonly (readonly string[])[]
  readonly height: number
}

/** Shares a width among columns. */
export function tableOf(document: PdfDocument, columns: readonly Column[], x: number, width: number): Table {
  const whole = columns.reduce((sum, column) => sum + column.width, 0)
  let at = x
  const placed = columns.map((column) => {
    const points = (width * column.width) / whole
    const right = column.type === 'integer' || column.type === 'percent' || column.type === 'duration'
    const header = wrapped(document, column.label, SIZE, points - 2 * PAD, HEADER_LINES)
    const place = { ...column, x: at, points, right, header }
    at += points
    return place
  })
  const lines = Math.max(1, ...placed.map(({ header }) => header.length))
  return { columns: placed, headerHeight: lines * LINE + 2 * PAD, x, width }
}

/** The texts of a row. */
export function rowTexts(columns: readonly Column[], values: Values, zone: string): readonly string[] {
  return columns.map(({ type }, at) => textOf(values[at] ?? null, type, zone))
}

/** Breaks a row's texts into lines. */
export function layRow({ columns }: Table, document: PdfDocument, texts: readonly string[]): LaidRow {
  const cells = columns.map(({ points }, at) => wrapped(document, texts[at] ?? '', SIZE, points - 2 * PAD, LINES))
  const lines = Math.max(1, ...cells.map((cell) => cell.length))
  return { cells, height: lines * LINE + 2 * PAD - 2 }
}

/** Draws the header at `y`. */
export function drawHeader(document: PdfDocument, { columns, headerHeight, x, width }: Table, y: number): void {
  document.box(x, y, width, headerHeight, HEAD)
  for (const { header, x: left, points, right } of columns) {
    const style = { size: SIZE, color: WHITE, bold: true, align: right ? 'right' : 'left' } as const
    header.forEach((line, index) => {
      document.text(right ? left + points - PAD : left + PAD, y + 11 + index * LINE, line, style)
    })
  }
}

/** Draws a row at `y`; every second one has a coloured background. */
export function drawRow(
  document: PdfDocument,
  { columns, x, width }: Table,
  { cells, height }: LaidRow,
  y: number,
  even: boolean,
): void {
  if (even) document.box(x, y, width, height, ZEBRA)
  columns.forEach(({ x: left, points, right }, at) => {
    const align = right ? 'right' : 'left'
    cells[at]!.forEach((line, index) => {
      const place = right ? left + points - PAD : left + PAD
      document.text(place, y + PAD + SIZE - 0.8 + index * LINE, line, { size: SIZE, color: INK, align })
    })
  })
}
