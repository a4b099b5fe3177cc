/** The content of a report: columns, rows as SQL, figures, and a chart. */
import type { Json, JsonObject } from '../../../engine/index.ts'
import type { Query } from './query.ts'

/** The format of a value: a duration is in seconds, a percent 0 to 100, a timestamp and a date as in the API. */
export type ValueType = 'text' | 'integer' | 'percent' | 'duration' | 'timestamp' | 'date'

export interface Column {
  readonly key: string
  readonly label: string
  readonly type: ValueType
  /** The width in proportion to the other columns. */
  readonly width: number
}

/** A large figure of the summary at `path`, `first_response_time.average`. */
export interface Tile {
  readonly path: string
  readonly label: string
  readonly type: ValueType
}

/** The chart: a line over all rows, or bars of the first ones; columns by their key. */
export interface ChartPlan {
  readonly kind: 'bar' | 'line'
  readonly title: string
  readonly label: string
  readonly series: readonly string[]
}

/** A chart ready to draw. */
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
  /** Of the rows, or of a list in the summary, by its key, whose items have `name` and `total`. */
  readonly chart: ChartPlan | { readonly title: string; readonly list: string }
  /** SQL whose columns are `columns`, in their order. */
  readonly rows: (query: Query) => string
  /** Whether the rows are in the order of time: pages then begin with the newest. */
  readonly chronological?: boolean
  /** Figures of this type in addition to those of every report. */
  readonly figures?: (query: Query) => Promise<JsonObject>
}

/** A stored row: the values in the order of the columns. */
export type Values = readonly (string | number | null)[]

/** A computed report; its rows are read from a file. */
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
  /** All rows in batches, as often as needed. */
  readonly rows: () => AsyncIterable<readonly Values[]>
}

/** The value at a dotted path of the summary. */
export function figureAt(summary: JsonObject, path: string): Json {
  return path.split('.').reduce<Json>((value, key) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
    return (value as JsonObject)[key] ?? null
  }, summary)
}
