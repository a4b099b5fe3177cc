/** Values as text for people. */
import { clockAt, type Json } from '../../../engine/index.ts'
import type { ValueType } from './content.ts'

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

/** A value as text: `1,204`, `87.5 %`, `2 h 05 min`, `2026-01-31 14:05` in a time zone; a dash without a value. */
export function textOf(value: Json, type: ValueType, zone: string): string {
  if (value === null) return '–'
  if (type === 'integer') return Number(value).toLocaleString('en-US')
  if (type === 'percent') return `${Number(Number(value).toFixed(2))} %`
  if (type === 'duration') return durationText(Number(value))
  if (type === 'timestamp')
    return clockAt(Date.parse(String(value)), zone)
      .slice(0, 16)
      .replace('T', ' ')
  return String(value)
}

/** Seconds in the two largest units that they fill. */
export function durationText(seconds: number): string {
  const two = (part: number): string => String(Math.floor(part)).padStart(2, '0')
  if (seconds < MINUTE) return `${Math.round(seconds)} s`
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ${two(seconds % MINUTE)} s`
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h ${two((seconds % HOUR) / MINUTE)} min`
  return `${Math.floor(seconds / DAY)} d ${two((seconds % DAY) / HOUR)} h`
}
