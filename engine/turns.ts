/** Long work in turns, so that a process answers requests in between. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

/** Work that can pause at each `yield`. */
export type Pieces<T> = Generator<void, T, void>

/** A way to do work in pieces. */
export type Doing = <T>(pieces: Pieces<T>) => T | Promise<T>

/** Called between two steps of long work: undefined while its turn lasts, then a promise to await. */
export type GiveWay = () => Promise<void> | undefined

/** The milliseconds of a turn: even after a few turns, a request takes little longer than usual. */
const TURN_MS = 4

/**
 * Ends turns by time, because a hundred rows take no time or a second. Other work goes first then, unless `rest` says
 * otherwise.
 */
export function turns(rest: (took: number) => Promise<unknown> = () => setImmediate()): GiveWay {
  let began = performance.now()
  return () => {
    const took = performance.now() - began
    if (took < TURN_MS) return undefined
    return rest(took).then(() => {
      began = performance.now()
    })
  }
}

/** Does all of it now. */
export function atOnce<T>(pieces: Pieces<T>): T {
  for (;;) {
    const { done, value } = pieces.next()
    if (done === true) return value
  }
}

/** Does it in turns, and leaves the processor to others for as long as each turn took. */
export async function inTurns<T>(pieces: Pieces<T>): Promise<T> {
  const giveWay = turns((took) => sleep(took))
  for (;;) {
    const step = pieces.next()
    if (step.done === true) return step.value
    const rest = giveWay()
    if (rest !== undefined) await rest
  }
}

/** Maps each item by `work`, a piece for each. */
export function* each<T, R>(items: Iterable<T>, work: (item: T) => R): Pieces<R[]> {
  const made: R[] = []
  for (const item of items) {
    made.push(work(item))
    yield
  }
  return made
}
