/** A row as one text: PostgreSQL sends a column of many bytes in a tenth of the time of many columns of few. */
import type { WireKind } from '../field/field-type.ts'
import { join, type Sql, slot, sql } from '../filter/sql.ts'

/** What no text of a person has: it ends a value. */
const BETWEEN = '\u001f'

/** PostgreSQL takes at most a hundred arguments, and a value takes two. */
const VALUES = 48

/**
 * The values of a row, the columns `v0…`, as one text. Slot: `absent`, a text that represents an absent one; an empty
 * text is not absent. The sender of the statement makes it up, so that no stored text is the same.
 */
export function packedColumn(wires: readonly WireKind[]): Sql {
  // Whatever is no text is never empty. As an argument a value keeps the very text that it has as a column.
  const values = wires.map(
    (wire, at) =>
      sql`case when v${at} is null then ${wire === 'string' ? sql`${slot('absent')}::text` : `''`} end, v${at}`,
  )
  const parts: Sql[] = []
  for (let at = 0; at < values.length; at += VALUES)
    parts.push(sql`concat_ws(E'\\x1f', ${join(values.slice(at, at + VALUES))})`)
  return parts.length === 0 ? sql`''` : join(parts, ` || E'\\x1f' || `)
}

/** The values of a packed row; undefined where a stored text has the separator, so that they cannot be told apart. */
export function unpackedRow(
  packed: string | null | undefined,
  wires: readonly WireKind[],
  absent: string,
): (string | null)[] | undefined {
  const values: (string | null)[] = (packed ?? '').split(BETWEEN)
  if (values.length !== wires.length) return undefined
  for (let at = 0; at < values.length; at++) {
    if (values[at] === (wires[at] === 'string' ? absent : '')) values[at] = null
  }
  return values
}
