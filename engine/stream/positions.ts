/** Groups readers by their place in the log, so that those at one place are served together. */

import { keptIdType } from '../catalog/stored.ts'
import type { Stand } from '../change/log-window.ts'
import { LIMITS } from '../limits.ts'
import type { Foundation } from '../run/execution.ts'
import { readPlace } from './event-id.ts'
import type { ResetReason } from './events.ts'
import type { Reader } from './reader.ts'

/** Readers at one place. */
export interface Position {
  /** undefined: they must read their lists, and begin now. */
  readonly from: (Stand & { readonly at: number }) | undefined
  readonly readers: readonly Reader[]
  /** The reason for that, also where the log does not reach back far enough. */
  readonly lost: ResetReason
}

type Point = Omit<Position, 'readers'> & { readonly key: string }

/** An hour, for clocks that differ, and for the job that deletes old changes. */
const MARGIN_MS = 3_600_000

/** New readers by their places; at most this many places, a later batch serves the others. */
export function placesOf(foundation: Foundation, coming: Iterable<Reader>): readonly Position[] {
  const places = new Map<string, Point & { readonly readers: Reader[] }>()
  for (const reader of coming) {
    const point = pointOf(foundation, reader)
    const found = places.get(point.key)
    if (found !== undefined) found.readers.push(reader)
    else if (places.size < LIMITS.streamPlaces) places.set(point.key, { ...point, readers: [reader] })
  }
  return [...places.values()]
}

function begins(lost: ResetReason): Point {
  return { key: lost, from: undefined, lost }
}

/**
 * The place from which a reader continues. After a part of a batch it is shared only with readers of the same table.
 */
function pointOf({ catalog, now }: Foundation, { begin, request, view }: Reader): Point {
  if (begin !== undefined) return begins(begin)
  const { lastEventId, resource } = request
  if (lastEventId === undefined) return begins('new')
  const place = readPlace(lastEventId)
  const keptMs = (catalog.limits.changeKeepMs ?? LIMITS.changeKeepMs) - MARGIN_MS
  if (place === undefined || place.at < now().getTime() - keptMs) return begins('expired')
  if (place.share !== view.share.name && place.share !== view.share.before) return begins('access')
  const { at, done, further } = place
  const isText = further.some(({ lastId }) => typeof lastId === 'string')
  if (isText && keptIdType(catalog) === 'integer') return begins('expired')
  const told = further.map(({ upto, lastId }) => `${upto} ${lastId} ${resource.owner}`).join(' ')
  return { key: `${done} ${told}`, from: { at, done, further }, lost: 'expired' }
}
