/** One open stream: who reads it, what it asks for, and the way to its connection. */
import { Readable } from 'node:stream'
import type { Foundation } from '../action/execution.ts'
import type { Actor } from '../actor.ts'
import type { Resource } from '../catalog/catalog.ts'
import type { StreamRequest } from '../http/stream-route.ts'
import { readListQuery } from '../query/list-query.ts'
import { actorClass } from '../query/policy.ts'
import type { ResetReason } from './events.ts'
import { type Share, type Sight, shareOf, sightOf } from './sight.ts'

/** What a reader may see of what it asks for, at present. */
export interface View {
  readonly actor: Actor
  readonly sight: Sight
  readonly share: Share
}

export interface Reader {
  readonly request: StreamRequest
  readonly body: Readable
  /** Changes when the reader's rights do. */
  view: View
  /** It has to read its list before it is told of more, and why. */
  begin: ResetReason | undefined
  /** Sends text; cuts the reader off when too much waits for it. */
  send(text: string | Buffer): void
  /** Sends what waits, and then ends. */
  end(): void
}

/** What an actor sees of a resource by a list's query; throws as the list does for whoever may not ask that. */
export function viewOf(
  foundation: Foundation,
  resource: Resource,
  actor: Actor,
  query: readonly (readonly [string, string])[],
): View {
  const { catalog, plans } = foundation
  const list = readListQuery({ actor, catalog, plans }, resource, query)
  const sight = sightOf(foundation, actor, list)
  return { actor, sight, share: shareOf(sight, actor, list) }
}

/** Whether two actors have the same rights, so that nothing has to be decided anew. */
export function sameRights(one: Actor, other: Actor): boolean {
  return (
    one.id === other.id &&
    actorClass(one) === actorClass(other) &&
    one.restriction === other.restriction &&
    JSON.stringify(one.attributes) === JSON.stringify(other.attributes)
  )
}

/** Whether who has the one view is told the same as who has the other. */
export function seesSame(one: View, other: View): boolean {
  return one.share.name === other.share.name && one.sight.key === other.sight.key
}

/** Why a reader was cut off; no fault that a log should tell of. */
class FellBehind extends Error {
  readonly code = 'ERR_STREAM_PREMATURE_CLOSE'
}

/** A reader with nothing sent yet; `left` is called once, when its connection or its stream has ended, and told whether it was cut off. */
export function createReader(
  request: StreamRequest,
  view: View,
  unsentBytes: number,
  left: (cut: boolean) => void,
): Reader {
  const body = new Readable({
    // What is sent does not wait to be asked for; how much may wait is counted at each sending.
    read() {},
    highWaterMark: unsentBytes,
  })
  const reader: Reader = {
    request,
    body,
    view,
    begin: undefined,
    send(text) {
      if (body.destroyed || body.readableEnded) return
      body.push(text)
      if (body.readableLength > unsentBytes) body.destroy(new FellBehind('the reader of a stream fell behind'))
    },
    end() {
      leave()
      if (!body.destroyed) body.push(null)
    },
  }
  let here = true
  const leave = (): void => {
    if (here) left(body.errored instanceof FellBehind)
    here = false
  }
  body.once('close', leave)
  return reader
}
