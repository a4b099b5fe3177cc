/** Server-Sent Events as text (WHATWG HTML, 9.2.5 "Parsing an event stream"). Pure. */
import type { Id } from '../id.ts'
import { type Place, placeText } from './place.ts'

/** What becomes of a record for a reader: `data` is JSON, the record as its list shows it, or its id alone. */
export interface RecordEvent {
  readonly kind: 'created' | 'changed' | 'deleted'
  readonly id: Id
  readonly data: string
}

/** Why a reader has to read its list (again): it comes anew, its place is too far back, too much changed at once, or it may see other records now. */
export type ResetReason = 'new' | 'expired' | 'overflow' | 'access'

/** The first thing that a reader gets: after how many milliseconds it is to come back when the connection ends. */
export function opening(retryMs: number): string {
  return `retry: ${Math.round(retryMs)}\n\n`
}

/** Says where the reader is, and that the connection lives. Without `data` it is no event, but its id counts. */
export function heartbeat(place: Place): string {
  return `:\nid: ${placeText(place)}\n\n`
}

export function resetEvent(place: Place, reason: ResetReason): string {
  return `id: ${placeText(place)}\nevent: reset\ndata: {"reason":"${reason}"}\n\n`
}

/** A batch for one reader, in the order of ids. Whoever has got a part of it goes on behind that part. */
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
