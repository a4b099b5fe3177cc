/** `Prefer: explain`: an answer says which rules decided, to callers to whom app.yaml gives the right; for all others the header means nothing. */

import type { Actor } from '../actor.ts'
import { holds } from '../ask/policy.ts'
import { pluginContext } from '../context/plugin-context.ts'
import { ApiError, sentenceOf } from '../error.ts'
import { explainField } from '../explain/field-report.ts'
import { explainRequest } from '../explain/request-report.ts'
import { asJson, type JsonObject } from '../json.ts'
import { executionOf } from '../run/execution.ts'
import type { BoundRoute } from './bound-route.ts'
import type { Call, Headers } from './call.ts'
import type { HttpParts } from './http-app.ts'
import { questionOf } from './question.ts'
import type { Reply } from './route.ts'

/** The part that a caller wants explained. */
interface Wish {
  /** A field or relation of the answer. */
  readonly field: string | undefined
  /** The person whose answer is explained, by a name that a plugin knows; the caller if absent. */
  readonly as: string | undefined
  /** The method whose request is explained, where it is not that of the request itself: nothing of it runs. */
  readonly method: string | undefined
}

/** The question of a request, as far as its route tells. */
export interface Asked {
  readonly route: BoundRoute
  readonly pattern: string
  /** The `{id}` of the path, decoded. */
  readonly named: string | undefined
  /** The routes of its path, by method. */
  readonly methods: ReadonlyMap<string, { readonly route: BoundRoute; readonly pattern: string }>
}

type Explaining = Pick<HttpParts, 'catalog' | 'foundation' | 'identify'>

type Explainer = (call: Call, asked: Asked) => (() => Promise<JsonObject>) | undefined

/** The function that explains an answer to a caller who has the right and asks for it; undefined where app.yaml gives no caller the right. */
export function explainer(parts: Explaining): Explainer | undefined {
  const right = parts.catalog.explain
  if (right === undefined) return undefined
  return (call, asked) => {
    const { actor, headers } = call
    if (headers.prefer === undefined || actor.kind === 'anonymous' || actor.restriction !== undefined) return undefined
    if (!holds(actor, right)) return undefined
    const wish = wishOf(headers)
    return wish && (() => told(parts, call, asked, wish))
  }
}

/** Reads `explain`, `explain=cc` and `explain; as="ann@example.com"; method=PATCH` among the preferences of RFC 7240. */
function wishOf({ prefer = '' }: Headers): Wish | undefined {
  for (const preference of prefer.match(/(?:[^,"]|"[^"]*")+/g) ?? []) {
    const parts = preference.match(/(?:[^;"]|"[^"]*")+/g) ?? []
    const [first, ...others] = parts.map(pairOf)
    const given = (name: string): string | undefined => others.find(([key]) => key === name)?.[1]
    if (first?.[0] === 'explain') return { field: first[1], as: given('as'), method: given('method')?.toUpperCase() }
  }
  return undefined
}

function pairOf(text: string): readonly [name: string, value: string | undefined] {
  const at = text.indexOf('=')
  if (at === -1) return [text.trim().toLowerCase(), undefined]
  const value = text
    .slice(at + 1)
    .trim()
    .replace(/^"(.*)"$/, '$1')
  return [text.slice(0, at).trim().toLowerCase(), value === '' ? undefined : value]
}

/** The rules and their outcome, without values of records and without SQL. Writes nothing. */
async function told(parts: Explaining, call: Call, asked: Asked, wish: Wish): Promise<JsonObject> {
  const { named } = asked
  const about = {
    ...(wish.as === undefined ? {} : { as: wish.as }),
    ...(wish.method === undefined ? {} : { method: wish.method }),
  }
  try {
    const { pattern, route } = askedPlace(asked, wish)
    const actor = wish.as === undefined ? call.actor : await personOf(parts, call, wish.as)
    const question = questionOf({ route, pattern, named, query: new URLSearchParams(call.search) }, actor)
    if (question === undefined) return { ...about, says: `The plugin ${route.plugin} judges this request itself.` }
    const around = executionOf(parts.foundation, { actor, requestId: call.requestId, afterCommit: () => undefined })
    const { statements: _, ...rules } = await explainRequest(around, question)
    const part = wish.field === undefined ? undefined : await explainField(around, question, wish.field)
    return { ...about, ...asJson(rules), ...(part === undefined ? {} : { field: asJson(part) }) }
  } catch (error) {
    if (error instanceof ApiError && error.status >= 500) throw error
    return { ...about, says: sentenceOf(error) }
  }
}

/** The route that is explained; throws a sentence where the path has none of the method. */
function askedPlace(asked: Asked, { method }: Wish): Pick<Asked, 'route' | 'pattern'> {
  const place = method === undefined ? asked : asked.methods.get(method)
  if (place !== undefined) return place
  throw new Error(`${asked.pattern} answers ${[...asked.methods.keys()].join(', ')}, not ${method}.`)
}

async function personOf(
  { foundation, identify }: Explaining,
  { actor, requestId }: Call,
  name: string,
): Promise<Actor> {
  if (identify === undefined) throw new Error('No plugin of this application knows people by name: leave "as" out.')
  const around = executionOf(foundation, { actor, requestId, afterCommit: () => undefined })
  const found = await identify.value(pluginContext(around, identify.options), name)
  if (found === null) throw new Error(`There is nobody called ${name}.`)
  return found
}

/** The reply to a read with its explanation. */
export async function explainedReply({ explain: tell, method }: Call, reply: Reply): Promise<Reply> {
  if (tell === undefined || method !== 'GET' || reply.raw !== undefined) return reply
  return {
    ...reply,
    headers: { ...reply.headers, 'Preference-Applied': 'explain' },
    meta: { ...reply.meta, explain: await tell() },
  }
}

/** A refusal by a rule with its explanation; one that was kept for its Idempotency-Key stays as it was kept. */
export async function explainedRefusal({ explain: tell }: Call, error: unknown): Promise<unknown> {
  if (tell === undefined || !(error instanceof ApiError) || error.constructor !== ApiError) return error
  if (error.status !== 403 && error.status !== 404) return error
  return new ApiError(error.code, { ...error.params, explain: await tell() })
}
