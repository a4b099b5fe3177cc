/** Long work in pieces, so that a process which serves requests answers them in between. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Work that says by `yield` where it may be left for a while. */
export type Pieces<T> = Generator<void, T, void>

/** How work in pieces is done. */
export type Doing = <T>(pieces: Pieces<T>) => T | Promise<T>

/** A turn is over after so many milliseconds: with a few of them before it, a request still takes little longer than usual. */
const TURN_MS = 4

/** Does all of it now. */
export function atOnce<T>(pieces: Pieces<T>): T {
  for (;;) {
    const { done, value } = pieces.next()
    if (done === true) return value
  }
}

/** Does it by turns, and leaves the processor to others for as long as each turn took. */
export async function inTurns<T>(pieces: Pieces<T>): Promise<T> {
  for (;;) {
    const began = performance.now()
    let step = pieces.next()
    while (step.done !== true && performance.now() - began < TURN_MS) step = pieces.next()
    if (step.done === true) return step.value
    await sleep(performance.now() - began)
  }
}

/** What `work` makes of each item, a piece for each. */
export function* each<T, R>(items: Iterable<T>, work: (item: T) => R): Pieces<R[]> {
  const made: R[] = []
  for (const item of items) {
    made.push(work(item))
    yield
  }
  return made
}
