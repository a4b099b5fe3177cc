/**
 * `Idempotency-Key` ⇄: a POST that comes again with the same key gets the answer of the first, for a day. The answer is
 * a row of the transaction of its work: the row exists if and only if the work was committed, also after a crash or a
 * lost connection.
 */

import { violation } from '../database/failure.ts'
import { isRefusal } from '../error.ts'
import { type Execution, inTransaction } from '../run/execution.ts'
import type { BoundRoute, RequestInput } from './bound-route.ts'
import type { Call } from './call.ts'
import type { Transact } from './context.ts'
import type { HttpParts } from './http-app.ts'
import { AnsweredBefore, claimKey, KeyTaken, keepAnswer, refuseAnswered, takeKey } from './kept-answers.ts'
import { type KeyedRequest, recogniser } from './keyed-request.ts'
import type { Reply } from './route.ts'
import type { Answer } from './send.ts'
import type { Place } from './table.ts'

/** How a request is answered. */
export interface Answering {
  readonly around: Execution
  /** Runs the handler of the route; `transact` runs the work that must happen once. */
  readonly handle: (transact: Transact) => Promise<Reply>
  readonly answerOf: (reply: Reply) => Answer
}

/** Does the work of a request with an `Idempotency-Key`, or returns its kept answer. */
export type AnswerOnce = (call: Call, place: Place, input: RequestInput, answering: Answering) => Promise<Answer>

/** How often work runs when another request keeps taking a unique value first. */
const TRIES = 4

/** Whether another request wrote first; a second run sees what that one wrote. */
function lostRace(error: unknown): boolean {
  return error instanceof KeyTaken || violation(error)?.kind === 'unique'
}

/** Whether one transaction commits all work of a route. */
function isOnce(route: BoundRoute): boolean {
  return 'run' in route || route.once === true
}

/** Commits the work and its answer in one transaction. */
async function together(request: KeyedRequest, { around, handle, answerOf }: Answering): Promise<Answer> {
  let kept: Answer | undefined
  const transact: Transact = async (work) => {
    for (let tries = 1; ; tries++) {
      try {
        const done = await inTransaction(around, async (inner) => {
          await takeKey(inner.adhoc, request)
          const reply = await work(inner)
          const answer = answerOf(reply)
          await keepAnswer(inner.adhoc, request, answer)
          return { reply, answer }
        })
        kept = done.answer
        return done.reply
      } catch (error) {
        if (error instanceof AnsweredBefore) kept = error.answer
        if (tries === TRIES || !lostRace(error)) throw error
      }
    }
  }
  const reply = await handle(transact)
  return kept ?? answerOf(reply)
}

/** Work outside a transaction: the key stays taken when it ends with neither an answer nor a refusal. */
async function inSteps(request: KeyedRequest, { around, handle, answerOf }: Answering): Promise<Answer> {
  const claim = await claimKey(around.adhoc, request)
  // Only logged, because the caller could not do anything about it.
  const aside = (what: string, done: Promise<unknown>) =>
    done.catch((error: unknown) => around.log.warn({ err: error, requestId: around.requestId }, what))
  let answer: Answer
  try {
    answer = answerOf(await handle((work) => inTransaction(around, work)))
  } catch (error) {
    await aside('an idempotency key was not released', isRefusal(error) ? claim.release() : claim.abandon())
    throw error
  }
  await aside('an answer was not kept for its idempotency key', claim.complete(answer))
  return answer
}

/** Makes the function that answers keyed requests once. */
export function answerOnce(parts: Pick<HttpParts, 'now' | 'settings'>): AnswerOnce {
  const recognise = recogniser(parts)

  return async (call, place, input, answering) => {
    const request = await recognise(call, place, input)
    const { route } = place
    try {
      if (!isOnce(route)) return await inSteps(request, answering)
      // A plugin may work for long before its transaction begins; a kept answer saves that work.
      if (!('run' in route)) await refuseAnswered(answering.around.adhoc, request)
      return await together(request, answering)
    } catch (error) {
      if (error instanceof AnsweredBefore) return error.answer
      throw error
    }
  }
}
