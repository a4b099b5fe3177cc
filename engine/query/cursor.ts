/** Keyset cursors: where a page ended, as an opaque text, and the condition that goes on from there. */
import type { Field, SortTerm } from '../catalog/catalog.ts'
import { dayOf } from '../field/calendar.ts'
import { LIMITS } from '../limits.ts'

/** The values of a page's last row under its sort, ending with the id; `nulls` marks the absent ones for the statement's shape. */
export interface Cursor {
  readonly values: readonly (string | null)[]
  readonly nulls: string
}

/** What a sort is, as text: cursors go with one sort only. */
export function sortSignature(sort: readonly SortTerm[]): string {
  return sort
    .map(
      ({ path, direction }) =>
        `${direction === 'desc' ? '-' : ''}${[...path.relations.map((relation) => relation.name), path.field.name].join('.')}`,
    )
    .join(',')
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

/** Only texts that PostgreSQL itself writes for such a column go back into a statement. */
function wellFormed(field: Field, value: string): boolean {
  const column = field.type.column(field.options)
  if (column.startsWith('numeric')) return /^-?\d{1,200}(\.\d{1,200})?$/.test(value)
  switch (field.type.wire) {
    case 'number':
      return (
        /^-?\d{1,19}$/.test(value) &&
        Math.abs(Number(value)) <= (column === 'bigint' ? Number.MAX_SAFE_INTEGER : LIMITS.idMax)
      )
    case 'boolean':
      return value === 't' || value === 'f'
    case 'date':
      return dayOf(value) !== undefined
    case 'timestamp': {
      const parts = /^(\S{10}) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?\+00$/.exec(value)
      return parts !== null && dayOf(parts[1]!) !== undefined
    }
    default:
      return true
  }
}

/**
 * The SQL that is true of the rows after the cursor, for sort expressions in order, the id last.
 * PostgreSQL's order is kept: NULL last when ascending, first when descending.
 */
export function afterSql(
  keys: readonly {
    readonly sql: string
    readonly cast: string
    readonly nullable: boolean
    readonly direction: 'asc' | 'desc'
  }[],
  nulls: string,
  slot: (index: number) => string,
): string {
  const uniform = !nulls.includes('n') && keys.every(({ direction }) => direction === keys[0]!.direction)
  const value = (i: number): string => `${slot(i)}::${keys[i]!.cast}`
  const strictly = (i: number): string => {
    const { sql, direction, nullable } = keys[i]!
    if (nulls[i] === 'n') return direction === 'asc' ? 'false' : `${sql} is not null`
    if (direction === 'desc') return `${sql} < ${value(i)}`
    return nullable ? `(${sql} > ${value(i)} or ${sql} is null)` : `${sql} > ${value(i)}`
  }
  const tied = (i: number): string => (nulls[i] === 'n' ? `${keys[i]!.sql} is null` : `${keys[i]!.sql} = ${value(i)}`)
  // A row comparison is what an index can start from; NULLs in ascending keys would escape it.
  if (uniform && keys.every(({ direction, nullable }) => direction === 'desc' || !nullable)) {
    return `(${keys.map(({ sql }) => sql).join(', ')}) ${keys[0]!.direction === 'asc' ? '>' : '<'} (${keys.map((_, i) => value(i)).join(', ')})`
  }
  const alternatives = keys.map((_, i) =>
    [...keys.slice(0, i).map((_key, before) => tied(before)), strictly(i)].join(' and '),
  )
  return `(${alternatives.map((part) => `(${part})`).join(' or ')})`
}
