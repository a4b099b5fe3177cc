/** Checks the rights of readers again and again ⇄: a session that ended, or a lost role, ends or changes the stream. */

import type { Actor } from '../actor.ts'
import { ApiError } from '../error.ts'
import { credentialsOf } from '../http/credentials.ts'
import type { BoundAuthenticate } from '../http/http-app.ts'
import { executionOf, type Foundation } from '../run/execution.ts'
import { type Reader, sameRights, seesSame, viewOf } from './reader.ts'

/** The outcome for a reader: the same rights, others, or none; undefined while nobody can say. */
export type RightsCheck = 'same' | 'other' | 'none' | undefined

/** Asks for all readers, once for each token and address. */
export async function checkReaders(
  foundation: Foundation,
  authenticate: BoundAuthenticate | undefined,
  readers: Iterable<Reader>,
  judged: (reader: Reader, standing: RightsCheck) => void,
): Promise<void> {
  if (authenticate === undefined) return
  const byToken = new Map<string, Reader[]>()
  for (const reader of readers) {
    const credentials = credentialsOf('GET', reader.request.headers)
    const presented = JSON.stringify([credentials.authorization, credentials.cookie, reader.request.ip])
    if (credentials.authorization === undefined && credentials.cookie === undefined) continue
    const known = byToken.get(presented)
    if (known === undefined) byToken.set(presented, [reader])
    else known.push(reader)
  }
  const identify = identifier(foundation, authenticate)
  await Promise.all(
    [...byToken.values()].map(async (alike) => {
      // A database that is out says nothing about anybody, and no changes either.
      const actor = await identify(alike[0]!).catch(() => undefined)
      for (const reader of alike) judged(reader, actor === undefined ? undefined : renewed(foundation, reader, actor))
    }),
  )
}

function identifier(
  foundation: Foundation,
  { options, value }: BoundAuthenticate,
): (reader: Reader) => Promise<Actor | null> {
  return ({ request, view }) => {
    const call = { actor: view.actor, requestId: request.requestId, afterCommit: () => undefined }
    const context = foundation.contextOf(executionOf(foundation, call), options)
    return value({ ...context, headers: credentialsOf('GET', request.headers), ip: request.ip, method: 'GET' })
  }
}

/** Gives a reader the view of its present rights. */
function renewed(foundation: Foundation, reader: Reader, actor: Actor | null): RightsCheck {
  if (actor === null || actor.restriction !== undefined) return 'none'
  if (sameRights(reader.view.actor, actor)) return 'same'
  const { query, resource } = reader.request
  try {
    const view = viewOf(foundation, resource, actor, query)
    const same = seesSame(view, reader.view)
    reader.view = view
    return same ? 'same' : 'other'
  } catch (error) {
    if (error instanceof ApiError) return 'none'
    throw error
  }
}
