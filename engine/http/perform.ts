/** The last step of a request: the handler, once for each Idempotency-Key. */

import type { JsonObject } from '../json.ts'
import type { Call } from './call.ts'
import { type Input, prepareContext } from './context.ts'
import { answerOf, type Stamp } from './envelope.ts'
import { answerOnce, checkedKey, rightsOf } from './idempotency.ts'
import type { Answer, BoundRoute, HttpParts } from './parts.ts'
import type { Place } from './table.ts'

export type Perform = (call: Call, place: Place, input: Input) => Promise<Answer>

/** Performs admitted requests whose input has been read. */
export function performer(parts: HttpParts, stamp: Stamp): Perform {
  const once = answerOnce(parts)

  async function run(route: BoundRoute, input: Input): Promise<Answer> {
    const { context, settle } = prepareContext(parts, input, route.options)
    const reply = await route.handle(context)
    await settle()
    return answerOf(reply, route.status ?? 200, stamp(parts.now()))
  }

  return (call, { route, pattern }, input) => {
    const header = input.headers['idempotency-key']
    // Answers of the auth bucket carry tokens, and a token is stored nowhere: those routes are done anew each time.
    if (header === undefined || route.method !== 'POST' || route.bucket === 'auth') return run(route, input)
    const { actor, body, files } = input
    const key = checkedKey(header)
    route.admit?.(actor)
    const keyed = {
      key,
      actor: actor.id === null ? `ip:${call.ip}` : `user:${actor.id}`,
      rights: rightsOf(actor),
      route: `POST ${pattern}`,
      url: call.search === '' ? call.path : `${call.path}?${call.search}`,
      body: withoutSecrets(route, body),
      files,
    }
    return once(keyed, () => run(route, input))
  }
}

/** The body with secrets left out: what is kept of a request must not help anybody to guess one. */
function withoutSecrets({ inputFields = [], secretKeys = [] }: BoundRoute, body: JsonObject): JsonObject {
  const hidden = new Set([...secretKeys, ...inputFields.filter(({ type }) => type.hidden).map(({ name }) => name)])
  return hidden.size === 0 ? body : Object.fromEntries(Object.entries(body).filter(([key]) => !hidden.has(key)))
}
