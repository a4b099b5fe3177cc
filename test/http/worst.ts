/** The inputs that slow parsers down: what they look for, repeated up to the limit, and never what they wait for. */

/** What parsers of headers, queries, texts and dates look for. */
const PIECES = [...' \ta0.-,;=/"[', '%41', 'W/"', '"a" ', 'a-', '_from', '2026-', '%C3%BC'] as const

/** A beginning that a parser takes, and an ending that makes it look again. */
export interface Frame {
  readonly before?: string
  readonly after?: string
}

/** Every piece, repeated to `length` characters within a frame. */
export function worst(length: number, { before = '', after = '!' }: Frame = {}): readonly string[] {
  const room = length - before.length - after.length
  return PIECES.map((piece) => `${before}${piece.repeat(Math.floor(room / piece.length))}${after}`)
}

/**
 * How many times the `ms` of an input are those of its quarter: four where each byte costs the same, sixteen where
 * each is compared with all others. The ending stays, because it decides what a parser does with the rest.
 */
export async function growth(input: string, ms: number, cost: (text: string) => Promise<number>): Promise<number> {
  const quarter = await cost(`${input.slice(0, input.length / 4)}${input.slice(-8)}`)
  return ms / Math.max(quarter, 1)
}

/** The processor time of `work` in milliseconds: the least of several tries, because a machine may be busy. */
export async function processorTime(work: () => Promise<unknown>, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 8 && least > enough; tries += 1) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}
