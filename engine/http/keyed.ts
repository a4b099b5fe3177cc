/** What a request with an `Idempotency-Key` is recognised by ⇄: whose key it is, what was sent, and what its sender may do. */
import { createHash, createHmac } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Actor } from '../actor.ts'
import { ApiError } from '../error.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { secretsOf } from '../secret.ts'
import type { BoundRoute, Call, HttpParts, RequestInput } from './parts.ts'
import type { Place } from './table.ts'

/** A role and its permissions at the moment of a request. */
export interface Rights {
  readonly role: string | null
  readonly permissions: readonly string[]
}

export interface KeyedRequest {
  /** Whose key it is (`user:1`, or the address of the anonymous), method and pattern, and the key. */
  readonly id: readonly [actor: string, route: string, key: string]
  /** What was sent, under each of the application's secrets, the one in use first. */
  readonly prints: readonly string[]
  readonly rights: Rights
  /** When it came, as text of UTC. */
  readonly now: string
  /** What was kept before this moment has expired. */
  readonly expired: string
}

function rightsOf({ role, permissions }: Actor): Rights {
  return { role, permissions: [...permissions].sort() }
}

/** A key as the header gives it; throws bad_request when it is empty or too long. */
function checkedKey(header: string): string {
  const key = header.trim()
  if (key === '' || key.length > LIMITS.idempotencyKeyLength) {
    throw new ApiError('bad_request', {
      message: `Idempotency-Key must have 1 to ${LIMITS.idempotencyKeyLength} characters`,
    })
  }
  return key
}

/** The body with secrets left out, wherever they stand: what is kept of a request must not help anybody to guess one. */
function withoutSecrets({ inputFields = [], secretKeys = [] }: BoundRoute, body: JsonObject): Json {
  const hidden = new Set([...secretKeys, ...inputFields.filter(({ type }) => type.hidden).map(({ name }) => name)])
  return hidden.size === 0 ? body : without(body, hidden)
}

function without(value: Json, hidden: ReadonlySet<string>): Json {
  if (Array.isArray(value)) return value.map((item) => without(item, hidden))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => !hidden.has(key))
  return Object.fromEntries(kept.map(([key, item]) => [key, without(item, hidden)]))
}

/** Keys in one order, so that a client whose JSON library shuffles them still sends the same body. */
function ordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  const entries: [string, Json][] = Object.entries(value)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, child]) => [key, ordered(child)]))
}

/** What a request says, under each of the application's secrets: without them a kept fingerprint tells nothing of it. */
async function fingerprints(
  { path, search }: Call,
  { route }: Place,
  { body, files }: RequestInput,
  secrets: readonly string[],
): Promise<readonly string[]> {
  // Path and query as sent, so that a key used on another record is seen as another request.
  const url = search === '' ? path : `${path}?${search}`
  const hash = createHash('sha256').update(`${url}\n${JSON.stringify(ordered(withoutSecrets(route, body)))}`)
  for (const file of files) {
    hash.update(`\n${JSON.stringify([file.part, file.name, file.bytes])}\n`)
    for await (const chunk of createReadStream(file.path)) hash.update(chunk)
  }
  const said = hash.digest()
  return secrets.map((secret) => createHmac('sha256', `plinth idempotency\0${secret}`).update(said).digest('hex'))
}

/** The application's secrets, read when they are first needed; a failure is tried again. */
function secretsOnce(settings: HttpParts['settings']): () => Promise<readonly string[]> {
  let reading: Promise<readonly string[]> | undefined
  return () => {
    reading ??= secretsOf(settings).catch((error: unknown) => {
      reading = undefined
      throw error
    })
    return reading
  }
}

/** What recognises keyed requests; it throws bad_request for a key that is none. */
export function recogniser({
  now,
  settings,
}: Pick<HttpParts, 'now' | 'settings'>): (call: Call, place: Place, input: RequestInput) => Promise<KeyedRequest> {
  const secrets = secretsOnce(settings)
  return async (call, place, input) => {
    const { actor, ip } = call
    const key = checkedKey(input.headers['idempotency-key'] ?? '')
    const at = now().getTime()
    return {
      id: [actor.id === null ? `ip:${ip}` : `user:${actor.id}`, `POST ${place.pattern}`, key],
      prints: await fingerprints(call, place, input, await secrets()),
      rights: rightsOf(actor),
      now: new Date(at).toISOString(),
      expired: new Date(at - LIMITS.idempotencyMs).toISOString(),
    }
  }
}
