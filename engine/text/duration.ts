/** Lengths of time in words, as YAML and plugins write them. */

/** A time in the calendar, `2 years`, for PostgreSQL to count back from a moment; no longer than its calendar goes back. */
export const SPAN_PATTERN = '^([1-9][0-9]{0,4} (minute|hour|day)s?|[1-9][0-9]{0,2} (week|month|year)s?)$'

/** `30 minutes`, `1 hour`, `7 days`. */
export type Duration = `${number} ${'minute' | 'hour' | 'day'}${'' | 's'}`

const FORM = /^[1-9][0-9]{0,4} (minute|hour|day)s?$/
const UNITS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/** The milliseconds of `1 hour`; undefined for what is no length of time. */
export function durationMs(text: string): number | undefined {
  if (!FORM.test(text)) return undefined
  const [count, unit = ''] = text.split(' ')
  return Number(count) * (UNITS[unit.replace(/s$/, '')] ?? 0)
}
