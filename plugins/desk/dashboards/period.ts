/** The period of a dashboard: whole days of the desk's time zone, both ends included. */
import { invalid, type Json } from '../../../engine/index.ts'

/** Days as YYYY-MM-DD; `days` is their number. */
export interface Period {
  readonly from: string
  readonly to: string
  readonly days: number
}

/** The parameters; either end may be missing. */
export interface AskedPeriod {
  readonly from: string | undefined
  readonly to: string | undefined
}

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 30
/** A hundred years: the answer has every day. */
const LONGEST = 36_600

/** The day `by` days after a day. */
export function dayAfter(day: string, by = 1): string {
  return new Date(Date.parse(day) + by * DAY_MS).toISOString().slice(0, 10)
}

/** A day as the number of days since 1970 began. */
export function dayNumber(day: string): number {
  return Math.floor(Date.parse(day) / DAY_MS)
}

/** Every day of a period, in order. */
export function daysOf({ from, days }: Period): readonly string[] {
  return Array.from({ length: days }, (_, by) => dayAfter(from, by))
}

/** As many days, right before. */
export function periodBefore({ from, days }: Period): Period {
  return { from: dayAfter(from, -days), to: dayAfter(from, -1), days }
}

/**
 * The ends from the parameters; throws validation_failed at date_to when they are reversed or more than a century
 * apart.
 */
export function askedPeriod(parameters: Readonly<Record<string, Json>>): AskedPeriod {
  const [from, to] = [textOf(parameters.date_from), textOf(parameters.date_to)]
  if (from !== undefined && to !== undefined) {
    if (to < from) throw invalid({ date_to: ['The date to must not be before the date from'] })
    if (daysBetween(from, to) > LONGEST) throw invalid({ date_to: [`The period may have at most ${LONGEST} days`] })
  }
  return { from, to }
}

/** The period from the parameters; thirty days where an end is missing, up to `today` without both. */
export function periodOf(parameters: Readonly<Record<string, Json>>, today: string): Period {
  const { from, to } = askedPeriod(parameters)
  const last = to ?? (from === undefined || from <= today ? today : from)
  const first = from ?? dayAfter(last, 1 - DEFAULT_DAYS)
  if (daysBetween(first, last) > LONGEST) throw invalid({ date_to: [`The period may have at most ${LONGEST} days`] })
  return { from: first, to: last, days: daysBetween(first, last) }
}

function daysBetween(from: string, to: string): number {
  return dayNumber(to) - dayNumber(from) + 1
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
