/** Values about time, as written: `{ plus: [$now, 4 hours], in: business }`, `{ minutes_between: [$before.paused_at, $now] }`. */

import { calendarKey } from '../calendar/working-time.ts'
import type { Amount, ChosenCalendar, Field, Value } from '../catalog/catalog.ts'
import { typed } from '../catalog/stored.ts'
import { parseRecordOperand } from '../filter/parse-yaml.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { durationMs } from '../text/duration.ts'
import { type Place, under } from './document-part.ts'
import { linkPath } from './link-path.ts'
import { complain, type PartLinking } from './record-operand.ts'
import { APP, isUnread, suggest } from './resolution.ts'

const SPAN = /^([1-9]\d{0,5}) (minute|hour|day|week|month|year)s?$/
/** Units of an amount, in seconds. */
const UNITS: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 }
/** Days are no working time: how long one is depends on the calendar. */
const WORKING_UNITS = Object.keys(UNITS).filter((unit) => unit !== 'days')

/** The words that count what lies between two moments. */
export const BETWEEN = Object.keys(UNITS).map((unit) => `${unit}_between`)

/** The words that `in` may accompany. */
export const TIMED: ReadonlySet<string> = new Set(['plus', 'minus', ...BETWEEN])

type Direction = 'later' | 'earlier'

/** Whether the value is a moment or a day. */
export function isTime({ field }: PartLinking): boolean {
  return field.type.wire === 'timestamp' || field.type.wire === 'date'
}

/** A word with `in`: working time counts, and no other. */
export function timed(linking: PartLinking, word: string, written: JsonObject, place: Place): Value | undefined {
  const calendar = chosenCalendar(linking, written.in ?? null, under(place, 'in'))
  if (calendar === undefined) return undefined
  const at: Place = under(place, word)
  const value = written[word] ?? null
  if (BETWEEN.includes(word)) return between(linking, word, value, at, calendar)
  if (linking.field.type.wire !== 'timestamp')
    return complain(linking, place, 'is no moment, which working time leads to')
  return (
    (word === 'plus' ? sinceNow(linking, value, calendar) : undefined) ??
    shifted(linking, value, at, word === 'plus' ? 'later' : 'earlier', calendar)
  )
}

/** Counted in the process: `[$now, 4 hours]`, the most usual form, needs no look at the hours in the database. */
function sinceNow({ resolution }: PartLinking, written: Json, { by, keys }: ChosenCalendar): Value | undefined {
  const [than, span, ...others] = Array.isArray(written) ? (written as readonly Json[]) : []
  const ms = /^\d+ (minute|hour)s?$/.test(String(span)) ? durationMs(String(span)) : undefined
  if (than !== '$now' || ms === undefined || others.length > 0 || by !== undefined) return undefined
  const [name = ''] = keys.keys()
  const calendar = resolution.calendars.get(name)
  return calendar === undefined ? undefined : { kind: 'working', working: { name, calendar, ms } }
}

/** The name of a calendar, or a field with such names; undefined with a complaint. */
function chosenCalendar(linking: PartLinking, written: Json, place: Place): ChosenCalendar | undefined {
  const { calendars } = linking.resolution
  const keyed = (name: string): readonly [string, string] | undefined => {
    const calendar = calendars.get(name)
    return calendar && [name, calendarKey(calendar)]
  }
  const operand = parseRecordOperand(written)
  if (operand === undefined) {
    const found = keyed(String(written))
    if (found !== undefined) return { keys: new Map([found]), by: undefined }
    if (isUnread(linking.resolution, APP)) return undefined
    const message = `There is no calendar "${String(written)}"`
    linking.resolution.report('unknown_calendar', message, place([]), {
      ...suggest(String(written), calendars.keys()),
      ...(calendars.size > 0
        ? {}
        : {
            hint: 'add it to app.yaml: calendars: { business: { zone: Europe/Berlin, hours: { mon-fri: 09:00-17:00 } } }',
          }),
    })
    return undefined
  }
  const path = linkPath(linking.resolution, linking.judging.record, operand.path, place([]))
  if (path === undefined) return undefined
  const as = path.field
  const words = as.type.name === 'enum' ? ((as.options.own.values ?? []) as readonly string[]) : []
  const keys = words.map(keyed)
  const value = linking.link({ ...linking, field: as, part: true }, written, place)
  if (value === undefined) return undefined
  if (words.length > 0 && !keys.includes(undefined))
    return { keys: new Map(keys.filter((one) => one !== undefined)), by: { value, as } }
  if (isUnread(linking.resolution, APP)) return undefined
  const unknown = words.filter((word) => !calendars.has(word))
  const why = words.length === 0 ? 'is no enum' : `has words that are no calendar: ${unknown.join(', ')}`
  linking.resolution.report('wrong_value', `"${as.name}" ${why}`, place([]), { expected: [...calendars.keys()] })
  return undefined
}

/** A moment or a day so much later or earlier; with a calendar by its working time. */
export function shifted(
  linking: PartLinking,
  written: Json,
  place: Place,
  kind: Direction,
  calendar?: ChosenCalendar,
): Value | undefined {
  const list = Array.isArray(written) ? (written as readonly Json[]) : []
  const [than = null, by = null] = list
  const wrong = (): undefined =>
    complain(linking, place, 'takes a value and a span of time here', exampleOf(linking, calendar))
  if (list.length !== 2) return wrong()
  const span = isObject(by)
    ? amountsOf(linking, by, under(place, 1), calendar)
    : fixedSpan(linking, String(by), calendar)
  if (span === 'misfit') return wrong()
  const value = linking.link(linking, than, under(place, 0))
  return value === undefined || span === undefined ? undefined : { kind, than: value, by: span, calendar }
}

function exampleOf({ field }: PartLinking, calendar: ChosenCalendar | undefined): string {
  if (calendar !== undefined) return '[$record.created_at, 4 hours] or [$now, { minutes: $record.minutes }]'
  return field.type.wire === 'date' ? '[$now, 7 days]' : '[$now, 4 hours]'
}

/** A written span: PostgreSQL's interval, or its seconds where working time is counted. */
function fixedSpan(
  linking: PartLinking,
  written: string,
  calendar: ChosenCalendar | undefined,
): string | readonly Amount[] | 'misfit' {
  const [, count = '', unit = ''] = SPAN.exec(written) ?? []
  const seconds = UNITS[`${unit}s`]
  if (calendar !== undefined) {
    if (seconds === undefined || unit === 'day') return 'misfit'
    const of: Value = { kind: 'operand', operand: { kind: 'literal', value: count } }
    return [{ seconds, of, as: standIn(linking, 'decimal', unit) }]
  }
  const misfits = unit === '' || (linking.field.type.wire === 'date' && (unit === 'minute' || unit === 'hour'))
  return misfits ? 'misfit' : written
}

/** `{ minutes: $record.priority.minutes, seconds: 30 }`; undefined with a complaint. */
function amountsOf(
  linking: PartLinking,
  written: JsonObject,
  place: Place,
  calendar: ChosenCalendar | undefined,
): readonly Amount[] | undefined | 'misfit' {
  const units = calendar === undefined ? Object.keys(UNITS) : WORKING_UNITS
  const amounts = Object.entries(written).map(([unit, value]): Amount | undefined => {
    if (!units.includes(unit)) {
      const message = `"${unit}" is no unit of time here`
      linking.resolution.report('wrong_value', message, place([unit], 'key'), { expected: units })
      return undefined
    }
    const as = standIn(linking, 'decimal', unit)
    const at: Place = under(place, unit)
    const of = linking.link({ ...linking, field: as, part: true }, value, at)
    return of === undefined ? undefined : { seconds: UNITS[unit]!, of, as }
  })
  if (amounts.includes(undefined)) return undefined
  const found = amounts.filter((one) => one !== undefined)
  const isDate = linking.field.type.wire === 'date'
  return found.length === 0 || (isDate && !('days' in written)) ? 'misfit' : found
}

/** How many units lie between two moments: a number. */
export function between(
  linking: PartLinking,
  word: string,
  written: Json,
  place: Place,
  calendar?: ChosenCalendar,
): Value | undefined {
  const { name } = linking.field.type
  if (name !== 'integer' && name !== 'decimal') return complain(linking, place, 'is no number')
  const unit = word.replace('_between', '')
  if (calendar !== undefined && !WORKING_UNITS.includes(unit))
    return complain(linking, place, 'takes hours or less of working time', 'hours_between')
  const list = Array.isArray(written) ? (written as readonly Json[]) : []
  if (list.length !== 2) return complain(linking, place, 'takes two moments here', '[$record.created_at, $now]')
  const isDays = list.some((one) => linking.bare && linking.draft.fields.get(String(one))?.type.wire === 'date')
  const as = standIn(linking, isDays ? 'date' : 'timestamp', linking.field.name)
  const [from, to] = list.map((one, index) =>
    linking.link({ ...linking, field: as, part: true }, one, under(place, index)),
  )
  return from === undefined || to === undefined
    ? undefined
    : { kind: 'between', from, to, as, seconds: UNITS[unit]!, calendar }
}

/** What takes a part of a value, and is no field of the record. */
export function standIn(
  { field, resolution }: Pick<PartLinking, 'field' | 'resolution'>,
  type: 'decimal' | 'timestamp' | 'date',
  name: string,
): Field {
  const own = type === 'decimal' ? { precision: 30, scale: 9 } : {}
  const found = resolution.extensions.fieldTypes.get(type)
  if (found === undefined) throw new Error(`the field type ${type} is the engine's own`)
  return { ...field, ...typed(found, { ...field.options, own }), name, relation: undefined }
}

/** The values inside one about time. */
export function partsOf(value: Extract<Value, { kind: 'later' | 'earlier' | 'between' }>): readonly Value[] {
  const calendar = value.calendar?.by === undefined ? [] : [value.calendar.by.value]
  if (value.kind === 'between') return [value.from, value.to, ...calendar]
  return [value.than, ...(typeof value.by === 'string' ? [] : value.by.map(({ of }) => of)), ...calendar]
}
