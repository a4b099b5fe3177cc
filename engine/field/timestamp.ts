/** The field type `timestamp`: a moment, in UTC with microseconds wherever it is seen. */
import { dayOf, dayText, nextDay, pad, previousDay, YEARS } from './calendar.ts'
import { ORDER_OPERATORS } from './characters.ts'
import type { Decoded, FieldType } from './field-type.ts'

const FORM = { code: 'wrong_format', error: 'must be a time with a zone, such as 2026-01-31T09:30:00Z' } as const

export const timestamp: FieldType = {
  name: 'timestamp',
  description: 'A moment: ISO 8601 in, UTC with microseconds out.',
  options: {},
  column: () => 'timestamp with time zone',
  schema: () => ({ type: 'string', format: 'date-time' }),
  wire: 'timestamp',
  operators: ORDER_OPERATORS,
  sortable: true,
  decode: (value) => {
    const moment = typeof value === 'string' ? momentOf(value) : FORM
    if ('error' in moment) return moment
    const year = Number(String(moment.value).slice(0, 4))
    return year < YEARS.first || year > YEARS.last
      ? { code: 'out_of_range', error: `must be between the years ${YEARS.first} and ${YEARS.last}` }
      : moment
  },
  // In a query string an unescaped + arrives as a space.
  parse: (text) => {
    const trimmed = text.trim()
    const day = timestamp.day?.(trimmed)
    return day === undefined ? momentOf(trimmed.replace(/ (?=\d\d:?\d\d$)/, '+')) : { value: day.from }
  },
  day: (text) => {
    const day = dayOf(text)
    return day === undefined
      ? undefined
      : { from: `${text}T00:00:00.000000Z`, before: `${dayText(nextDay(day))}T00:00:00.000000Z` }
  },
}

const MOMENT = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/

/** The moment in UTC, `YYYY-MM-DDTHH:MM:SS.ffffffZ`, as it is also answered. */
function momentOf(text: string): Decoded {
  const match = MOMENT.exec(text)
  const day = dayOf(match?.[1] ?? '')
  if (match === null || day === undefined) return FORM
  const [hour, minute, second] = [Number(match[2]), Number(match[3]), Number(match[4] ?? 0)]
  const [offsetHour, offsetMinute] = [Number(match[7] ?? 0), Number(match[8] ?? 0)]
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 15 || offsetMinute > 59) return FORM
  const fraction = match[5] ?? ''
  if (/[^0]/.test(fraction.slice(6)))
    return { code: 'invalid', error: 'must have at most six digits after the seconds' }
  const offset = (offsetHour * 60 + offsetMinute) * (match[6] === '-' ? -1 : 1)
  const minutes = hour * 60 + minute - offset
  const utcDay = minutes < 0 ? previousDay(day) : minutes >= 1440 ? nextDay(day) : day
  const left = (minutes + 1440) % 1440
  const clock = `${pad(Math.floor(left / 60))}:${pad(left % 60)}:${pad(second)}`
  return { value: `${dayText(utcDay)}T${clock}.${fraction.slice(0, 6).padEnd(6, '0')}Z` }
}
