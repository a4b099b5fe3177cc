/** One open stream: its reader, the query, and the connection. */
import { Readable } from 'node:stream'
import type { Actor } from '../actor.ts'
import { readListQuery } from '../ask/list.ts'
import { actorClass } from '../ask/policy.ts'
import type { Resource } from '../catalog/catalog.ts'
import { FellBehind } from '../http/joined-streams.ts'
import type { StreamRequest } from '../http/stream-route.ts'
import type { Foundation } from '../run/execution.ts'
import type { ResetReason } from './events.ts'
import { type ReaderClass, readerClassOf, type Share, shareOf } from './reader-class.ts'

/** The records that a reader may see of its query at present. */
export interface View {
  readonly actor: Actor
  readonly readerClass: ReaderClass
  readonly share: Share
}

export interface Reader {
  readonly request: StreamRequest
  readonly body: Readable
  /** Changes with the rights of the reader. */
  view: View
  /** The reason why it must read its list before it gets more. */
  begin: ResetReason | undefined
  /** Sends text; cuts the reader off when too much is waiting. */
  send(text: string | Buffer): void
  /** Sends what is waiting, and then ends. */
  end(): void
}

/** The view of an actor on a list's query; throws like the list where the actor may not ask that. */
export function viewOf(
  foundation: Foundation,
  resource: Resource,
  actor: Actor,
  query: readonly (readonly [string, string])[],
): View {
  const { catalog, plans } = foundation
  const list = readListQuery({ actor, catalog, plans }, resource, query)
  const readerClass = readerClassOf(foundation, actor, list)
  return { actor, readerClass, share: shareOf(readerClass, actor, list) }
}

/** Whether two actors have the same rights, so that nothing must be decided again. */
export function sameRights(one: Actor, other: Actor): boolean {
  return (
    one.id === other.id &&
    actorClass(one) === actorClass(other) &&
    one.restriction === other.restriction &&
    JSON.stringify(one.attributes) === JSON.stringify(other.attributes)
  )
}

/** Whether two views lead to the same events. */
export function seesSame(one: View, other: View): boolean {
  return one.share.name === other.share.name && one.readerClass.key === other.readerClass.key
}

/**
 * A reader without events yet. `left` is called once when its connection or stream has ended, with whether it was cut
 * off.
 */
export function createReader(
  request: StreamRequest,
  view: View,
  unsentBytes: number,
  left: (cut: boolean) => void,
): Reader {
  const body = new Readable({
    // Sends without waiting for demand; each sending counts how much is waiting.
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
