/** The JSON Schema of `calendars` in app.yaml. */
import type { JsonSchema } from '../json.ts'
import { either, key, list, map, named, TEXT } from './word-schema.ts'

const HOURS: JsonSchema = {
  type: 'string',
  pattern: '^([01]\\d|2[0-3]):[0-5]\\d-(([01]\\d|2[0-3]):[0-5]\\d|24:00)$',
  'x-expects': 'a begin and an end, such as 09:00-17:00',
}

const DAYS: JsonSchema = {
  type: 'string',
  pattern: '^(mon|tue|wed|thu|fri|sat|sun)(-(mon|tue|wed|thu|fri|sat|sun))?$',
  'x-expects': 'a day or days, such as sat or mon-fri',
}

const HOLIDAY: JsonSchema = {
  type: 'string',
  pattern: '^(\\d{4}-)?(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
  'x-expects': 'a day such as 2026-12-24, or 12-24 for every year',
}

export const CALENDARS: JsonSchema = named(
  map(
    {
      zone: key('The time zone of the hours.', 'Europe/Berlin', TEXT),
      hours: key(
        'When people work, by day of the week; other days are free.',
        { 'mon-fri': '09:00-17:00', sat: ['09:00-12:00', '13:00-15:00'] },
        { ...named(either(HOURS, { ...list(HOURS), minItems: 1 }), DAYS), minProperties: 1 },
      ),
      holidays: key('Days without work: one day, or a day of every year.', ['2026-04-03', '12-25'], list(HOLIDAY)),
    },
    ['zone', 'hours'],
  ),
)
