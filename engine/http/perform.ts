/** The last step of a request: middleware around the handler, once for each Idempotency-Key. */
import type { Call } from './call.ts'
import { type Input, prepareContext } from './context.ts'
import { answerOf, type Stamp } from './envelope.ts'
import { answerOnce, checkedKey } from './idempotency.ts'
import type { Answer, BoundRoute, HttpParts } from './parts.ts'
import type { Reply } from './route.ts'
import type { Place } from './table.ts'

export type Perform = (call: Call, place: Place, input: Input) => Promise<Answer>

/** Performs admitted requests whose input has been read. */
export function performer(parts: HttpParts, stamp: Stamp): Perform {
  const once = answerOnce(parts)

  async function run(route: BoundRoute, input: Input): Promise<Answer> {
    const { context, withOptions, settle } = prepareContext(parts, input, route.options)
    let next = (): Promise<Reply> => route.handle(context)
    for (const { run: around, options } of parts.middleware.toReversed()) {
      const inner = next
      next = () => around(withOptions(options), inner)
    }
    const reply = await next()
    await settle()
    return answerOf(reply, route.status ?? 200, stamp(parts.now()))
  }

  return (call, { route, pattern }, input) => {
    const header = input.headers['idempotency-key']
    // Answers of the auth bucket carry tokens, and a token is stored nowhere: those routes are done anew each time.
    if (header === undefined || route.method !== 'POST' || route.bucket === 'auth') return run(route, input)
    const { actor, body, files } = input
    const keyed = {
      key: checkedKey(header),
      actor: actor.id === null ? `ip:${call.ip}` : `user:${actor.id}`,
      route: `POST ${pattern}`,
      url: call.search === '' ? call.path : `${call.path}?${call.search}`,
      body,
      files,
    }
    return once(keyed, () => run(route, input))
  }
}
