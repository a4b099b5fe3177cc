/** Several lists in one stream: browsers open few connections to a server, and a program may follow many lists. */
import { Readable } from 'node:stream'

/** Parts of an event id, one for each list, are joined by a sign that no place has. */
const BETWEEN = '|'
/** The place of a list that no event has come for. */
const NOWHERE = '-'

/** The places of the lists in the id of the last event; undefined: a list is read anew. */
export function placesIn(lastEventId: string | undefined, lists: number): readonly (string | undefined)[] {
  const parts = lastEventId?.split(BETWEEN) ?? []
  return Array.from({ length: lists }, (_, at) => {
    const part = parts.length === lists ? parts[at] : undefined
    return part === NOWHERE ? undefined : part
  })
}

/** A reason for cutting a reader off that is no fault for the log. */
export class FellBehind extends Error {
  readonly code = 'ERR_STREAM_PREMATURE_CLOSE'
}

/**
 * One stream of the streams of several lists: each event says in `of` which list it is about, and its id has the places
 * of all of them. Ends when one of them ends; cuts a reader off when more than `unsentBytes` wait for it.
 */
export function joined(
  bodies: readonly Readable[],
  before: readonly (string | undefined)[],
  unsentBytes: number,
): Readable {
  const places = before.map((place) => place ?? NOWHERE)
  const body = new Readable({ read() {}, highWaterMark: unsentBytes })
  const closeAll = (): void => {
    for (const one of bodies) one.destroy()
  }
  bodies.forEach((one, at) => {
    one.on('data', (chunk: Buffer) => {
      if (body.destroyed || body.readableEnded) return
      body.push(renumbered(chunk.toString('utf8'), at, places))
      if (body.readableLength > unsentBytes) body.destroy(new FellBehind('the reader of a stream fell behind'))
    })
    one.once('error', (error) => body.destroy(error))
    one.once('end', () => {
      closeAll()
      if (!body.destroyed) body.push(null)
    })
  })
  body.once('close', closeAll)
  return body
}

/** Whole events of one list as events of the joined stream; `places` learns where the list is. */
function renumbered(text: string, of: number, places: string[]): string {
  return text.replace(/^(id|data): (.*)$/gm, (_, field: string, value: string) => {
    if (field === 'data') return `data: {"of":${of},"data":${value}}`
    places[of] = value
    return `id: ${places.join(BETWEEN)}`
  })
}
