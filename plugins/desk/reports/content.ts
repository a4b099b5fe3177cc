/** What a report consists of: columns, rows as SQL, figures, and what is drawn of them. */
import type { Json, JsonObject } from '../../../engine/index.ts'
import type { Query } from './query.ts'

/** How a value is written: a duration is in seconds, a percent 0 to 100, a timestamp and a date as the API writes them. */
export type ValueType = 'text' | 'integer' | 'percent' | 'duration' | 'timestamp' | 'date'

export interface Column {
  readonly key: string
  readonly label: string
  readonly type: ValueType
  /** Of the width of a page, in proportion to the other columns. */
  readonly width: number
}

/** One figure of the summary that is shown large: `path` leads to it, `first_response_time.average`. */
export interface Tile {
  readonly path: string
  readonly label: string
  readonly type: ValueType
}

/** What the chart draws: a line over all rows, or bars of the first of them; columns by their key. */
export interface ChartPlan {
  readonly kind: 'bar' | 'line'
  readonly title: string
  readonly label: string
  readonly series: readonly string[]
}

/** A chart ready to be drawn. */
export interface Chart {
  readonly kind: 'bar' | 'line'
  readonly title: string
  readonly labels: readonly string[]
  readonly series: readonly { readonly label: string; readonly data: readonly number[] }[]
}

/** One type of report. */
export interface Content {
  readonly columns: readonly Column[]
  readonly tiles: readonly Tile[]
  /** Of the rows, or a list of the summary by its key whose items have `name` and `total`. */
  readonly chart: ChartPlan | { readonly title: string; readonly list: string }
  /** SQL whose columns are `columns`, in their order. */
  readonly rows: (query: Query) => string
  /** Whether the rows stand in the order of time: pages then begin with the newest. */
  readonly chronological?: boolean
  /** Figures that this type has beside those of every report. */
  readonly figures?: (query: Query) => Promise<JsonObject>
}

/** A row as it is kept: the values in the order of the columns. */
export type Values = readonly (string | number | null)[]

/** A report that has been computed, with its rows still to be read. */
export interface Snapshot {
  readonly name: string
  readonly type: string
  readonly period: { readonly from: string; readonly to: string }
  readonly madeAt: Date
  /** The time zone of the period's days. */
  readonly zone: string
  readonly content: Content
  readonly summary: JsonObject
  readonly chart: Chart
  readonly count: number
  /** All rows in batches, any number of times. */
  readonly rows: () => AsyncIterable<readonly Values[]>
}

/** The value at a dotted path of the summary. */
export function figureAt(summary: JsonObject, path: string): Json {
  return path.split('.').reduce<Json>((value, key) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
    return (value as JsonObject)[key] ?? null
  }, summary)
}
