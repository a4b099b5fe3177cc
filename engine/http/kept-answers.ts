/** The table of answers that are kept for an `Idempotency-Key` ⇄: its statements, and what a row means for a retry. */
import { randomUUID } from 'node:crypto'
import type { Row, Runner } from '../database/database.ts'
import { deleteInBatches } from '../database/delete-in-batches.ts'
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { KeyedRequest, Rights } from './keyed-request.ts'
import type { Answer } from './send.ts'
import { JSON_TYPE } from './send.ts'

/** Thrown where the work of a request was done before; holds the answer for its retry. */
export class AnsweredBefore extends ApiError {
  readonly answer: Answer

  constructor(answer: Answer) {
    super('conflict', { message: 'A request with this Idempotency-Key was answered before' })
    this.answer = answer
  }
}

/** Another request kept an answer for the key during this work, which must be rolled back. */
export class KeyTaken extends Error {}

const KEPT = `k.fingerprint, k.status, k.headers::text, k.body, k.rights::text, k.locked_until > $5::timestamptz`
const ROW = `plinth_idempotency k
  on k.actor = $1 and k.route = $2 and k.key = $3 and k.created_at >= $4::timestamptz`

/**
 * The lock ends with the transaction, whose row is visible by then: a request that finds neither a lock nor a row is
 * the first.
 */
const TAKE = {
  name: 'plinth_idempotency_take',
  text: `select pg_try_advisory_xact_lock(hashtextextended(concat_ws(chr(10), $1::text, $2::text, $3::text), 0)), ${KEPT}
from (select 1) one left join ${ROW}`,
}
const READ = { name: 'plinth_idempotency_read', text: `select true, ${KEPT} from (select 1) one join ${ROW}` }

/** Writes the row of a key where the key has none, an expired one, or the same claim. */
const WRITE = `insert into plinth_idempotency as held
  (actor, route, key, fingerprint, created_at, rights, status, headers, body, locked_until)
values ($1, $2, $3, $5, $6::timestamptz, $7::jsonb, $8::integer, $9::jsonb, $10, $11::timestamptz)
on conflict (actor, route, key) do update
set fingerprint = excluded.fingerprint, created_at = excluded.created_at, rights = excluded.rights,
    status = excluded.status, headers = excluded.headers, body = excluded.body, locked_until = excluded.locked_until
where held.created_at < $4::timestamptz or (held.status is null and held.headers = excluded.headers)
returning 1`
const KEEP = { name: 'plinth_idempotency_keep', text: WRITE }

/** Matches only one's own claim: until there is an answer, the headers hold the claim's id. */
const OWN = 'where actor = $1 and route = $2 and key = $3 and status is null and headers = $4::jsonb'
const COMPLETE = {
  name: 'plinth_idempotency_complete',
  text: `update plinth_idempotency set status = $5::integer, headers = $6::jsonb, body = $7, locked_until = null ${OWN}`,
}
const RELEASE = { name: 'plinth_idempotency_release', text: `delete from plinth_idempotency ${OWN}` }
const ABANDON = { name: 'plinth_idempotency_abandon', text: `update plinth_idempotency set locked_until = null ${OWN}` }

/**
 * Whether an answer made with the rights `then` may go to a caller with the rights `now`: the same role, no
 * permission less, and no narrower scope.
 */
function covers(now: Rights, then: Rights | null): boolean {
  if (then === null || now.role !== then.role) return false
  if (now.scope === 'permissions' && then.scope !== 'permissions') return false
  const held = new Set(now.permissions)
  return held.has('*') || then.permissions.every((permission) => held.has(permission))
}

function inFlight(): ApiError {
  const message = 'A request with this Idempotency-Key is still being answered'
  return new ApiError('conflict', { message, retryAfter: 1 })
}

function conflict(message: string): ApiError {
  return new ApiError('conflict', { message })
}

/**
 * Throws what a row means for a request with its key: AnsweredBefore, or the refusal of an answer that cannot be
 * returned.
 */
function refuseKept({ prints, rights }: KeyedRequest, row: Row): never {
  const [, printThen, status, headers, body, rightsThen, locked] = row
  if (!prints.includes(printThen ?? '')) throw conflict('This Idempotency-Key was used for another request')
  if (status === null) {
    if (locked === 't') throw inFlight()
    throw conflict(
      'What became of the first request with this Idempotency-Key is not known: look for its work before you send it with another key',
    )
  }
  if (!covers(rights, JSON.parse(rightsThen ?? 'null'))) {
    throw new ApiError('forbidden', {
      message: 'You may do less than when this Idempotency-Key was used, so its answer is not given again',
    })
  }
  if (body === null && status !== '204') {
    throw conflict('The request with this Idempotency-Key was done, and its answer could not be kept')
  }
  const { 'Content-Type': type, ...others }: Record<string, string> = JSON.parse(headers ?? '{}')
  throw new AnsweredBefore({
    status: Number(status),
    headers: { ...others, 'Idempotency-Replayed': 'true' },
    ...(type === undefined ? {} : { type }),
    ...(body === null || body === undefined ? {} : { body }),
  })
}

/**
 * Takes the key inside the open transaction of the work, until it ends. Throws AnsweredBefore where the work was done,
 * and conflict where another request has the key or another transaction holds it.
 */
export async function takeKey(runner: Runner, request: KeyedRequest): Promise<void> {
  const [row = []] = await runner.run(TAKE, [...request.id, request.expired, request.now])
  if (row[1] !== null) refuseKept(request, row)
  if (row[0] !== 't') throw inFlight()
}

/** Throws like `takeKey` where an answer is kept; does not see open transactions. */
export async function refuseAnswered(runner: Runner, request: KeyedRequest): Promise<void> {
  const [row] = await runner.run(READ, [...request.id, request.expired, request.now])
  if (row !== undefined) refuseKept(request, row)
}

/** The body if it can be kept: a text within the limit whose answer does not say no-store; else null. */
function keptBody({ body, cookies, headers, type }: Answer): string | null {
  const isSecret = Object.entries(headers).some(
    ([name, value]) => /^cache-control$/i.test(name) && /no-store/.test(value),
  )
  if (isSecret || cookies !== undefined) return null
  const text = Buffer.isBuffer(body) && type === JSON_TYPE ? body.toString('utf8') : body
  if (typeof text !== 'string' || text.includes('\0')) return null
  return Buffer.byteLength(text) > LIMITS.idempotencyBytes ? null : text
}

/** Status, headers and body for the columns. */
function columnsOf(answer: Answer): readonly [number, string, string | null] {
  const headers = answer.type === undefined ? answer.headers : { ...answer.headers, 'Content-Type': answer.type }
  return [answer.status, JSON.stringify(headers), keptBody(answer)]
}

/** Keeps an answer in the open transaction of its work; throws KeyTaken where the key has a row. */
export async function keepAnswer(runner: Runner, request: KeyedRequest, answer: Answer): Promise<void> {
  const written = await runner.run(KEEP, [...valuesOf(request), ...columnsOf(answer), null])
  if (written.length === 0) throw new KeyTaken()
}

function valuesOf({ id, expired, prints, now, rights }: KeyedRequest): readonly (string | undefined)[] {
  return [...id, expired, prints[0], now, JSON.stringify(rights)]
}

/** A key that was taken before work without a transaction. */
export interface Claim {
  /** Keeps the answer of the work. */
  complete(answer: Answer): Promise<unknown>
  /** Frees the key, because nothing was done. */
  release(): Promise<unknown>
  /** Leaves the key taken, because the outcome is unknown. */
  abandon(): Promise<unknown>
}

/** Takes the key; throws like `takeKey` where it has a row. */
export async function claimKey(runner: Runner, request: KeyedRequest): Promise<Claim> {
  const mark = JSON.stringify({ claim: randomUUID() })
  const own = [...request.id, mark]
  const release = () => runner.run(RELEASE, own)
  const until = new Date(Date.parse(request.now) + LIMITS.idempotencyClaimMs).toISOString()
  const values = [...valuesOf(request), null, mark, null, until]
  // A claim whose connection broke may have been written: the same claim finds it, or writes it.
  const written = await runner.run(KEEP, values).catch(() => runner.run(KEEP, values))
  if (written.length === 0) {
    await refuseAnswered(runner, request)
    throw inFlight()
  }
  return {
    complete: (answer) => runner.run(COMPLETE, [...own, ...columnsOf(answer)]),
    release,
    abandon: () => runner.run(ABANDON, own),
  }
}

/** Deletes the answers of keys that have expired by `now`; returns their number. */
export function deleteExpiredAnswers(runner: Runner, now: Date, signal?: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - LIMITS.idempotencyMs).toISOString()
  const rows = { table: 'plinth_idempotency', where: 'created_at < $1::timestamptz', values: [before] }
  return deleteInBatches(runner, rows, signal)
}
