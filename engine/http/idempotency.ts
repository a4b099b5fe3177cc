/**
 * `Idempotency-Key` ⇄: a POST sent again with the same key gets the answer of the first, kept for a day. The answer is a
 * row of the transaction of its work: it is there if and only if the work was committed, whoever died or was cut off.
 */
import { type Execution, inTransaction } from '../action/execution.ts'
import { violation } from '../database/failure.ts'
import { isRefusal } from '../error.ts'
import type { Transact } from './context.ts'
import { AnsweredBefore, claimKey, KeyTaken, keepAnswer, refuseAnswered, takeKey } from './kept-answers.ts'
import { type KeyedRequest, recogniser } from './keyed.ts'
import type { Answer, BoundRoute, Call, HttpParts, RequestInput } from './parts.ts'
import type { Reply } from './route.ts'
import type { Place } from './table.ts'

/** What a request is answered by. */
export interface Answering {
  readonly around: Execution
  /** Runs the route's handler, which does by `transact` what is to be done once. */
  readonly handle: (transact: Transact) => Promise<Reply>
  readonly answerOf: (reply: Reply) => Answer
}

/** Does the work of a request with an `Idempotency-Key`, or gives the answer that is kept for it. */
export type AnswerOnce = (call: Call, place: Place, input: RequestInput, answering: Answering) => Promise<Answer>

/** How often work is started again because another request took a value that had been free. */
const TRIES = 4

/** Whether work failed because another request wrote first; when it runs again, it sees what that one wrote. */
function lostRace(error: unknown): boolean {
  return error instanceof KeyTaken || violation(error)?.kind === 'unique'
}

/** Whether all that a route does is committed by one transaction. */
function isOnce(route: BoundRoute): boolean {
  return 'run' in route || route.once === true
}

/** The work and its answer as one transaction. */
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

/** Work outside a transaction: when it ends with neither an answer nor a refusal, the key stays taken. */
async function inSteps(request: KeyedRequest, { around, handle, answerOf }: Answering): Promise<Answer> {
  const claim = await claimKey(around.adhoc, request)
  // Its failure is logged, because the caller could do nothing about it.
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

/** Answers keyed requests once. */
export function answerOnce(parts: Pick<HttpParts, 'now' | 'settings'>): AnswerOnce {
  const recognise = recogniser(parts)

  return async (call, place, input, answering) => {
    const request = await recognise(call, place, input)
    const { route } = place
    try {
      if (!isOnce(route)) return await inSteps(request, answering)
      // A plugin may work for long before its transaction begins; none of it is done when the answer is kept already.
      if (!('run' in route)) await refuseAnswered(answering.around.adhoc, request)
      return await together(request, answering)
    } catch (error) {
      if (error instanceof AnsweredBefore) return error.answer
      throw error
    }
  }
}
