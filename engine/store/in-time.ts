/** ⇄ How long an answer of Redis is waited for. */

/** A command that takes longer is given up, so that an outage delays a caller by less than 100 ms. */
export const COMMAND_MS = 80

/**
 * What Redis answers; rejects when nothing came within COMMAND_MS. A process that was busy for so long finds the answer on
 * its socket, so it reads that before it gives up.
 */
export async function inTime<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Error('Redis does not answer'))
    timer = setTimeout(() => setImmediate(giveUp), COMMAND_MS)
  })
  try {
    return await Promise.race([asked, late])
  } finally {
    clearTimeout(timer)
  }
}
