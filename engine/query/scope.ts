/** What statements are built from, and the two questions every builder asks: may this be read, where is that joined. */

import type { Actor } from '../actor.ts'
import type { BelongsTo, Catalog, Field, FieldPath } from '../catalog/catalog.ts'
import type { Binder } from './binder.ts'
import { quoted } from './condition.ts'
import type { KeptEmbeds } from './kept-embed.ts'
import { allowsOne } from './policy.ts'

/** What select lists are made from: the catalog, who asks, and the statement's parameters. */
export interface SelectScope {
  readonly catalog: Catalog
  readonly actor: Actor
  readonly binder: Binder
  /** Embeds kept in the process; undefined inside a transaction, whose own writes they do not show. */
  readonly kept?: KeptEmbeds | undefined
}

/** Whether the actor may read a field at all: neither a secret nor kept from the actor's role. */
export function readable(field: Field, actor: Actor): boolean {
  return field.type.hidden !== true && allowsOne(field.read, actor)
}

/** Whether the actor may filter by a path: only by what it may read. */
export function filterable(path: FieldPath, actor: Actor): boolean {
  return readable(path.field, actor) && path.relations.every((relation) => readable(relation.field, actor))
}

/** Adds a left join for each to-one relation once and gives its alias. */
export function joiner(catalog: Catalog, joins: string[]): (from: string, relation: BelongsTo) => string {
  const known = new Map<string, string>()
  return (from, relation) => {
    const path = `${from}.${relation.field.column}`
    const found = known.get(path)
    if (found !== undefined) return found
    const alias = `${from}_${known.size + 1}`
    const table = catalog.resources.get(relation.target)!.table
    joins.push(`left join ${quoted(table)} ${alias} on ${alias}."id" = ${from}.${quoted(relation.field.column)}`)
    known.set(path, alias)
    return alias
  }
}
