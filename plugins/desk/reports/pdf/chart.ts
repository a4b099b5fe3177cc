/** Draws a report's chart: bars next to each other, or lines over days. */
import type { Chart } from '../content.ts'
import { CARD, GREY, GRID, INK, SERIES } from './colors.ts'
import type { PdfDocument } from './document.ts'
import { fitting } from './fit.ts'

export interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const LABELS = 9

/** Draws a chart with its title, legend, scale and labels into an area. */
export function drawChart(document: PdfDocument, chart: Chart, area: Area): void {
  document.box(area.x, area.y, area.width, area.height, CARD)
  document.text(area.x + 10, area.y + 16, chart.title, { size: 9.5, color: INK, bold: true })
  drawLegend(document, chart, area)
  const plot: Area = { x: area.x + 40, y: area.y + 28, width: area.width - 54, height: area.height - 52 }
  const highest = Math.max(0, ...chart.series.flatMap(({ data }) => data))
  if (chart.labels.length === 0 || highest === 0) {
    const middle = { size: 9, color: GREY, align: 'center' } as const
    document.text(area.x + area.width / 2, area.y + area.height / 2 + 4, 'Nothing happened in this period', middle)
    return
  }
  const step = stepOf(highest)
  const top = Math.ceil(highest / step) * step
  for (let value = 0; value <= top; value += step) {
    const y = plot.y + plot.height * (1 - value / top)
    document.line(
      [
        [plot.x, y],
        [plot.x + plot.width, y],
      ],
      GRID,
      0.5,
    )
    document.text(plot.x - 5, y + 2.5, value.toLocaleString('en-US'), { size: 7, color: GREY, align: 'right' })
  }
  if (chart.kind === 'bar') drawBars(document, chart, plot, top)
  else drawLines(document, chart, plot, top)
}

/** A round, whole step of the scale, with at most five steps. */
function stepOf(highest: number): number {
  const rough = Math.max(1, highest / 4)
  const power = 10 ** Math.floor(Math.log10(rough))
  return Math.max(1, ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power)
}

const colorOf = (at: number): string => SERIES[at % SERIES.length]!

function drawLegend(document: PdfDocument, { series }: Chart, area: Area): void {
  if (series.length < 2) return
  let x = area.x + area.width - 10
  for (const [at, { label }] of [...series.entries()].reverse()) {
    document.text(x, area.y + 16, label, { size: 8, color: INK, align: 'right' })
    x -= document.widthOf(label) * 8 + 10
    document.box(x, area.y + 10, 7, 7, colorOf(at))
    x -= 14
  }
}

function drawBars(document: PdfDocument, { labels, series }: Chart, plot: Area, top: number): void {
  const slot = plot.width / labels.length
  const bar = Math.min(34, (slot * 0.7) / series.length)
  labels.forEach((label, at) => {
    const middle = plot.x + slot * (at + 0.5)
    series.forEach(({ data }, index) => {
      const value = data[at] ?? 0
      const height = (plot.height * value) / top
      const x = middle + bar * (index - series.length / 2)
      document.box(x, plot.y + plot.height - height, bar - 1, height, colorOf(index))
      const above = { size: 6.5, color: INK, align: 'center' } as const
      if (value > 0)
        document.text(x + bar / 2, plot.y + plot.height - height - 2.5, value.toLocaleString('en-US'), above)
    })
    const under = { size: 7, color: GREY, align: 'center' } as const
    document.text(middle, plot.y + plot.height + 11, fitting(document, label, 7, slot - 4), under)
  })
}

function drawLines(document: PdfDocument, { labels, series }: Chart, plot: Area, top: number): void {
  const xOf = (at: number): number =>
    labels.length === 1 ? plot.x + plot.width / 2 : plot.x + (plot.width * at) / (labels.length - 1)
  const yOf = (value: number): number => plot.y + plot.height * (1 - value / top)
  series.forEach(({ data }, index) => {
    const points = data.map((value, at): readonly [number, number] => [xOf(at), yOf(value)])
    if (points.length > 1) document.line(points, colorOf(index), 1.6)
    // One point makes no line, so it is a mark.
    if (points.length <= 31) for (const [x, y] of points) document.box(x - 1.6, y - 1.6, 3.2, 3.2, colorOf(index))
  })
  const every = Math.ceil(labels.length / LABELS)
  labels.forEach((label, at) => {
    if (at % every !== 0) return
    document.text(xOf(at), plot.y + plot.height + 11, label, { size: 7, color: GREY, align: 'center' })
  })
}
