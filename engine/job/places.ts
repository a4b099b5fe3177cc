/** The places for jobs in a process: no kind gets every place, and neither do all long jobs together. */
import type { Places, Room } from './queue.ts'

/** A kind of job as its plugin declared it. */
export interface Kind {
  readonly name: string
  readonly concurrency: number | undefined
  /** How many more of it a process takes than it runs, while none of these waits. */
  readonly prefetch: number
  readonly long: boolean
  /** How many the outside server that it calls may be sent now; Infinity without one. */
  readonly admits: () => number
}

const NONE: ReadonlyMap<string, readonly unknown[]> = new Map()

/**
 * The places that are free while `running` has the names of running jobs. Short jobs leave one place free and long ones
 * half of them, so that each finds its own when the others wait for servers that are silent. With a single place each
 * may have it. `waiting` has the prefetched jobs by kind.
 */
export function freePlaces(
  kinds: readonly Kind[],
  running: readonly string[],
  slots: number,
  waiting: ReadonlyMap<string, readonly unknown[]> = NONE,
): Places {
  const isLong = new Map(kinds.map(({ name, long }) => [name, long]))
  const runningLong = running.filter((name) => isLong.get(name) === true).length
  const free = Math.max(0, slots - running.length)
  const short = Math.min(free, Math.max(1, slots - 1) - (running.length - runningLong))
  const long = Math.min(free, Math.max(1, Math.floor(slots / 2)) - runningLong)
  const withRoom = kinds.flatMap((kind): Room[] => {
    const [own, admitted] = [kind.concurrency ?? Math.ceil(slots / 4), kind.admits()]
    const room = Math.min(own, Math.max(1, slots - 1), admitted) - running.filter((name) => name === kind.name).length
    const prefetch = waiting.has(kind.name) || admitted < own ? 0 : kind.prefetch
    return room > 0 && (kind.long ? long : short) > 0 ? [{ name: kind.name, room, long: kind.long, prefetch }] : []
  })
  return { kinds: withRoom, free, short: Math.max(0, short), long: Math.max(0, long) }
}
