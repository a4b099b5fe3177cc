/** ⇄ Deletes what has ended by itself: sessions whose token has run out, and links that lead nowhere any more. */
import { deleteInBatches, type JobContext, type JsonObject } from '../../engine/index.ts'
import { sweepConfirmations } from './email-link.ts'
import { sweepFailures } from './failures.ts'

/** The job: a row goes when its own time, `expires_at`, is over. */
export async function tidy(context: JobContext): Promise<JsonObject> {
  const { catalog, database, now, signal } = context
  const ended = (resource: string): Promise<number> => {
    const { table } = catalog.resources.get(resource)!
    const rows = { table, where: 'expires_at < $1::timestamptz', values: [now().toISOString()] }
    return deleteInBatches(database.adhoc, rows, signal)
  }
  await sweepConfirmations(context)
  await sweepFailures(context)
  return { sessions: await ended('access_tokens'), links: await ended('password_resets') }
}
