/** What an answer contains, as a select list: columns, joins for embedded records, and the serializer of the row. */

import type { Actor } from '../actor.ts'
import type { BelongsTo, EmbedEntry, Field, Relation, Resource } from '../catalog/catalog.ts'
import type { Show } from '../definition/definition.ts'
import type { WireKind } from '../field/field-type.ts'
import { type Fragment, print, quoted, type Sql, sql } from '../filter/sql.ts'
import { compileSerializer, type Serializer, type WireEntry, type WireNode } from '../record/serializer.ts'
import { countSql, manySql } from './collection.ts'
import { fieldSql } from './condition.ts'
import type { KeptEmbed } from './kept-embed.ts'
import { allowsOne, readable, readableEntry } from './policy.ts'
import { joiner, type SelectScope } from './scope.ts'

/** A record in a list, or on its own. */
export type Mode = 'list' | 'single'

/** A relation in an answer: what of the other records, and how many of them where that is bounded. */
export interface ShownRelation {
  readonly relation: Relation
  readonly entries: readonly EmbedEntry[]
  readonly most?: number
}

/** One part of an answer. */
export type Part = Field | ShownRelation

const narrow = new WeakSet<readonly EmbedEntry[]>()

/** Notes that entries are a caller's choice of those of an embed. */
export function narrowed(entries: readonly EmbedEntry[]): readonly EmbedEntry[] {
  narrow.add(entries)
  return entries
}

/** Whether the process may keep such an embed: of what callers choose only single values, of which there are few. */
function isKept(entries: readonly EmbedEntry[]): boolean {
  return entries.length === 1 || !narrow.has(entries)
}

/** All columns of the statement in order, the joins they need, and what turns a row of them into JSON. */
export interface SelectList {
  readonly columns: readonly Fragment[]
  readonly joins: string
  readonly serialize: Serializer
  /** What `serialize` takes fragments from; each must be ready before it runs. */
  readonly kept: readonly KeptEmbed[]
}

/** Whether something declared with `show` appears in an answer of this mode. */
export function shown(show: Show, mode: Mode): boolean {
  return show === 'always' || show === mode
}

/** The fields and relations of an answer that this actor may read, in the order of answers. */
export function visibleParts(resource: Resource, actor: Actor, mode: Mode): readonly (Field | Relation)[] {
  const parts: (Field | Relation)[] = []
  for (const field of resource.fields.values()) {
    const relation = field.relation === undefined ? undefined : resource.relations.get(field.relation)
    if (relation?.embed !== undefined && shown(relation.show, mode) && allowsOne(relation.read, actor))
      parts.push(relation)
    if (readable(field, actor) && shown(field.show, mode)) parts.push(field)
  }
  for (const relation of resource.relations.values()) {
    if (relation.kind === 'belongs_to' || relation.embed === undefined) continue
    if (shown(relation.show, mode) && allowsOne(relation.read, actor)) parts.push(relation)
  }
  return parts
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
  parts: readonly Part[] = visibleParts(resource, scope.actor, mode).map(wholePart),
): SelectList {
  const { columns, place } = columnList(before)
  const joins: string[] = []
  const join = joiner(scope.catalog, joins)
  const kept = new Set<KeptEmbed>()

  const toOne = (relation: BelongsTo, entries: readonly EmbedEntry[], at: string): WireNode => {
    const index = place(sql`${at}.${quoted(relation.field.column)}`)
    const found = isKept(entries) ? scope.kept?.of(relation, entries) : undefined
    if (found === undefined) return embed(entries, join(at, relation), index)
    kept.add(found)
    return { kind: 'lookup', index, fragment: found.fragment }
  }
  // The foreign key is the other record's id: the database guarantees that this record exists.
  const embed = (entries: readonly EmbedEntry[], at: string, present: number): WireNode => {
    const nodes: WireEntry[] = []
    for (const { name, value } of entries.filter((entry) => readableEntry(entry, scope.actor))) {
      if (value.kind === 'embed') nodes.push({ name, node: toOne(value.relation, value.entries, at) })
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
    if (relation.kind === 'belongs_to') return { name: relation.name, node: toOne(relation, entries, alias) }
    return { name: relation.name, node: column(manySql(scope, relation, alias, entries, most), 'json') }
  })
  const serialize = compileSerializer({ kind: 'object', present: undefined, entries })
  return { columns, joins: joins.join(' '), serialize, kept: [...kept] }
}

function wholePart(part: Field | Relation): Part {
  return 'column' in part ? part : { relation: part, entries: part.embed ?? [] }
}

/** A field in an answer: a column, a computation, or a count under the read policy. */
export function valueSql(scope: SelectScope, resource: Resource, field: Field, alias: string): Sql {
  if (field.count === undefined) return fieldSql(field, alias)
  return countSql(scope, resource.relations.get(field.count)!, alias, field)
}
