/** What an answer contains, as a select list: columns, joins for embedded records, and the serializer of the row. */
import type { Actor } from '../actor.ts'
import type { BelongsTo, EmbedEntry, Field, Relation, Resource } from '../catalog/catalog.ts'
import type { Show } from '../definition/definition.ts'
import type { WireKind } from '../field/field-type.ts'
import { compileSerializer, type Serializer, type WireEntry, type WireNode } from '../record/serializer.ts'
import { countSql, manySql } from './collection.ts'
import { fieldSql, quoted } from './condition.ts'
import type { LookupTable } from './lookups.ts'
import { allowsOne } from './policy.ts'
import { joiner, readable, type SelectScope } from './scope.ts'

/** A record in a list, or on its own. */
export type Mode = 'list' | 'single'

/** Columns in order, the joins they need, and what turns a row of them into JSON. */
export interface SelectList {
  readonly columns: readonly string[]
  readonly joins: readonly string[]
  readonly serialize: Serializer
  /** What `serialize` takes fragments from; each must be ready before it runs. */
  readonly lookups: readonly LookupTable[]
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

/** Builds the select list of a resource's answer over the row of `alias`, counting columns from `offset`. */
export function selectList(
  scope: SelectScope,
  resource: Resource,
  alias: string,
  mode: Mode,
  offset: number,
): SelectList {
  const columns: string[] = []
  const joins: string[] = []
  const add = (sql: string, wire: WireKind): WireNode => ({
    kind: 'column',
    index: offset + columns.push(sql) - 1,
    wire,
  })
  const join = joiner(scope.catalog, joins)
  const lookups = new Set<LookupTable>()

  const toOne = (relation: BelongsTo, entries: readonly EmbedEntry[], at: string): WireNode => {
    const kept = scope.lookups?.of(relation, entries)
    if (kept === undefined) return embed(entries, join(at, relation), scope.catalog.resources.get(relation.target)!.key)
    lookups.add(kept)
    const index = offset + columns.push(`${at}.${quoted(relation.field.column)}`) - 1
    return { kind: 'lookup', index, fragment: kept.fragment }
  }
  const embed = (entries: readonly EmbedEntry[], at: string, key: Field): WireNode => {
    const present = offset + columns.push(`${at}.${quoted(key.column)}`) - 1
    const nodes: WireEntry[] = []
    for (const { name, value } of entries) {
      if (value.kind === 'embed') nodes.push({ name, node: toOne(value.relation, value.entries, at) })
      else if (readable(value.path.field, scope.actor)) {
        const holder = value.path.relations.reduce((from, relation) => join(from, relation), at)
        const { field } = value.path
        const node: WireNode =
          field === key
            ? { kind: 'column', index: present, wire: 'number' }
            : add(fieldSql(field, holder, scope.binder), field.type.wire)
        nodes.push({ name, node })
      }
    }
    return { kind: 'object', present, entries: nodes }
  }

  const entries = visibleParts(resource, scope.actor, mode).map((part): WireEntry => {
    if ('column' in part) return { name: part.name, node: add(valueSql(scope, resource, part, alias), part.type.wire) }
    if (part.kind !== 'belongs_to') return { name: part.name, node: add(manySql(scope, part, alias), 'json') }
    return { name: part.name, node: toOne(part, part.embed ?? [], alias) }
  })
  const serialize = compileSerializer({ kind: 'object', present: undefined, entries })
  return { columns, joins, serialize, lookups: [...lookups] }
}

/** The SQL of a field in an answer: a column, a computation, or a count under the read policy. */
export function valueSql(scope: SelectScope, resource: Resource, field: Field, alias: string): string {
  if (field.count === undefined) return fieldSql(field, alias, scope.binder)
  return countSql(scope, resource.relations.get(field.count)!, alias)
}
