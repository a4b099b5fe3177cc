/** Long computations in short slices, so that requests and timers get their turn in between. */

/** Work longer than this, in milliseconds, lets others go first. */
const SLICE_MS = 8

/** A function to await between steps: it returns at once until a slice is used up. */
export function slices(): () => Promise<void> {
  let begun = performance.now()
  return async () => {
    if (performance.now() - begun < SLICE_MS) return
    await new Promise<void>((resolve) => void setImmediate(resolve))
    begun = performance.now()
  }
}
