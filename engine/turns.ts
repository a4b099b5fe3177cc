/** Long work in turns, so that a process which serves requests answers them in between. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

/** Work that says by `yield` where it may be left for a while. */
export type Pieces<T> = Generator<void, T, void>

/** How work in pieces is done. */
export type Doing = <T>(pieces: Pieces<T>) => T | Promise<T>

/** Asked between two steps of long work: undefined while its turn lasts, then a promise to await. */
export type GiveWay = () => Promise<void> | undefined

/** A turn is over after so many milliseconds: with a few of them before it, a request still takes little longer than usual. */
const TURN_MS = 4

/** Ends turns by time, because a hundred rows are nothing or a second; all that waits goes first then, unless `rest` says otherwise. */
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

/** Does it by turns, and leaves the processor to others for as long as each turn took. */
export async function inTurns<T>(pieces: Pieces<T>): Promise<T> {
  const giveWay = turns((took) => sleep(took))
  for (;;) {
    const step = pieces.next()
    if (step.done === true) return step.value
    const rest = giveWay()
    if (rest !== undefined) await rest
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
