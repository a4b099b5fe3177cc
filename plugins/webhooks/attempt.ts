/** One attempt to deliver ⇄: makes, signs and sends the message, records the outcome, and plans the next attempt. */
import {
  ApiError,
  BreakerOpen,
  type JobContext,
  type Json,
  type JsonObject,
  type PluginContext,
} from '../../engine/index.ts'
import { resolveByName } from './address.ts'
import { optionsOf } from './options.ts'
import { ownersOf, PAUSED, pause } from './owner.ts'
import { type Attempt, delivered, failed, type Outcome, release } from './queue.ts'
import { attempting } from './receivers.ts'
import { secretsOf, signedHeaders } from './secrets.ts'
import { readableFields } from './select.ts'
import { type Answered, post } from './send.ts'

const ERROR_LENGTH = 500
const GONE = 410

/** The outcome of an attempt; `none`: it was not made. */
export type Made = 'delivered' | 'failed' | 'none'

/** Makes one attempt and records its end. Rejects only where the database does. */
export async function attempt(context: JobContext, one: Attempt): Promise<Made> {
  const ready = await prepare(context, one)
  if (ready === undefined) {
    await release(context, [one])
    return 'none'
  }
  const began = performance.now()
  const after = (): number => performance.now() - began
  try {
    const answer = await attempting(context, one, () => sent(context, one, ready))
    const said = answer.status >= 200 && answer.status < 300
    const outcome = { status: answer.status, error: said ? null : saidOf(answer), durationMs: after() }
    if (said) await delivered(context, one, outcome)
    else await refused(context, one, outcome, answer.retryInMs)
    return said ? 'delivered' : 'failed'
  } catch (error) {
    if (error instanceof BreakerOpen || context.signal.aborted) {
      await release(context, [one])
      return 'none'
    }
    if (!(error instanceof Unsent)) throw error
    const message = error.message.slice(0, ERROR_LENGTH)
    await refused(context, one, { status: null, error: message, durationMs: after() }, undefined)
    return 'failed'
  }
}

/** No answer; the error of the connection is its cause. */
class Unsent extends Error {}

/** A message that is ready to send. */
interface Ready {
  readonly body: string
  readonly secrets: readonly string[]
}

/** The message as its owner may see it; undefined where the webhook was switched off for the lack of an owner. */
async function prepare(context: JobContext, one: Attempt): Promise<Ready | undefined> {
  const owner = await ownersOf(context)(one.ownerId)
  const secrets = await secretsOf(context, one.sealed)
  const reason = typeof owner === 'string' ? PAUSED[owner] : secrets === undefined ? PAUSED.secret : undefined
  if (reason !== undefined || typeof owner === 'string' || secrets === undefined) {
    await stopped(context, one, reason ?? PAUSED.secret)
    return undefined
  }
  return { body: await bodyOf(owner, one), secrets }
}

/** A test is sent also while its webhook is off, so it would come again at once; it ends here. */
async function stopped(context: JobContext, one: Attempt, reason: string): Promise<void> {
  await pause(context, context.database.adhoc, one.webhook, reason)
  const none = { nextMs: undefined, webhookMs: undefined }
  if (one.changeId === null) await failed(context, one, { status: null, error: reason, durationMs: 0 }, none)
}

async function sent(
  context: JobContext,
  { address, messageId: id }: Attempt,
  { body, secrets }: Ready,
): Promise<Answered> {
  const headers = signedHeaders(secrets, { id, at: context.now(), body })
  const around = { resolve: resolveByName, signal: context.signal }
  return post({ address, body, headers }, optionsOf(context.options), around).catch((error: Error) => {
    throw Object.assign(new Unsent(error.message || error.name, { cause: error }))
  })
}

function saidOf({ status }: Answered): string {
  return status >= 300 && status < 400
    ? `The receiver answered ${status}; redirects are not followed`
    : `The receiver answered ${status}`
}

async function refused(
  context: Pick<PluginContext, 'catalog' | 'database' | 'log'>,
  one: Attempt,
  outcome: Outcome,
  retryInMs: number | undefined,
): Promise<void> {
  if (outcome.status === GONE) {
    await failed(context, one, outcome, { nextMs: undefined, webhookMs: undefined })
    return pause(context, context.database.adhoc, one.webhook, PAUSED.gone)
  }
  await failed(context, one, outcome, pausesAfter(one.number, { status: outcome.status, retryInMs }, Math.random()))
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The pause after each failed attempt, in milliseconds; after the last one a message is given up. */
const PAUSES_MS: readonly number[] = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR]

/** The longest pause that a receiver can ask for, in milliseconds. */
const LONGEST_MS = 24 * HOUR

/** Statuses by which a receiver says that it has too much to do. */
const BUSY: ReadonlySet<number> = new Set([429, 503])

/** Varies a pause by a tenth, so that messages that failed together do not come back together. */
function spread(ms: number, random: number): number {
  return ms * (0.9 + random / 5)
}

/** The pauses after a failed attempt; `number` is 1 for the first one, `random` from 0 to 1. */
function pausesAfter(
  number: number,
  answer: { readonly status: number | null; readonly retryInMs: number | undefined },
  random: number,
): { readonly nextMs: number | undefined; readonly webhookMs: number | undefined } {
  const pause = PAUSES_MS[number - 1]
  if (pause === undefined) return { nextMs: undefined, webhookMs: undefined }
  const asked = answer.retryInMs === undefined ? undefined : Math.min(answer.retryInMs, LONGEST_MS)
  const isBusy = answer.status !== null && BUSY.has(answer.status)
  return { nextMs: Math.max(spread(pause, random), asked ?? 0), webhookMs: isBusy ? asked : undefined }
}

interface Kept {
  readonly actorId: number | null
  readonly changes: readonly JsonObject[]
}

/**
 * The body of an attempt, made again for each, so that nobody is sent what its owner may no longer see: then, and for a
 * deleted record, `record` is null. `changes` is null where the log no longer has them.
 */
async function bodyOf(owner: PluginContext, attempt: Attempt): Promise<string> {
  const { event, occurredAt, recordId, resource } = attempt
  const said = { type: event, timestamp: occurredAt }
  if (resource === null || recordId === null) return JSON.stringify({ ...said, data: { webhook_id: attempt.webhook } })
  const record = await recordSeen(owner, resource, recordId)
  const kept = await keptOf(owner, attempt)
  return JSON.stringify({
    ...said,
    data: {
      resource,
      id: recordId,
      record,
      changes: record === null || kept === undefined ? null : changesSeen(owner, resource, kept),
      actor_id: kept?.actorId ?? null,
    },
  })
}

async function recordSeen(owner: PluginContext, resource: string, id: number): Promise<JsonObject | null> {
  if (!owner.catalog.resources.has(resource)) return null
  try {
    return await owner.records(resource).get(`id:${id}`)
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'record_not_found' || error.code === 'forbidden')) return null
    throw error
  }
}

async function keptOf({ database }: PluginContext, { changeId }: Attempt): Promise<Kept | undefined> {
  const text = `select actor_id, changes from plinth_change where id = $1::bigint`
  const [row] = await database.adhoc.run({ text, name: 'webhooks change' }, [changeId])
  if (row === undefined) return undefined
  const [actor, changes] = row
  return { actorId: actor === null || actor === undefined ? null : Number(actor), changes: JSON.parse(changes ?? '[]') }
}

function changesSeen({ actor, catalog }: PluginContext, resource: string, { changes }: Kept): readonly JsonObject[] {
  const fields = new Set<Json | undefined>(readableFields(catalog.resources.get(resource)!, actor))
  return changes
    .filter(({ field }) => fields.has(field))
    .map(({ field, from, to }) => ({ field, from, to }) as JsonObject)
}
