/** Which entries of `follows` a write concerns, in steps, and the columns that get values by them. */
import type { Catalog, Follow, Resource } from '../catalog/catalog.ts'
import { concerns, type WrittenBy } from '../catalog/following.ts'
import { withComputed } from '../catalog/stored.ts'

/** The entries that a write of these columns concerns. One that reads what an earlier one sets comes in a later step. */
export function followSteps(
  catalog: Catalog,
  resource: Resource,
  by: WrittenBy,
  columns: ReadonlySet<string>,
): readonly (readonly Follow[])[] {
  const steps: Follow[][] = []
  const written = new Set(withComputed(catalog, resource, columns))
  let setHere = new Set<string>()
  for (const follow of resource.follows) {
    if (!concerns(follow, by, written)) continue
    if (steps.length === 0 || [...follow.reads].some((column) => setHere.has(column))) {
      steps.push([])
      setHere = new Set()
    }
    steps.at(-1)!.push(follow)
    for (const column of withComputed(catalog, resource, columnsSet([follow]))) {
      setHere.add(column)
      written.add(column)
    }
  }
  return steps
}

/** The columns that a step sets. */
export function columnsSet(step: readonly Follow[]): ReadonlySet<string> {
  return new Set(step.flatMap(({ set }) => set.map(({ field }) => field.column)))
}

/** The columns that get values because these are written: those that follow, and those that the database computes. */
export function followingColumns(
  catalog: Catalog,
  resource: Resource,
  steps: readonly (readonly Follow[])[],
  columns: ReadonlySet<string>,
): ReadonlySet<string> {
  const set = steps.flatMap((step) => [...columnsSet(step)])
  const written = new Set([...columns, ...set])
  const computed = [...withComputed(catalog, resource, written)].filter((column) => !written.has(column))
  return new Set([...set, ...computed])
}
