/**
 * The identity of a request with an `Idempotency-Key` ⇄: its key and its owner, a fingerprint of what it sent, and the
 * rights of its sender.
 */
import { createHash, createHmac } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Actor } from '../actor.ts'
import { ApiError } from '../error.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { secretsOf } from '../secret.ts'
import type { BoundRoute, RequestInput } from './bound-route.ts'
import type { Call } from './call.ts'
import type { HttpParts } from './http-app.ts'
import type { Place } from './table.ts'

/** A role and its permissions at the moment of a request. */
export interface Rights {
  readonly role: string | null
  readonly permissions: readonly string[]
  readonly scope?: Actor['scope']
}

export interface KeyedRequest {
  /** The owner of the key (`user:1`, or an address without an account), method and pattern, and the key. */
  readonly id: readonly [actor: string, route: string, key: string]
  /** Fingerprints of the request under each of the application's secrets, the current one first. */
  readonly prints: readonly string[]
  readonly rights: Rights
  /** The time of the request, as text in UTC. */
  readonly now: string
  /** Answers from before this moment have expired. */
  readonly expired: string
}

function rightsOf({ role, permissions, scope }: Actor): Rights {
  return { role, permissions: [...permissions].sort(), ...(scope !== undefined && { scope }) }
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

/** The body without secrets at any depth: a stored fingerprint must not help anybody to guess one. */
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

/** Sorts keys, so that a client whose JSON library shuffles them still sends the same body. */
function ordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  const entries: [string, Json][] = Object.entries(value)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, child]) => [key, ordered(child)]))
}

/** Fingerprints under each of the application's secrets: without a secret they reveal nothing of the request. */
async function fingerprints(
  { path, search }: Call,
  { route }: Place,
  { body, files, raw }: RequestInput,
  secrets: readonly string[],
): Promise<readonly string[]> {
  // Path and query as sent, so that a key for another record is another request.
  const url = search === '' ? path : `${path}?${search}`
  const hash = createHash('sha256').update(`${url}\n${JSON.stringify(ordered(withoutSecrets(route, body)))}`)
  if (raw !== undefined) hash.update(`\n${JSON.stringify(raw.type)}\n`).update(raw.bytes)
  for (const file of files) {
    hash.update(`\n${JSON.stringify([file.part, file.name, file.bytes])}\n`)
    for await (const chunk of createReadStream(file.path)) hash.update(chunk)
  }
  const said = hash.digest()
  return secrets.map((secret) => createHmac('sha256', `plinth idempotency\0${secret}`).update(said).digest('hex'))
}

/** The application's secrets, read when they are first needed; a failed read is repeated. */
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

/** Makes the function that identifies keyed requests; it throws bad_request for an invalid key. */
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
