/** Clocks of a time zone: from a moment to their time, and from their time to a moment. */

const MINUTE = 60_000
const DAY_MS = 86_400_000
const HOURS_APART = 26 * 60 * MINUTE

/** By zone; keys are names from `zoneNamed`, so there are a few hundred at most. */
const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * The time zone of a name of the IANA database, as it is written; undefined for any other text, an offset among them.
 */
export function zoneNamed(name: string): string | undefined {
  // The first use of any other zone loads all of them: 20 ms and 2 MB.
  if (name === 'UTC') return name
  // PostgreSQL reads the sign of an offset the other way round.
  if (!/^[A-Za-z]/.test(name)) return undefined
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** The time of the clocks of a zone at a moment, in milliseconds: `2026-01-31T14:05:00.123`, without a zone. */
export function clockAt(moment: number, zone: string): string {
  return new Date(moment + offsetAt(moment, zone)).toISOString().slice(0, -1)
}

/** The day, `2026-01-31`, that it is in a zone at a moment, in milliseconds. */
export function dayAt(moment: number, zone: string): string {
  return clockAt(moment, zone).slice(0, 10)
}

/**
 * The moment, in milliseconds, at which the clocks of a zone show a time of a day, `2026-01-31` and `13:05:00`; of two,
 * when they are set back, the first. Undefined when they are set forward past it. Throws for what is no day or time.
 */
export function momentOf(day: string, time: string, zone: string): number | undefined {
  const shown = Date.parse(`${day}T${time}Z`)
  if (Number.isNaN(shown) || new Date(shown).toISOString().slice(0, 10) !== day)
    throw new Error(`${day} ${time} is no time of the calendar.`)
  // The clocks are ahead of UTC by at most 14 hours and behind by at most 12: an offset of the day before or after.
  const offsets = [shown - HOURS_APART, shown, shown + HOURS_APART].map((moment) => offsetAt(moment, zone))
  const moments = [...new Set(offsets)].map((offset) => shown - offset).sort((a, b) => a - b)
  return moments.find((moment) => moment + offsetAt(moment, zone) === shown)
}

const WEEK_MS = 7 * DAY_MS

/**
 * Returns by how many milliseconds the clocks of a zone are ahead of UTC on a day, `2026-01-31`; undefined on the days around
 * a change of the clocks. One look at the zone serves several days, so this is for going through many of them.
 */
export function steadyOffsets(zone: string): (day: string) => number | undefined {
  const known = new Map<number, number>()
  const at = (moment: number): number => {
    const offset = known.get(moment) ?? offsetAt(moment, zone)
    known.set(moment, offset)
    return offset
  }
  return (day) => {
    // Whatever the zone, its day lies between these two moments. No zone changes its clocks to and fro within two weeks.
    const midnight = Date.parse(`${day}T00:00:00Z`)
    const offset = at(Math.floor((midnight - DAY_MS) / WEEK_MS) * WEEK_MS)
    return offset === at(Math.ceil((midnight + 2 * DAY_MS) / WEEK_MS) * WEEK_MS) ? offset : undefined
  }
}

/** The same, and where the clocks are set forward past the time, the moment at which that happens. */
export function firstMomentFrom(day: string, time: string, zone: string): number {
  return momentOf(day, time, zone) ?? setForward(`${day}T${time}`, zone)
}

/** The day after a day. */
export function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10)
}

/** The moment at which the clocks of a zone jump past a time. */
function setForward(shown: string, zone: string): number {
  // Clocks only ever jump by less than a day, so the jump lies between these two, and halving finds it.
  let before = Date.parse(`${shown}Z`) - DAY_MS - DAY_MS / 2
  let after = Date.parse(`${shown}Z`) + DAY_MS + DAY_MS / 2
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (clockAt(middle, zone) < shown) before = middle
    else after = middle
  }
  return after
}

/** How far the clocks of a zone are ahead of UTC at a moment, in milliseconds. */
function offsetAt(moment: number, zone: string): number {
  if (zone === 'UTC') return 0
  const second = Math.floor(moment / 1000) * 1000
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(second)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: seconds = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second
}

function formatOf(zone: string): Intl.DateTimeFormat {
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
