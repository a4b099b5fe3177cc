/** Job: gives up what has waited for too long, and switches off what nothing arrives at. */
import type { JobContext, Json } from '../../engine/index.ts'
import { PAUSED, pause } from './owner.ts'
import { failingFor, giveUpOld } from './queue.ts'

/** After so many days a message is given up, however few attempts it had: a receiver that is left alone gets few. */
const MOST_DAYS = 3
/** After so many days without a success a webhook is switched off. */
const FAILING_DAYS = 5

/** `webhooks.tidy`. */
export async function tidy(context: JobContext): Promise<Json> {
  const { adhoc } = context.database
  const givenUp = await giveUpOld(context, MOST_DAYS)
  const failing = await failingFor(context, adhoc, FAILING_DAYS)
  for (const id of failing) await pause(context, adhoc, id, PAUSED.failing)
  return { given_up: givenUp, switched_off: failing.length }
}
