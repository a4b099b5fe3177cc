/** Clocks of a time zone: which moment it was when they showed a time. */

const MINUTE = 60_000
const HOURS_APART = 26 * 60 * MINUTE

/** By zone; only names that `zoneNamed` gave come here, so that they are a few hundred at most. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** The time zone of a name, as it is written; undefined when there is none. */
export function zoneNamed(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** The day that the clocks of a zone show at a moment; undefined when the text is no moment. */
export function dayAt(moment: string, zone: string): string | undefined {
  const instant = Date.parse(moment)
  return Number.isNaN(instant) ? undefined : new Date(instant + offsetAt(instant, zone)).toISOString().slice(0, 10)
}

/**
 * The moment at which the clocks of a zone show a time of a day, `2026-01-31T13:05:00.123Z`; of two, when they are set
 * back, the first.
 */
export function instantOf(
  day: string,
  time: string,
  zone: string,
): { readonly value: string } | { readonly error: string } {
  const [clock = '', fraction] = time.split('.')
  const shown = Date.parse(`${day}T${clock}Z`)
  if (Number.isNaN(shown) || new Date(shown).toISOString().slice(0, 10) !== day)
    return { error: `is no day of the calendar: ${day}` }
  // The clocks are ahead of UTC by at most 14 hours and behind by at most 12: an offset of the day before or after.
  const offsets = [shown - HOURS_APART, shown, shown + HOURS_APART].map((moment) => offsetAt(moment, zone))
  const moments = [...new Set(offsets)].map((offset) => shown - offset).sort((a, b) => a - b)
  const found = moments.find((moment) => moment + offsetAt(moment, zone) === shown)
  if (found === undefined) return { error: `did not exist in ${zone}: the clocks were set forward past it` }
  const text = new Date(found).toISOString().slice(0, 19)
  return { value: `${text}${fraction === undefined ? '' : `.${fraction}`}Z` }
}

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetAt(moment: number, zone: string): number {
  if (zone === 'UTC') return 0
  const parts = Object.fromEntries(
    clockIn(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - moment
}

function clockIn(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(zone, format)
  }
  return format
}
