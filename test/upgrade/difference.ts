/** How an answer differs from that of an earlier version. */

export interface Difference {
  /** The request, and where in its answer. */
  readonly at: string
  readonly before: unknown
  readonly after: unknown
}

/** What `before` says and `after` says otherwise; what is new in `after` is no difference. */
export function* differences(before: unknown, after: unknown, at: string): Generator<Difference> {
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length) yield { at: `${at}.length`, before: before.length, after: after.length }
    for (const [nth, one] of before.entries())
      if (nth < after.length) yield* differences(one, after[nth], `${at}.${nth}`)
  } else if (isObject(before) && isObject(after)) {
    for (const [key, value] of Object.entries(before)) yield* differences(value, after[key], `${at}.${key}`)
  } else if (!Object.is(before, after)) yield { at, before, after }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** One of each kind of difference, with how many there are: ids and places in lists tell none apart. */
export function alike(found: readonly Difference[]): readonly string[] {
  const kinds = new Map<string, Difference[]>()
  for (const one of found) {
    const kind = one.at.replaceAll(/\d+/g, 'N')
    kinds.set(kind, [...(kinds.get(kind) ?? []), one])
  }
  return [...kinds.values()].map((of) => `${of.length}× ${JSON.stringify(of[0]).slice(0, 300)}`)
}
