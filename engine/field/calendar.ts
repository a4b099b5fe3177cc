/** Days of the calendar, without a clock and without JavaScript's Date, which forgives 31 February. */

export interface Day {
  readonly year: number
  readonly month: number
  readonly day: number
}

const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The day that `YYYY-MM-DD` names, or undefined if there is none. */
export function dayOf(text: string): Day | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (match === null) return undefined
  const day = { year: Number(match[1]), month: Number(match[2]), day: Number(match[3]) }
  return day.year > 0 && day.day >= 1 && day.day <= daysIn(day.year, day.month) ? day : undefined
}

/** Whether PostgreSQL has such a day, in a year of up to six digits or `BC`, as it writes it: `12026-01-31`, `0044-03-15 BC`. */
export function isStoredDay(text: string): boolean {
  const [, digits, month = '', day = '', bc] = /^(\d{4,6})-(\d{2})-(\d{2})( BC)?$/.exec(text) ?? []
  const written = Number(digits)
  // The year before the year 1 is 1 BC; days are known from 4714 BC on, moments up to 294276.
  const isKnown = bc === undefined ? written < 294_276 : written < 4_714
  const year = bc === undefined ? written : 1 - written
  return written > 0 && isKnown && Number(day) >= 1 && Number(day) <= daysIn(year, Number(month))
}

/** `YYYY-MM-DD` of a day. */
export function dayText(day: Day): string {
  return `${pad(day.year, 4)}-${pad(day.month)}-${pad(day.day)}`
}

/** The day after; the last of December 9999 has none that four digits could write, and stays. */
export function nextDay(day: Day): Day {
  if (day.day < daysIn(day.year, day.month)) return { ...day, day: day.day + 1 }
  if (day.month < 12) return { year: day.year, month: day.month + 1, day: 1 }
  return day.year < 9999 ? { year: day.year + 1, month: 1, day: 1 } : day
}

export function previousDay(day: Day): Day {
  if (day.day > 1) return { ...day, day: day.day - 1 }
  if (day.month > 1) return { year: day.year, month: day.month - 1, day: daysIn(day.year, day.month - 1) }
  return day.year > 1 ? { year: day.year - 1, month: 12, day: 31 } : day
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && leap ? 29 : (LENGTHS[month - 1] ?? 0)
}

export function pad(number: number, width = 2): string {
  return String(number).padStart(width, '0')
}

/** The years that a date may have; another one is taken for a slip of the keyboard. */
export const YEARS = { first: 1900, last: 2200 }
