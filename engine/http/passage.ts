/** Lets requests through, or has them wait while something is done that none may see half of. */
import type { ServerResponse } from 'node:http'

export interface Passage {
  /** Serves at once, or as soon as whoever is alone has finished. */
  through(response: ServerResponse, serve: () => void): void
  /** Runs `work` when the requests under way have ended, or after `mostMs`; those that come meanwhile wait. */
  alone<T>(mostMs: number, work: () => Promise<T>): Promise<T>
}

/** A passage that is open. */
export function createPassage(): Passage {
  let inside = 0
  let waiting: (() => void)[] | undefined
  let emptied = () => {}

  function enter(response: ServerResponse, serve: () => void): void {
    inside += 1
    response.once('close', () => {
      inside -= 1
      if (inside === 0) emptied()
    })
    serve()
  }
  const empty = (mostMs: number) =>
    new Promise<void>((resolve) => {
      if (inside === 0) return resolve()
      const patience = setTimeout(resolve, mostMs)
      emptied = () => {
        clearTimeout(patience)
        resolve()
      }
    })
  return {
    through(response, serve) {
      if (waiting === undefined) enter(response, serve)
      else waiting.push(() => enter(response, serve))
    },
    async alone(mostMs, work) {
      waiting ??= []
      try {
        await empty(mostMs)
        return await work()
      } finally {
        const released = waiting
        waiting = undefined
        for (const release of released) release()
      }
    },
  }
}
