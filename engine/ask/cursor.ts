/** Keyset cursors: the place where a page ended, as an opaque text. */
import type { Field, SortTerm } from '../catalog/catalog.ts'
import { isBigint } from '../field/bigint.ts'
import { isStoredDay } from '../field/calendar.ts'
import { isStoredNumber } from '../field/column-type.ts'
import { isUuid } from '../field/uuid.ts'
import { LIMITS } from '../limits.ts'
import { sortSignature } from '../plan/plan.ts'

/** The values of a page's last row under its sort, ending with the id; `nulls` marks the absent ones for the statement's shape. */
export interface Cursor {
  readonly values: readonly (string | null)[]
  readonly nulls: string
}

/** The opaque text of a place in a list. */
export function encodeCursor(values: readonly (string | null)[], sort: readonly SortTerm[]): string {
  return Buffer.from(JSON.stringify([sortSignature(sort), ...values])).toString('base64url')
}

/** The place that a caller's cursor names, or undefined when it is not one of this sort. */
export function decodeCursor(text: string, sort: readonly SortTerm[]): Cursor | undefined {
  if (text.length > LIMITS.queryBytes || !/^[\w-]+$/.test(text)) return undefined
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
  if (!Array.isArray(parsed) || parsed[0] !== sortSignature(sort)) return undefined
  const values: unknown[] = parsed.slice(1)
  if (values.length !== sort.length) return undefined
  const good = values.every((value, i) => {
    if (value === null) return i < sort.length - 1
    if (typeof value !== 'string' || value.includes('\0') || !value.isWellFormed()) return false
    return wellFormed(sort[i]!.path.field, value)
  })
  if (!good) return undefined
  const list = values as (string | null)[]
  return { values: list, nulls: list.map((value) => (value === null ? 'n' : '-')).join('') }
}

/** A day or a moment that is before or after all others. */
const ENDLESS = /^-?infinity$/

/** Only texts that PostgreSQL itself writes for such a column go back into a statement. */
function wellFormed(field: Field, value: string): boolean {
  const column = field.type.column(field.options)
  if (column === 'real' || column === 'double precision' || column.startsWith('numeric'))
    return isStoredNumber(value, column)
  // Of a type of the database's own only its words are values.
  if (field.type.name === 'enum' && !column.startsWith('character'))
    return Array.isArray(field.options.own.values) && field.options.own.values.includes(value)
  if (column === 'uuid') return isUuid(value)
  if (column === 'bigint' && field.type.wire === 'string') return isBigint(value)
  switch (field.type.wire) {
    case 'number':
      return (
        /^-?\d{1,19}$/.test(value) &&
        Math.abs(Number(value)) <= (column === 'bigint' ? Number.MAX_SAFE_INTEGER : LIMITS.idMax)
      )
    case 'boolean':
      return value === 't' || value === 'f'
    case 'date':
      return ENDLESS.test(value) || isStoredDay(value)
    case 'timestamp': {
      const parts = /^(\S{10,12}) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(?:\+00)?( BC)?$/.exec(value)
      return ENDLESS.test(value) || (parts !== null && isStoredDay(`${parts[1]}${parts[4] ?? ''}`))
    }
    default:
      return true
  }
}
