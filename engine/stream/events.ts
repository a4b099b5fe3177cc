/** Server-Sent Events as text (WHATWG HTML, 9.2.5 "Parsing an event stream"). Pure. */
import type { Id } from '../id.ts'
import { type Place, placeText } from './event-id.ts'

/** An event about a record; `data` is JSON: the record as in its list, or its id alone. */
export interface RecordEvent {
  readonly kind: 'created' | 'changed' | 'deleted'
  readonly id: Id
  readonly data: string
}

/**
 * The reason why a reader must read its list: it is new, its place is too far back, too much changed at once, or its
 * rights changed.
 */
export type ResetReason = 'new' | 'expired' | 'overflow' | 'access'

/** The first event: the wait before a new connection, in milliseconds. */
export function opening(retryMs: number): string {
  return `retry: ${Math.round(retryMs)}\n\n`
}

/** The place of the reader, and a sign of life. Without `data` it is no event, but its id counts. */
export function heartbeat(place: Place): string {
  return `:\nid: ${placeText(place)}\n\n`
}

export function resetEvent(place: Place, reason: ResetReason): string {
  return `id: ${placeText(place)}\nevent: reset\ndata: {"reason":"${reason}"}\n\n`
}

/** A batch for one reader, in the order of ids. A reader who has received a part of it continues after that part. */
export function batchText(
  events: readonly RecordEvent[],
  from: Place,
  to: Place,
  order: (one: Id, other: Id) => number,
): string {
  let text = ''
  events.forEach(({ kind, id, data }, at) => {
    const ahead = from.further.filter(({ lastId }) => order(lastId, id) > 0)
    const last = at === events.length - 1
    const place = last ? to : { ...from, further: [...ahead, { upto: to.done, lastId: id }] }
    text += `id: ${placeText(place)}\nevent: ${kind}\ndata: ${oneLine(data)}\n\n`
  })
  return text
}

/** PostgreSQL breaks long arrays into lines; inside texts JSON has no line breaks. */
function oneLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replace(/[\r\n]+/g, ' ') : json
}
