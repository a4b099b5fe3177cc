/** Values of each type, and what a value is as another type, as the documentation of changes says it. */
import type { Json } from '../../../engine/json.ts'
import type { Field, TypeName } from './shape.ts'

export const WORDS = ['open', 'done', 'late', 'lost'] as const

/** Few of each, so that equal ones are common, and some mean something as another type. */
const VALUES: Readonly<Record<Exclude<TypeName, 'enum' | 'sequence'>, readonly Json[]>> = {
  string: ['2', 'word', '3.5', '2026-01-31', 'true', '0', 'open'],
  text: ['7', 'two\nlines', 'open', '2026-02-28'],
  integer: [1, 0, 12, -3],
  decimal: ['1.00', '3.50', '0.00', '12.25'],
  boolean: [true, false],
  date: ['2026-01-31', '2025-12-01'],
  timestamp: ['2026-01-31T00:00:00.000000Z', '2026-01-31T10:30:00.000000Z'],
  list: [['a'], ['b', 'a'], []],
}

/** The value that a number draws; null for some. */
export function drawnValue(field: Field, drawn: number): Json {
  const all = field.type === 'enum' ? (field.values ?? []) : field.type === 'sequence' ? [] : VALUES[field.type]
  const nulls = field.required === true ? 0 : 1
  return all[drawn % (all.length + nulls)] ?? null
}

/** One that is never null, for `backfill` and `default`. */
export function certainValue(field: Field, drawn: number): Json {
  return drawnValue({ ...field, required: true }, drawn)
}

const NUMBER = /^[+-]?\d{1,40}(\.\d{1,40})?$/
const DAY = /^\d{4}-\d\d-\d\d$/
/** As the database writes a moment that becomes a text. */
const MOMENT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/
const MIDNIGHT = 'T00:00:00.000000Z'
const YES = ['true', 't', 'yes', 'y', 'on', '1']
const NO = ['false', 'f', 'no', 'n', 'off', '0']

/** A value of another type; `lost` where it means nothing there, `unknown` where nobody says how it is written. */
export type Converted = { readonly value: Json } | 'lost' | 'unknown'

function number(text: string, to: TypeName): Converted {
  if (!NUMBER.test(text)) return 'lost'
  const value = Number(text)
  if (to === 'integer') return Number.isInteger(value) ? { value } : 'lost'
  return Number.isInteger(value * 100) ? { value: value.toFixed(2) } : 'lost'
}

function fromText(text: string, to: TypeName): Converted {
  const trimmed = text.trim()
  switch (to) {
    case 'integer':
    case 'decimal':
      return number(trimmed, to)
    case 'boolean': {
      const low = trimmed.toLowerCase()
      return YES.includes(low) ? { value: true } : NO.includes(low) ? { value: false } : 'lost'
    }
    case 'date':
      return DAY.test(trimmed) ? { value: trimmed } : 'lost'
    case 'timestamp': {
      if (DAY.test(trimmed)) return { value: `${trimmed}${MIDNIGHT}` }
      const [, day, time, part = ''] = MOMENT.exec(trimmed) ?? []
      return day === undefined ? 'lost' : { value: `${day}T${time}.${part.padEnd(6, '0')}Z` }
    }
    default:
      return 'lost'
  }
}

const TEXTS: ReadonlySet<TypeName> = new Set(['string', 'text', 'enum', 'sequence'])

/** What a value that is there becomes; words of an enum are not looked at. */
export function convert(value: Json, from: TypeName, to: TypeName): Converted {
  if (value === null || from === to) return { value }
  if (from === 'list' || to === 'list') return 'lost'
  if (TEXTS.has(to)) {
    if (TEXTS.has(from)) return { value }
    return from === 'timestamp' ? 'unknown' : { value: String(value) }
  }
  if (TEXTS.has(from)) return fromText(String(value), to)
  if (to === 'boolean')
    return from === 'integer' || from === 'decimal'
      ? Number(value) === 1 || Number(value) === 0
        ? { value: Number(value) === 1 }
        : 'lost'
      : 'lost'
  if (to === 'integer' || to === 'decimal') {
    if (from === 'boolean') return number(value === true ? '1' : '0', to)
    return from === 'integer' || from === 'decimal' ? number(String(value), to) : 'lost'
  }
  if (from === 'date' && to === 'timestamp') return { value: `${String(value)}${MIDNIGHT}` }
  if (from === 'timestamp' && to === 'date') {
    const [day = '', time = ''] = String(value).split('T')
    return `T${time}` === MIDNIGHT ? { value: day } : 'lost'
  }
  return 'lost'
}

/** Whether a request could send the value, so far as the values above may be another type's. */
export function isAllowed(value: Json, { type, least }: Field): boolean {
  if (value === null) return true
  if (type === 'string') return !String(value).includes('\n')
  if (type === 'sequence') return /^[1-9]\d{0,17}$/.test(String(value))
  return least === undefined || Number(value) >= least
}
