/** The table of a PDF report: rows in columns over as many pages as they need, each with the header. */
import type { Column, Values } from '../content.ts'
import { textOf } from '../text.ts'
import { HEAD, INK, WHITE, ZEBRA } from './colors.ts'
import type { PdfDocument } from './document.ts'
import { fitting, wrapped } from './fit.ts'

const SIZE = 7
const LINE = 9
const PAD = 4
/** A text that needs more lines ends in an ellipsis. */
const LINES = 3
export const HEADER_HEIGHT = 17

export interface Table {
  readonly columns: readonly (Column & { readonly x: number; readonly points: number; readonly right: boolean })[]
  readonly x: number
  readonly width: number
}

/** A row with its lines broken. */
export interface LaidRow {
  readonly cells: readonly (readonly string[])[]
  readonly height: number
}

/** Shares a width among columns. */
export function tableOf(columns: readonly Column[], x: number, width: number): Table {
  const whole = columns.reduce((sum, column) => sum + column.width, 0)
  let at = x
  const placed = columns.map((column) => {
    const points = (width * column.width) / whole
    const right = column.type === 'integer' || column.type === 'percent' || column.type === 'duration'
    const place = { ...column, x: at, points, right }
    at += points
    return place
  })
  return { columns: placed, x, width }
}

/** The texts of a row as they are shown. */
export function rowTexts(columns: readonly Column[], values: Values): readonly string[] {
  return columns.map(({ type }, at) => textOf(values[at] ?? null, type))
}

/** Breaks a row's texts into lines. */
export function layRow({ columns }: Table, document: PdfDocument, texts: readonly string[]): LaidRow {
  const cells = columns.map(({ points }, at) => wrapped(document, texts[at] ?? '', SIZE, points - 2 * PAD, LINES))
  const lines = Math.max(1, ...cells.map((cell) => cell.length))
  return { cells, height: lines * LINE + 2 * PAD - 2 }
}

/** Draws the header at `y`. */
export function drawHeader(document: PdfDocument, { columns, x, width }: Table, y: number): void {
  document.box(x, y, width, HEADER_HEIGHT, HEAD)
  for (const { label, x: left, points, right } of columns) {
    const text = fitting(document, label, SIZE, points - 2 * PAD)
    const align = right ? 'right' : 'left'
    document.text(right ? left + points - PAD : left + PAD, y + 11, text, {
      size: SIZE,
      color: WHITE,
      bold: true,
      align,
    })
  }
}

/** Draws a row at `y`; every other one on a ground. */
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
