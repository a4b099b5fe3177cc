/** Which entries of `follows` a write concerns, by the columns that it gives values. */
import type { Catalog, Field, Resource } from './catalog.ts'
import type { Follow, RelatedFollow } from './rule.ts'
import { withComputed } from './stored.ts'

/** How a record comes to be written; `import` is a creation that brings values of its own. */
export type WrittenBy = 'create' | 'update' | 'import'

/** Whether an entry can concern a write of these columns. */
export function concerns<By extends string>(
  { changed, on }: Pick<Follow, 'changed'> & { readonly on: ReadonlySet<By> },
  by: By,
  columns: ReadonlySet<string>,
): boolean {
  return on.has(by) && (by !== 'update' || (changed?.some(({ column }) => columns.has(column)) ?? true))
}

/** The field of the record itself by which it belongs to the other record of an entry. */
export function keyOf({ of }: Pick<RelatedFollow, 'of'>): Field {
  return of.relations[0]?.field ?? of.field
}

/** Whether an update of these columns can concern an entry, also because the record leaves one other record and comes to another. */
export function concernsUpdate(follow: RelatedFollow, columns: ReadonlySet<string>): boolean {
  const { on } = follow
  return (
    concerns(follow, 'update', columns) || ((on.has('create') || on.has('delete')) && columns.has(keyOf(follow).column))
  )
}

/** The columns that a write of these columns gives values: those that follow, and those that the database computes. */
export function withFollowing(
  catalog: Catalog,
  resource: Resource,
  by: WrittenBy,
  columns: Iterable<string>,
): ReadonlySet<string> {
  return columnsFollowing(resource.follows, by, columns, (some) => withComputed(catalog, resource, some))
}

/** The columns that entries give values because these are written; `widened` adds what follows from some by itself. */
export function columnsFollowing(
  follows: readonly Pick<Follow, 'changed' | 'on' | 'set'>[],
  by: WrittenBy,
  columns: Iterable<string>,
  widened: (columns: Iterable<string>) => Iterable<string> = (some) => some,
): ReadonlySet<string> {
  const written = new Set(widened(columns))
  for (const follow of follows) {
    if (!concerns(follow, by, written)) continue
    for (const column of widened(follow.set.map(({ field }) => field.column))) written.add(column)
  }
  return written
}
