/** Lines that say the same of many things, as one. */

/** So many things of one kind are apart from each other. */
const APART = 3

/** Things in their order; more than `apart` of one kind, or more than three, are together, at the place of the first. What has no kind is apart. */
export function together<T>(
  things: readonly T[],
  kindOf: (thing: T) => string | undefined,
  apart: (kind: string) => number | undefined = () => undefined,
): readonly (readonly [first: T, ...more: T[]])[] {
  const kinds = things.map(kindOf)
  const members = new Map<string | undefined, T[]>()
  for (const [at, thing] of things.entries()) {
    const all = members.get(kinds[at])
    if (all === undefined) members.set(kinds[at], [thing])
    else all.push(thing)
  }
  return things.flatMap((thing, at): readonly (readonly [T, ...T[]])[] => {
    const kind = kinds[at]
    const all = members.get(kind)!
    if (kind === undefined || all.length <= (apart(kind) ?? APART)) return [[thing]]
    return all[0] === thing ? [all as [T, ...T[]]] : []
  })
}
