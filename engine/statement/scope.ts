/** What statements are compiled from, and the questions that every statement asks: may this be read, does it exist, where is it joined. */

import type { Actor } from '../actor.ts'
import type { BelongsTo, Catalog, EmbedEntry, Resource } from '../catalog/catalog.ts'
import { idSql } from '../catalog/stored.ts'
import { targetOf } from '../catalog/target.ts'
import { quoted, type Sql, sql } from '../filter/sql.ts'
import type { Reach } from '../plan/read-plan.ts'
import { conditionSql, holdsSql } from './condition.ts'

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

/** What statements are compiled from: the catalog, and who asks. */
export interface SelectScope {
  readonly catalog: Catalog
  readonly actor: Actor
  /** Embeds kept in the process; undefined inside a transaction, whose own writes they do not show. */
  readonly kept?: KeptEmbeds | undefined
  /** Whether the statement itself makes the records that it answers: none that is stored leads to them yet. */
  readonly isNew?: boolean
}

/** The conditions under which a record of a resource exists for callers: it is in scope, and live unless told otherwise. */
export function existenceSql({ catalog }: SelectScope, resource: Resource, alias: string, includeDead = false): Sql[] {
  const filters = includeDead ? [resource.scope] : [resource.scope, resource.live]
  return filters.flatMap((filter) => (filter === undefined ? [] : [conditionSql(catalog, filter, alias)]))
}

/** Whether the record of `alias` is within reach: true or false, never null. */
export function reachSql({ catalog }: SelectScope, reached: Reach, alias: string): Sql {
  if (reached.kind === 'all') return sql`true`
  if (reached.kind === 'none') return sql`false`
  return holdsSql(catalog, reached.filter, alias)
}

/** Joins the records on the way from the row `t`; gives the alias of the last, and what is asked of each of them. */
export function joinWay(
  { catalog }: Pick<SelectScope, 'catalog'>,
  relations: readonly BelongsTo[],
  joinOnce: ReturnType<typeof joiner>,
  asks: (resource: Resource, alias: string) => readonly Sql[],
): { readonly alias: string; readonly within: readonly Sql[] } {
  const within: Sql[] = []
  let alias = 't'
  for (const relation of relations) {
    alias = joinOnce(alias, relation)
    within.push(...asks(targetOf(catalog, relation), alias))
  }
  return { alias, within }
}

/** Adds a left join for each to-one relation once and gives its alias. */
export function joiner(catalog: Catalog, joins: string[]): (from: string, relation: BelongsTo) => string {
  const known = new Map<string, string>()
  return (from, relation) => {
    const path = `${from}.${relation.field.column}`
    const found = known.get(path)
    if (found !== undefined) return found
    const alias = `${from}_${known.size + 1}`
    const target = targetOf(catalog, relation)
    const on = `${idSql(target, alias)} = ${from}.${quoted(relation.field.column)}`
    joins.push(`left join ${quoted(target.table)} ${alias} on ${on}`)
    known.set(path, alias)
    return alias
  }
}
