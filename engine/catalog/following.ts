/** Which entries of `follows` a write concerns, by the columns that it gives values. */
import type { Follow } from './rule.ts'

/** How a record comes to be written; `import` is a creation that brings values of its own. */
export type WrittenBy = 'create' | 'update' | 'import'

/** Whether an entry can concern a write of these columns. */
export function concerns(
  { changed, on }: Pick<Follow, 'changed' | 'on'>,
  by: WrittenBy,
  columns: ReadonlySet<string>,
): boolean {
  return on.has(by) && (by !== 'update' || (changed?.some(({ column }) => columns.has(column)) ?? true))
}

/** The columns that a write of these columns gives values, those that follow among them. */
export function withFollowing(
  follows: readonly Pick<Follow, 'changed' | 'on' | 'set'>[],
  by: WrittenBy,
  columns: Iterable<string>,
): ReadonlySet<string> {
  const written = new Set(columns)
  for (const follow of follows)
    if (concerns(follow, by, written)) for (const { field } of follow.set) written.add(field.column)
  return written
}
