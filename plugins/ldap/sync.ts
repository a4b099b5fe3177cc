/** The job that asks the directory, from time to time, who is disabled or gone and which groups people have by now. */
import type { JobContext, JsonObject, PluginContext } from '../../engine/index.ts'
import { lookAgain } from '../auth/provider/sign-in.ts'
import { claimsOfPerson } from './claims.ts'
import { type Directory, directoryOf, NAME } from './options.ts'
import { type Search, searching } from './server.ts'
import { comesBack, goes, type Known } from './standing.ts'

/** So many people are asked for on one connection. */
const TOGETHER = 500
/** From so many missing people on, more than half of those asked for are taken for a mistake in the directory or the options. */
const MANY = 4

/** The job `ldap.sync`. */
export async function sync(context: JobContext): Promise<JsonObject> {
  const directory = directoryOf(context.options)
  const counts = { asked: 0, ended: 0, kept: 0, refused: 0 }
  for (;;) {
    context.signal.throwIfAborted()
    const due = await dueIn(context, directory)
    if (due.length === 0) return counts
    await searching({ settings: context.settings, directory }, (search) =>
      judge(context, directory, search, due, counts),
    )
  }
}

/** Those who were not asked for since the time of the options. */
async function dueIn({ model, now }: PluginContext, { checkMs, provider }: Directory): Promise<readonly Known[]> {
  return model('identities')
    .query()
    .where({ provider: NAME, issuer: provider.issuer })
    .whereRaw('coalesce(checked_at, created_at) <= ?::timestamptz', [new Date(now().getTime() - checkMs)])
    .orderBy('id')
    .limit(TOGETHER)
    .select('id', 'user_id', 'subject', 'ended_at')
    .castTo<Known[]>()
}

async function judge(
  context: JobContext,
  directory: Directory,
  search: Search,
  due: readonly Known[],
  counts: Record<'asked' | 'ended' | 'kept' | 'refused', number>,
): Promise<void> {
  const found = []
  for (const known of due) found.push({ known, person: await search.known(known.subject) })
  const missing = found.filter(({ known, person }) => person === undefined && known.ended_at === null)
  if (missing.length >= MANY && missing.length * 2 > due.length)
    throw new Error(
      `The directory has none of ${missing.length} people of ${due.length}, so nothing was done: look whether base, filter and attributes are right`,
    )
  for (const { known, person } of found) {
    counts.asked += 1
    if (person !== undefined) {
      await comesBack(context, directory, known.subject)
      const outcome = await lookAgain(
        context,
        directory.provider,
        claimsOfPerson(context.catalog, directory, person),
        known,
      )
      if (outcome.kind === 'refused') counts.refused += 1
    } else if (known.ended_at === null) counts[await goes(context, known)] += 1
    await context.model('identities').query().findById(known.id).patch({ checked_at: context.now() })
  }
}
