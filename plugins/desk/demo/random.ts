/** Random numbers that are the same on every machine. */

export interface Random {
  /** A whole number from 0 up to, but without, `below`. */
  below(below: number): number
  pick<T>(from: readonly T[]): T
  /** True in `percent` of a hundred cases. */
  chance(percent: number): boolean
}

/** A generator by its seed (xorshift, 32 bits). */
export function randomOf(seed: number): Random {
  let state = seed | 0 || 1
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
  const below = (limit: number): number => next() % limit
  return { below, pick: (from) => from[below(from.length)]!, chance: (percent) => below(100) < percent }
}
