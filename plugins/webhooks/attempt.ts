/** One attempt ⇄: the message is made, signed and sent, and what came of it is noted. */
import { BreakerOpen, type JobContext, type PluginContext } from '../../engine/index.ts'
import { resolveByName } from './address.ts'
import { bodyOf } from './body.ts'
import { optionsOf } from './options.ts'
import { ownersOf, PAUSED, pause } from './owner.ts'
import { type Attempt, delivered, failed, type Outcome, release } from './queue.ts'
import { attempting } from './receivers.ts'
import { pausesAfter } from './schedule.ts'
import { secretsOf } from './secrets.ts'
import { type Answered, post } from './send.ts'
import { signedHeaders } from './sign.ts'

const ERROR_LENGTH = 500
const GONE = 410

/** What became of an attempt; `none`: it was not made. */
export type Made = 'delivered' | 'failed' | 'none'

/** Makes one attempt and notes its end. Rejects only where the database does. */
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

/** Nothing was answered; the error of the connection is its cause. */
class Unsent extends Error {}

/** A message that is ready to be sent. */
interface Ready {
  readonly body: string
  readonly secrets: readonly string[]
}

/** The message as its owner may see it; undefined when the webhook was switched off for the lack of one. */
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

/** A test is sent whether its webhook is on or off, so it would come again at once; it ends here. */
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
