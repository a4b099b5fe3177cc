/** The pause of an instance that changes its tables for itself alone. */
import type { Pause } from '../migration/apply.ts'

/** How requests of the instance wait, and what serves the next app. */
interface Pausing {
  hold(): Promise<void>
  open(): void
  serve(): Promise<void>
}

export interface OwnPause extends Pause {
  /** Serves the next app, unless it is served already. */
  serve(): Promise<void>
  /** Lets requests through, to whatever is served. */
  close(): void
}

/** Requests wait from `begin` until the next app is served, or the pause is given back or closed. */
export function pauseOf(parts: Pausing): OwnPause {
  let held: Promise<void> | undefined
  let serving: Promise<void> | undefined
  const open = (): void => {
    if (held !== undefined) parts.open()
    held = undefined
  }
  const serveOnce = async (): Promise<void> => {
    serving ??= parts.serve()
    await serving
    open()
  }
  return {
    begin() {
      held ??= parts.hold().catch((error) => {
        held = undefined
        throw error
      })
      return held
    },
    giveBack: async () => open(),
    // Where nobody waits, nothing is gained by serving it before all of it is done.
    end: async () => (held === undefined ? undefined : serveOnce()),
    serve: serveOnce,
    close: open,
  }
}
