/** A row as one text: PostgreSQL sends a column of many bytes in a tenth of the time of many columns of few. */
import type { WireKind } from '../field/field-type.ts'
import { type Fragment, join, type Sql, sql } from '../filter/sql.ts'

/** What no text of a person has: it ends a value. */
const BETWEEN = '\u001f'
/** A text that is absent, which an empty one is not. */
const ABSENT = '\u001e'

/** PostgreSQL takes at most a hundred arguments. */
const ARGUMENTS = 96

/** A value of a row, with its form on the wire. */
export interface Packable {
  readonly value: Fragment
  readonly wire: WireKind
}

/** The columns of a packed row: how many of its texts are absent, and all values as one text. */
export function packedColumns(values: readonly Packable[]): readonly Sql[] {
  const texts = values.filter(({ wire }) => wire === 'string')
  const pieces = values.flatMap(({ value, wire }, at) => [
    ...(at === 0 ? [] : [`E'\\x1f'`]),
    // Whatever is no text is never empty. As an argument a value keeps the very text that it has as a column.
    ...(wire === 'string' ? [sql`case when ${value} is null then E'\\x1e' end`] : []),
    value,
  ])
  const parts: Sql[] = []
  for (let at = 0; at < pieces.length; at += ARGUMENTS)
    parts.push(sql`concat(${join(pieces.slice(at, at + ARGUMENTS))})`)
  const absent = sumOf(texts.map(({ value }) => value))
  return [absent, parts.length === 0 ? sql`''` : join(parts, ' || ')]
}

function sumOf(values: readonly Fragment[]): Sql {
  const parts: Sql[] = []
  for (let at = 0; at < values.length; at += ARGUMENTS)
    parts.push(sql`num_nulls(${join(values.slice(at, at + ARGUMENTS))})`)
  return parts.length === 0 ? sql`0` : join(parts, ' + ')
}

/** How many columns `packedColumns` gives. */
export const PACKED_COLUMNS = 2

/** The values of a packed row; undefined where a stored text has what stands between values, so that it can't be told. */
export function unpackedRow(
  [absent, packed]: readonly (string | null)[],
  wires: readonly WireKind[],
): (string | null)[] | undefined {
  const values: (string | null)[] = (packed ?? '').split(BETWEEN)
  if (values.length !== wires.length) return undefined
  let missing = Number(absent)
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    if (wires[at] !== 'string') {
      if (value === '') values[at] = null
    } else if (value === ABSENT) {
      values[at] = null
      missing -= 1
    }
  }
  return missing === 0 ? values : undefined
}
