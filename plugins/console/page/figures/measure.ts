/** What a tile asks the summary of a list or a route of a plugin for, and what the answer says. */

import { dayIn, dayText, later, monthLater } from '../calendar/days.ts'
import { type Catalog, isRecord, type Json, type Named, nameOf, type RecordData, valueAt } from '../client/catalog.ts'
import type { Condition, Tile, View } from '../client/screens.ts'
import { durationText, valueText, wordText } from '../format.tsx'
import { viewQuery } from '../list/query.ts'
import { words } from '../words/words.ts'

export const DRAWN = ['number', 'bars', 'line', 'table'] as const
export type Drawn = (typeof DRAWN)[number]

/** The kind of a tile, and what it is of. */
export function drawnBy(tile: Tile): { readonly kind: Drawn; readonly measure: string } {
  const kind = DRAWN.find((one) => tile[one] !== undefined) ?? 'number'
  return { kind, measure: tile[kind] ?? 'count' }
}

/** `avg of price` in the words of the API, `avg:price`. */
export function termOf(measure: string): string {
  return measure.replace(' of ', ':')
}

/** The name of a group in a request and in the answer: `day of created_at` is `created_at:day`. */
export function groupOf({ resource }: Named, group: string): string {
  const [name = '', step] = group.split(' of ').reverse()
  const key = resource.relations[name]?.field ?? name
  return step === undefined ? key : `${key}:${step}`
}

/** A period and the same one before it; undefined where a view has none. */
export interface Periods {
  readonly field: string
  readonly from: string
  readonly before: string
}

/** `last 30 days of created_at`. */
export function periodsOf({ over }: View): Periods | undefined {
  const [, count = '0', unit = 'days', field = ''] = /^last (\d+) (\w+) of (\w+)$/.exec(over ?? '') ?? []
  if (field === '') return undefined
  const today = dayIn(new Date())
  const ago = (times: number): string => {
    const number = Number(count) * times
    if (unit === 'months' || unit === 'years') {
      const first = monthLater(today, -(unit === 'years' ? number * 12 : number))
      return later(first, Number(today.slice(8)) - 1)
    }
    return later(today, -(unit === 'weeks' ? number * 7 : number) + times)
  }
  return { field, from: ago(1), before: ago(2) }
}

/** The condition of a period, for a day or a moment. */
export function during({ resource }: Named, { before, field, from }: Periods, isBefore: boolean): Condition {
  const isDay = resource.fields[field]?.type === 'date'
  const start = (day: string): string => (isDay ? day : new Date(`${day}T00:00`).toISOString())
  return { [field]: isBefore ? { gte: start(before), lt: start(from) } : { gte: start(from) } }
}

/** The path of the summary that a tile shows. */
export function summaryPath(named: Named, view: View, tile: Tile, period: Condition | undefined): string {
  const { measure } = drawnBy(tile)
  const by = [tile.by ?? []].flat().map((group) => groupOf(named, group))
  const { sort: _, ...unsorted } = view
  const more = [tile.where, period].filter((one) => one !== undefined)
  const query = new URLSearchParams(viewQuery(new URLSearchParams(), unsorted, ...more))
  if (by.length > 0) query.set('by', by.join(','))
  query.set('of', termOf(measure))
  if (by.some((one) => one.includes(':'))) query.set('zone', Intl.DateTimeFormat().resolvedOptions().timeZone)
  return `${named.resource.figures ?? ''}?${query}`
}

/** A group of a figure: its name for people, and the number. */
export interface Group {
  readonly labels: readonly string[]
  readonly value: number | null
}

function asNumber(value: Json | undefined): number | null {
  return value === null || value === undefined || value === '' || Number.isNaN(Number(value)) ? null : Number(value)
}

/** The groups of an answer of the summary. */
export function groupsOf(catalog: Catalog, named: Named, tile: Tile, rows: readonly RecordData[]): readonly Group[] {
  const term = termOf(drawnBy(tile).measure)
  const groups = [tile.by ?? []].flat()
  return rows.map((row) => ({
    labels: groups.map((group) => labelOf(catalog, named, group, row)),
    value: asNumber(row[term]),
  }))
}

function labelOf(catalog: Catalog, named: Named, group: string, row: RecordData): string {
  const [name = '', step] = group.split(' of ').reverse()
  const value = row[groupOf(named, group)] ?? null
  const relation =
    named.resource.relations[name] ?? named.resource.relations[named.resource.fields[name]?.relation ?? '']
  const part = row[relation === undefined ? '' : (named.resource.fields[name]?.relation ?? name)]
  if (relation !== undefined && isRecord(part)) return nameOf(catalog, relation, part)
  if (value === null) return words().none
  const text = String(value)
  if (step === 'month') return dayText(text.slice(0, 10), words().language, { month: 'short', year: '2-digit' })
  if (step === 'year') return text.slice(0, 4)
  if (step !== undefined && /^\d{4}-\d\d-\d\d$/.test(text))
    return dayText(text, words().language, { day: 'numeric', month: 'short' })
  const { type = '', values } = named.resource.fields[name] ?? {}
  return valueText(type, value, values)
}

/** The groups in an answer of a plugin: rows, or a map of numbers. */
export function groupsIn(data: Json, tile: Tile): readonly Group[] {
  const { measure } = drawnBy(tile)
  const at = tile.at === undefined ? data : valueAt(data, tile.at)
  if (isRecord(at))
    return Object.entries(at).flatMap(([word, value]) =>
      typeof value === 'number' ? [{ labels: [wordText(word)], value }] : [],
    )
  const rows = Array.isArray(at) ? (at as readonly Json[]).filter(isRecord) : []
  return rows.map((row) => {
    const name = Object.entries(row).find(([key, value]) => key !== measure && typeof value === 'string')?.[1]
    return { labels: [labelIn(name)], value: asNumber(valueAt(row, measure)) }
  })
}

function labelIn(name: Json | undefined): string {
  if (typeof name !== 'string') return words().none
  return /^\d{4}-\d\d-\d\d$/.test(name)
    ? dayText(name, words().language, { day: 'numeric', month: 'short' })
    : wordText(name)
}

/** The number in an answer of a plugin. */
export function numberIn(data: Json, { at, ...tile }: Tile): number | null {
  const { measure } = drawnBy(tile)
  return asNumber(valueAt(data, at === undefined ? measure : `${at}.${measure}`))
}

/** A number for people. */
export function figureText(value: number | null, as: Tile['as']): string {
  if (value === null) return words().empty
  const { language } = words()
  if (as === 'percent') return `${new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(value)} %`
  if (as === 'duration') return durationText(value)
  return new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(value)
}
