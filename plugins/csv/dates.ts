/** Dates and times in the forms that other desks export, read as ISO forms. */
import { dayAt, momentOf } from '../../engine/index.ts'

/** The conventions of a file that its dates do not show. */
export interface DateForms {
  /** The time zone of times without one. */
  readonly zone: string
  /** What comes first in `01/02/2026`; undefined: not given. */
  readonly order: 'day_first' | 'month_first' | undefined
}

/** A value in its ISO form, or the mistake in a text, as the end of a sentence. */
export type Read = { readonly value: string } | { readonly error: string }

const FORMS = 'must be a date such as 2026-01-31 14:05, 31.01.2026 14:05 or 01/31/2026 2:05 PM'

const DAY =
  /^(?:(?<y>\d{4})[-/.](?<m>\d\d?)[-/.](?<d>\d\d?)|(?<dd>\d\d?)\.(?<dm>\d\d?)\.(?<dy>\d{4})|(?<a>\d\d?)[/-](?<b>\d\d?)[/-](?<sy>\d{4}))(?=$|[T\s,])/i
const TIME =
  /^(?:T|,?\s)\s?(?<h>\d\d?):(?<min>\d\d)(?::(?<s>\d\d)(?:[.,](?<f>\d{1,9}))?)?(?:\s?(?<half>[ap])\.?m\.?)?(?:\s?(?<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?$/i

/** Longer texts are no dates. */
const LONGEST = 64

interface Clock {
  readonly text: string
  /** `Z` or an offset; undefined: no zone. */
  readonly zone: string | undefined
}

/** A time, `2026-01-31T13:05:00Z`. */
export function momentIn(text: string, forms: DateForms): Read {
  const parts = partsOf(text, forms)
  if ('error' in parts) return parts
  const { day, clock } = parts
  if (clock?.zone !== undefined) return { value: `${day}T${clock.text}${clock.zone}` }
  return instantOf(day, clock?.text ?? '00:00:00', forms.zone)
}

/** A day, `2026-01-31`; for a time in another zone, the day in the zone of the file. */
export function dayIn(text: string, forms: DateForms): Read {
  const parts = partsOf(text, forms)
  if ('error' in parts) return parts
  const { day, clock } = parts
  if (clock?.zone === undefined) return { value: day }
  const moment = Date.parse(`${day}T${clock.text.slice(0, 8)}${clock.zone}`)
  return { value: Number.isNaN(moment) ? day : dayAt(moment, forms.zone) }
}

/** The time at which the clocks of a zone show `13:05:00.123` on a day. */
function instantOf(day: string, time: string, zone: string): Read {
  const [clock = '', fraction] = time.split('.')
  if (!isInCalendar(day, clock)) return { error: `is no day of the calendar: ${day}` }
  const found = momentOf(day, clock, zone)
  if (found === undefined) return { error: `did not exist in ${zone}: the clocks were set forward past it` }
  const text = new Date(found).toISOString().slice(0, 19)
  return { value: `${text}${fraction === undefined ? '' : `.${fraction}`}Z` }
}

function isInCalendar(day: string, clock: string): boolean {
  const shown = Date.parse(`${day}T${clock}Z`)
  return !Number.isNaN(shown) && new Date(shown).toISOString().slice(0, 10) === day
}

function partsOf(
  text: string,
  forms: DateForms,
): { readonly day: string; readonly clock: Clock | undefined } | { readonly error: string } {
  const found = text.length > LONGEST ? null : DAY.exec(text)
  if (found?.groups === undefined) return { error: FORMS }
  const day = dayOf(found.groups, forms)
  if ('error' in day) return day
  const rest = text.slice(found[0].length)
  if (rest === '') return { day: day.value, clock: undefined }
  const time = TIME.exec(rest)?.groups
  const clock = time && clockOf(time)
  return clock === undefined ? { error: FORMS } : { day: day.value, clock }
}

function dayOf(found: Readonly<Record<string, string | undefined>>, { order }: DateForms): Read {
  const year = found.y ?? found.dy ?? found.sy
  let [month, day] = [found.m ?? found.dm, found.d ?? found.dd]
  const { a, b } = found
  if (a !== undefined && b !== undefined) {
    const dayFirst = order === undefined ? guessed(Number(a), Number(b)) : order === 'day_first'
    if (dayFirst === undefined) {
      return {
        error: `is ambiguous: ${a}/${b} may have the day or the month first; say which by dates=day_first or dates=month_first`,
      }
    }
    month = dayFirst ? b : a
    day = dayFirst ? a : b
  }
  if (Number(month) < 1 || Number(month) > 12) return { error: `is no day of the calendar: there is no month ${month}` }
  return { value: `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}` }
}

/** Whether the day comes first, where the numbers allow only one answer or both are the same. */
function guessed(a: number, b: number): boolean | undefined {
  if (a > 12) return true
  return b > 12 || a === b ? false : undefined
}

function clockOf(found: Readonly<Record<string, string | undefined>>): Clock | undefined {
  const { min = '00', s = '00', f, half, zone } = found
  let hour = Number(found.h)
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined
    hour = (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  }
  if (hour > 23 || Number(min) > 59 || Number(s) > 59) return undefined
  const text = `${String(hour).padStart(2, '0')}:${min}:${s}${f === undefined ? '' : `.${f}`}`
  return { text, zone: zone === undefined ? undefined : /^[+-]/.test(zone) ? zone : 'Z' }
}
