/** Tables as they were before a batch of changes, inside SQL: the present row, laid over with what the log of changes kept of it. */
import type { Field, FieldPath, Filter, Resource, WayPath } from '../catalog/catalog.ts'
import { idSql, idsType } from '../catalog/stored.ts'
import { quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { fold } from '../filter/walk.ts'

type Keyed = Pick<Resource, 'key' | 'table'>

/** A table whose records a batch changed. Slots: its ids, and each former record as JSON by column; null: none. */
export interface FormerTable {
  readonly table: string
  readonly resource: Keyed
  /** What its former records are called in the statement. */
  readonly name: string
  readonly idsSlot: string
  readonly wasSlot: string
}

/** The former records of a resource's table; `at` tells it apart from others in the statement. */
export function formerTable(resource: Keyed, at: number): FormerTable {
  const { table } = resource
  return { table, resource, name: `plinth_was${at}`, idsSlot: `changed ids ${at}`, wasSlot: `changed was ${at}` }
}

/** The records that changed, as they were: a part of a `with`. */
export function formerRows({ table, resource, name, idsSlot, wasSlot }: FormerTable): Sql {
  const given = sql`unnest(${slot(idsSlot)}::${idsType(resource)}, ${slot(wasSlot)}::text[]) as c(id, was)`
  return sql`${name} as materialized (select o.* from ${given} join ${quoted(table)} t on ${idSql(resource, 't')} = c.id cross join lateral jsonb_populate_record(t.*, c.was::jsonb) o where c.was is not null)`
}

/** The whole table as it was, for `from`. */
export function asItWas({ table, resource, name, idsSlot }: FormerTable): Sql {
  return sql`(select s.* from ${quoted(table)} s where ${idSql(resource, 's')} <> all(${slot(idsSlot)}::${idsType(resource)}) union all select w.* from ${name} w)`
}

const ALWAYS: Filter = { kind: 'and', of: [] }
const NEVER: Filter = { kind: 'or', of: [] }

/**
 * A filter over values that are not all known. With `most` it holds for every record that may have matched, without
 * it only for those that surely did.
 */
export function bounded(filter: Filter, isKnown: (field: Field) => boolean, most: boolean): Filter {
  const all =
    (kind: 'and' | 'or') =>
    (parts: readonly Bounded[]): Bounded =>
    (wide) => ({ kind, of: parts.map((part) => part(wide)) })
  return fold<FieldPath, WayPath, Bounded>(filter, {
    compare: (part) => (wide) => {
      const { relations, field } = part.path
      return relations.length > 0 || isKnown(field) ? part : wide ? ALWAYS : NEVER
    },
    related: (part) => () => part,
    not: (of) => (wide) => ({ kind: 'not', of: of(!wide) }),
    and: all('and'),
    or: all('or'),
  })(most)
}

/** A part that holds for every record that may have matched, or only for those that surely did. */
type Bounded = (wide: boolean) => Filter
