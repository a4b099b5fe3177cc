/** What an answer contains, as a select list: columns, joins for embedded records, and the serializer of the row. */

import type { BelongsTo, EmbedEntry, Field, Resource } from '../catalog/catalog.ts'
import type { WireKind } from '../field/field-type.ts'
import { type Fragment, print, quoted, type Sql, sql } from '../filter/sql.ts'
import type { Mode, Part, ShownRelation } from '../plan/read-plan.ts'
import { compileSerializer, type Serializer, type WireEntry, type WireNode } from '../record/serializer.ts'
import { countSql, manySql } from './collection.ts'
import { fieldSql } from './condition.ts'
import type { KeptEmbed } from './kept-embed.ts'
import { readableEntry, usualAnswer } from './policy.ts'
import { joiner, type SelectScope } from './scope.ts'

/** The record that a to-one relation leads to, and what is shown of it. */
interface Embedded extends ShownRelation {
  readonly relation: BelongsTo
}

/** All columns of the statement in order, the joins they need, and what turns a row of them into JSON. */
export interface SelectList {
  readonly columns: readonly Fragment[]
  readonly joins: string
  readonly serialize: Serializer
  /** What `serialize` takes fragments from; each must be ready before it runs. */
  readonly kept: readonly KeptEmbed[]
}

/** The columns of a statement, each once; `place` gives a column's index and adds it where it is new. */
function columnList(before: readonly Fragment[]): {
  readonly columns: readonly Fragment[]
  readonly place: (column: Sql) => number
} {
  const columns: Fragment[] = [...before]
  const keyOf = (column: Fragment): string => {
    const { text, parameters } = print(sql`${column}`)
    return parameters.length === 0 ? text : `${text} ${JSON.stringify(parameters)}`
  }
  const places = new Map(before.map((column, index) => [keyOf(column), index]))
  const place = (column: Sql): number => {
    const key = keyOf(column)
    const known = places.get(key)
    if (known !== undefined) return known
    places.set(key, columns.length)
    return columns.push(column) - 1
  }
  return { columns, place }
}

/**
 * Builds the select list of a resource's answer over the row of `alias`, behind the columns that the statement
 * has already; what is there once is not fetched again. `parts` are those of the answer, if not the usual ones.
 */
export function selectList(
  scope: SelectScope,
  resource: Resource,
  alias: string,
  mode: Mode,
  before: readonly Fragment[],
  parts: readonly Part[] = usualAnswer(scope.actor, resource, mode).parts,
): SelectList {
  const { columns, place } = columnList(before)
  const joins: string[] = []
  const join = joiner(scope.catalog, joins)
  const kept = new Set<KeptEmbed>()

  const toOne = ({ chosen, entries, relation }: Embedded, at: string): WireNode => {
    const index = place(sql`${at}.${quoted(relation.field.column)}`)
    // Of what callers choose the process keeps single values only, of which there are few.
    const found = chosen !== true || entries.length === 1 ? scope.kept?.of(relation, entries) : undefined
    if (found === undefined) return embed(entries, join(at, relation), index)
    kept.add(found)
    return { kind: 'lookup', index, fragment: found.fragment }
  }
  // The foreign key is the other record's id: the database guarantees that this record exists.
  const embed = (entries: readonly EmbedEntry[], at: string, present: number): WireNode => {
    const nodes: WireEntry[] = []
    for (const { name, value } of entries.filter((entry) => readableEntry(entry, scope.actor))) {
      if (value.kind === 'embed') nodes.push({ name, node: toOne(value, at) })
      else {
        const { relations, field } = value.path
        const holder = relations.reduce(join, at)
        const isId = relations.length === 0 && field.name === 'id'
        const index = isId ? present : place(fieldSql(field, holder))
        nodes.push({ name, node: { kind: 'column', index, wire: field.type.wire } })
      }
    }
    return { kind: 'object', present, entries: nodes }
  }

  const entries = parts.map((part): WireEntry => {
    const column = (value: Sql, wire: WireKind): WireNode => ({ kind: 'column', index: place(value), wire })
    if ('column' in part)
      return { name: part.name, node: column(valueSql(scope, resource, part, alias), part.type.wire) }
    const { entries, most, relation } = part
    if (relation.kind === 'belongs_to') return { name: relation.name, node: toOne({ ...part, relation }, alias) }
    return { name: relation.name, node: column(manySql(scope, relation, alias, entries, most), 'json') }
  })
  const serialize = compileSerializer({ kind: 'object', present: undefined, entries })
  return { columns, joins: joins.join(' '), serialize, kept: [...kept] }
}

/** A field in an answer: a column, a computation, or a count under the read policy. */
export function valueSql(scope: SelectScope, resource: Resource, field: Field, alias: string): Sql {
  if (field.count === undefined) return fieldSql(field, alias)
  return countSql(scope, resource.relations.get(field.count)!, alias, field)
}
