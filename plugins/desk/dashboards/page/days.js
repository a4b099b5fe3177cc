/** Days where the desk is; its time zone is an argument. */

/** What the clocks of a zone show at a moment, as if it were UTC; in milliseconds. */
function clock(moment, zone) {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const part = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
  return Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second)
}

/** The day that it is there at a moment, YYYY-MM-DD. */
export function dayOf(moment, zone) {
  return new Date(clock(moment, zone)).toISOString().slice(0, 10)
}

/** The day after. */
export function dayAfter(day) {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
}

/** The moment at which a day begins there. */
export function startOf(day, zone) {
  const midnight = Date.parse(day)
  const guess = midnight - (clock(midnight, zone) - midnight)
  return new Date(midnight - (clock(guess, zone) - guess)).toISOString()
}
