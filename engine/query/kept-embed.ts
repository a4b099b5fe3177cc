/** Embeds that the process keeps as JSON fragments: what a statement leaves out, and its serializer takes from here. */
import type { BelongsTo, EmbedEntry, Resource } from '../catalog/catalog.ts'
import { idSql } from '../catalog/stored.ts'
import { join, quoted, sql } from '../filter/sql.ts'
import { LIMITS } from '../limits.ts'
import { compileSerializer, type WireEntry } from '../record/serializer.ts'
import { type CompiledRecord, compiled } from './compiled.ts'

/** One kept embed of one resource. */
export interface KeptEmbed {
  /** The fragment of an id; throws KeptEmbedMiss when none is kept. */
  readonly fragment: (id: string) => string
  /** Resolves when fragments are there; undefined when they are there already. */
  ready(): Promise<void> | undefined
}

/** Every kept embed of one catalog. */
export interface KeptEmbeds {
  /** The kept embed of a relation, or undefined where it must be joined. */
  of(relation: BelongsTo, entries: readonly EmbedEntry[]): KeptEmbed | undefined
}

/** Compiles reading what is kept of a table: the id, then the columns of the fragment. One row more than is kept tells that the table is too large. */
export function compileKept(target: Resource, entries: readonly EmbedEntry[]): CompiledRecord {
  const fields = entries.flatMap(({ name, value }) =>
    value.kind === 'field' ? [{ name, field: value.path.field }] : [],
  )
  const columns = [idSql(target, 't'), ...fields.map(({ field }) => `t.${quoted(field.column)}`)]
  const nodes = fields.map(
    ({ name, field }, i): WireEntry => ({ name, node: { kind: 'column', index: i + 1, wire: field.type.wire } }),
  )
  return {
    ...compiled(sql`select ${join(columns)} from ${quoted(target.table)} t limit ${LIMITS.lookupRows + 1}`),
    serialize: compileSerializer({ kind: 'object', present: undefined, entries: nodes }),
  }
}
