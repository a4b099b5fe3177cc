/** Listeners that are told of a change. */

export interface Listeners {
  /** Adds one; what it gives takes it away again. */
  readonly add: (listener: () => void) => () => void
  readonly tell: () => void
}

export function newListeners(): Listeners {
  const all = new Set<() => void>()
  return {
    add: (listener) => {
      all.add(listener)
      return () => all.delete(listener)
    },
    tell: () => all.forEach((listener) => void listener()),
  }
}
