/** What a report's chart shows: picked from its rows while they pass, or from a list of its summary. */
import type { JsonObject } from '../../../engine/index.ts'
import { type Chart, type Content, figureAt, type Values } from './content.ts'

/** More bars than this cannot be told apart. */
const BARS = 12
/** More points than this are drawn as the sums of several days. */
const POINTS = 120

export interface ChartCollector {
  readonly add: (values: Values) => void
  readonly done: () => Chart
}

/** Begins to collect what the chart of a report shows. */
export function chartCollector({ chart, columns }: Content, summary: JsonObject): ChartCollector {
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
