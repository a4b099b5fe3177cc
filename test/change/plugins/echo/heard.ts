/** What the test and the plugin share: the plugin may be loaded under an address of its own. */

interface Shared {
  /** Titles that `echo.picky` refuses. */
  readonly refused: Set<string>
  /** Titles that it took, in order. */
  readonly given: string[]
  /** How large each batch was that `echo.note` got. */
  readonly batches: number[]
  /** When it got them, in the time of `performance.now()`. */
  readonly moments: number[]
  /** What each batch was that `echo.sleeper` got: how many changes, and the last of their titles. */
  readonly woken: (readonly [count: number, last: string])[]
  /** Whether it has something to do. */
  readonly awake: { now: boolean }
}

const place: { echoes?: Shared } = globalThis as { echoes?: Shared }
place.echoes ??= { refused: new Set(), given: [], batches: [], moments: [], woken: [], awake: { now: false } }

export const { refused, given, batches, moments, woken, awake } = place.echoes
