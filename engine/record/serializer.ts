/** Compiled serializers: one row of pg's text becomes JSON text, without objects in between. */
import type { Row } from '../database/database.ts'
import type { WireKind } from '../field/field-type.ts'
import { wireJson } from '../field/wire.ts'

/** The shape of a serialized record over the columns of a row. */
export type WireNode =
  | { readonly kind: 'column'; readonly index: number; readonly wire: WireKind }
  /** JSON kept in the process for the id in a column; `null` where the column is null. */
  | { readonly kind: 'lookup'; readonly index: number; readonly fragment: (id: string) => string }
  /** Null when the column at `present` is null. */
  | { readonly kind: 'object'; readonly present: number | undefined; readonly entries: readonly WireEntry[] }

export interface WireEntry {
  readonly name: string
  readonly node: WireNode
}

export type Serializer = (row: Row) => string

/**
 * The serializer of a shape.
 *
 *     compileSerializer({ kind: 'object', present: undefined, entries: [{ name: 'id', node: { kind: 'column', index: 0, wire: 'number' } }] })(['7'])
 *     // {"id":7}
 */
export function compileSerializer(node: WireNode): Serializer {
  if (node.kind === 'column') return columnSerializer(node.index, node.wire)
  if (node.kind === 'lookup') return lookupSerializer(node.index, node.fragment)
  const prefixes = node.entries.map(({ name }, i) => `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`)
  const parts = node.entries.map((entry) => compileSerializer(entry.node))
  const count = parts.length
  const present = node.present
  if (count === 0) return (row) => (present !== undefined && row[present] === null ? 'null' : '{}')
  return (row) => {
    if (present !== undefined && row[present] === null) return 'null'
    let out = ''
    for (let i = 0; i < count; i++) out += prefixes[i]! + parts[i]!(row)
    return `${out}}`
  }
}

function columnSerializer(index: number, wire: WireKind): Serializer {
  if (wire === 'number' || wire === 'json') return (row) => row[index] ?? 'null'
  return (row) => wireJson(wire, row[index] ?? null)
}

function lookupSerializer(index: number, fragment: (id: string) => string): Serializer {
  return (row) => {
    const id = row[index] ?? null
    return id === null ? 'null' : fragment(id)
  }
}
