/** `Idempotency-Key` ⇄: a POST sent again with the same key gets the answer of the first, kept for a day. */
import { createHash, createHmac } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Actor } from '../actor.ts'
import type { Runner } from '../database/database.ts'
import { deleteInBatches } from '../database/delete-in-batches.ts'
import { ApiError } from '../error.ts'
import type { Json, JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { secretsOf } from '../secret.ts'
import type { Answer, BoundRoute, Call, HttpParts, RequestInput } from './parts.ts'
import type { UploadedFile } from './route.ts'
import type { Place } from './table.ts'

/** What a keyed request is recognised by. */
interface Keyed {
  readonly key: string
  /** Whose key it is: `user:1`, or the address of the anonymous. */
  readonly actor: string
  /** What the caller is allowed. */
  readonly rights: Rights
  /** Method and pattern. */
  readonly route: string
  /** Path and query as sent, so that a key used on another record is seen as another request. */
  readonly url: string
  readonly body: JsonObject
  readonly files: readonly UploadedFile[]
}

/** A role and its permissions at the moment of a request. */
interface Rights {
  readonly role: string | null
  readonly permissions: readonly string[]
}

function rightsOf({ role, permissions }: Actor): Rights {
  return { role, permissions: [...permissions].sort() }
}

/** Does the work of a request with an `Idempotency-Key`, or gives the answer that is kept for it. */
export type AnswerOnce = (call: Call, place: Place, input: RequestInput, work: () => Promise<Answer>) => Promise<Answer>

function keyedBy({ actor, ip, path, search }: Call, { route, pattern }: Place, input: RequestInput): Keyed {
  return {
    key: checkedKey(input.headers['idempotency-key'] ?? ''),
    actor: actor.id === null ? `ip:${ip}` : `user:${actor.id}`,
    rights: rightsOf(actor),
    route: `POST ${pattern}`,
    url: search === '' ? path : `${path}?${search}`,
    body: withoutSecrets(route, input.body),
    files: input.files,
  }
}

/** The body with secrets left out: what is kept of a request must not help anybody to guess one. */
function withoutSecrets({ inputFields = [], secretKeys = [] }: BoundRoute, body: JsonObject): JsonObject {
  const hidden = new Set([...secretKeys, ...inputFields.filter(({ type }) => type.hidden).map(({ name }) => name)])
  return hidden.size === 0 ? body : Object.fromEntries(Object.entries(body).filter(([key]) => !hidden.has(key)))
}

const CLAIM = {
  name: 'plinth_idempotency_claim',
  text: `insert into plinth_idempotency as held (actor, route, key, fingerprint, created_at, locked_until, rights)
values ($1, $2, $3, $4, $5::timestamptz, $6::timestamptz, $8::jsonb)
on conflict (actor, route, key) do update
set fingerprint = excluded.fingerprint, created_at = excluded.created_at, locked_until = excluded.locked_until,
    rights = excluded.rights, status = null, headers = null, body = null
where held.created_at < $7::timestamptz or (held.status is null and held.locked_until < $5::timestamptz)
returning actor`,
}
const READ = {
  name: 'plinth_idempotency_read',
  text: `select fingerprint, status, headers::text, body, rights::text from plinth_idempotency where actor = $1 and route = $2 and key = $3`,
}
/** Only the claim that is still one's own: a claim that took too long may be another's by now. */
const OWN = 'where actor = $1 and route = $2 and key = $3 and fingerprint = $4 and locked_until = $5::timestamptz'
const KEEP = {
  name: 'plinth_idempotency_keep',
  text: `update plinth_idempotency set status = $6, headers = $7::jsonb, body = $8 ${OWN}`,
}
const RELEASE = { name: 'plinth_idempotency_release', text: `delete from plinth_idempotency ${OWN}` }

/** Deletes what was kept for keys that have expired by `now`; gives how many. */
export function deleteExpiredAnswers(runner: Runner, now: Date, signal?: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - LIMITS.idempotencyMs).toISOString()
  const rows = { table: 'plinth_idempotency', where: 'created_at < $1::timestamptz', values: [before] }
  return deleteInBatches(runner, rows, signal)
}

/** Keys in one order, so that a client whose JSON library shuffles them still sends the same body. */
function ordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  const entries: [string, Json][] = Object.entries(value)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, child]) => [key, ordered(child)]))
}

/** What a request says, under each of the application's secrets: without them a kept fingerprint tells nothing of it. */
async function fingerprints(keyed: Keyed, secrets: readonly string[]): Promise<readonly string[]> {
  const hash = createHash('sha256').update(`${keyed.url}\n${JSON.stringify(ordered(keyed.body))}`)
  for (const file of keyed.files) {
    hash.update(`\n${JSON.stringify([file.part, file.name, file.bytes])}\n`)
    for await (const chunk of createReadStream(file.path)) hash.update(chunk)
  }
  const said = hash.digest()
  return secrets.map((secret) => createHmac('sha256', `plinth idempotency\0${secret}`).update(said).digest('hex'))
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

/** Whether an answer made under `then` may be given to whoever holds `now`: the same role with nothing taken from it. */
function covers(now: Rights, then: Rights | null): boolean {
  if (then === null || now.role !== then.role) return false
  const held = new Set(now.permissions)
  return held.has('*') || then.permissions.every((permission) => held.has(permission))
}

function inFlight(): ApiError {
  return new ApiError('conflict', { message: 'A request with this Idempotency-Key is still being answered' })
}

type Adhoc = HttpParts['database']['adhoc']

/** The answer kept for a key; throws conflict when it is another request's, or not there yet. */
async function keptAnswer(
  adhoc: Adhoc,
  id: readonly string[],
  prints: readonly string[],
  rights: Rights,
): Promise<Answer> {
  const [row] = await adhoc.run(READ, id)
  if (row === undefined) throw inFlight()
  const [printThen, status, headers, body, rightsThen] = row
  if (!prints.includes(printThen ?? '')) {
    throw new ApiError('conflict', { message: 'This Idempotency-Key was used for another request' })
  }
  if (status === null || status === undefined) throw inFlight()
  if (!covers(rights, JSON.parse(rightsThen ?? 'null'))) {
    throw new ApiError('forbidden', {
      message: 'You may do less than when this Idempotency-Key was used, so its answer is not given again',
    })
  }
  const { 'Content-Type': type, ...others }: Record<string, string> = JSON.parse(headers ?? '{}')
  return {
    status: Number(status),
    headers: { ...others, 'Idempotency-Replayed': 'true' },
    ...(type === undefined ? {} : { type }),
    ...(body === null || body === undefined ? {} : { body }),
  }
}

function isKept(answer: Answer): boolean {
  return answer.status < 500 && (answer.body === undefined || typeof answer.body === 'string')
}

async function keep(adhoc: Adhoc, own: readonly string[], answer: Answer): Promise<void> {
  const headers = answer.type === undefined ? answer.headers : { ...answer.headers, 'Content-Type': answer.type }
  await adhoc.run(KEEP, [...own, answer.status, JSON.stringify(headers), answer.body ?? null])
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

/** Answers keyed requests once, through the database of `parts`. */
export function answerOnce(parts: Pick<HttpParts, 'database' | 'now' | 'log' | 'settings'>): AnswerOnce {
  const { adhoc } = parts.database
  const secrets = secretsOnce(parts.settings)

  /** Work beside the request. Its failure is logged, because the caller could do nothing about it. */
  const aside = (what: string, done: Promise<unknown>) =>
    done.catch((error: unknown) => parts.log.warn({ err: error }, what))

  /** Does the work of a claim and keeps its answer; an error, or an answer that is no text, releases the key. */
  async function answer(own: readonly string[], work: () => Promise<Answer>): Promise<Answer> {
    // A claim that is not released ends by itself, but a client that tries again should not have to wait for that.
    const release = () => aside('an idempotency key was not released', adhoc.run(RELEASE, own))
    let given: Answer
    try {
      given = await work()
    } catch (error) {
      await release()
      throw error
    }
    if (isKept(given)) await aside('an answer was not kept for its idempotency key', keep(adhoc, own, given))
    else await release()
    return given
  }

  return async (call, place, input, work) => {
    const keyed = keyedBy(call, place, input)
    const id = [keyed.actor, keyed.route, keyed.key]
    const prints = await fingerprints(keyed, await secrets())
    const [print = ''] = prints
    const now = parts.now().getTime()
    const until = new Date(now + LIMITS.idempotencyClaimMs).toISOString()
    const expired = new Date(now - LIMITS.idempotencyMs).toISOString()
    const claimed = await adhoc.run(CLAIM, [
      ...id,
      print,
      new Date(now).toISOString(),
      until,
      expired,
      JSON.stringify(keyed.rights),
    ])
    if (claimed.length === 0) return keptAnswer(adhoc, id, prints, keyed.rights)
    return answer([...id, print, until], work)
  }
}
