/** ⇄ Keeps the outbox in order: what a killed process left half written, and mails that are older than they are kept. */
import { type JobContext, type JsonObject, LIMITS, removeOldFiles } from '../../engine/index.ts'
import { outboxOf } from './transport.ts'

const DAY_MS = 86_400_000

/** The job, on each instance; mails stay for as long as `keep_files_days` says, and for ever without it. */
export async function tidy({ now, options, settings, signal }: JobContext): Promise<JsonObject> {
  const folder = outboxOf(settings)
  const halves = await removeOldFiles(folder, now(), LIMITS.temporaryMs, { named: /\.part$/, signal })
  const days = options.keep_files_days
  const keepMs = days === undefined ? Number.POSITIVE_INFINITY : Number(days) * DAY_MS
  const mails = await removeOldFiles(folder, now(), keepMs, { named: /\.eml$/, signal })
  return { halves: halves.removed, mails: mails.removed, oldest_seconds: mails.oldest_seconds }
}
