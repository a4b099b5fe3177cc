/** The job that asks providers again whether those who signed in by them may still come in. */
import { type JobContext, type JsonObject, type PluginContext, seal, unseal } from '../../../engine/index.ts'
import { note } from '../history/acts.ts'
import { askAgain, type Tokens } from './exchange.ts'
import { type Provider, providersIn } from './options.ts'
import { type Known, lookAgain } from './sign-in.ts'

const USE = 'auth provider tokens'
/** So many sessions are asked for in one run of a provider; the others wait for the next. */
const MOST = 2_000
/** So many at once. */
const TOGETHER = 4

/** What a provider gave for later questions, as a session keeps it. */
export function sealed({ settings }: Pick<PluginContext, 'settings'>, tokens: Tokens): Promise<string> {
  return seal(settings, USE, JSON.stringify(tokens))
}

interface Session {
  readonly id: number
  readonly user_id: number
  readonly provider_tokens: string | null
}

/** The job `auth.revalidate`. */
export async function revalidate(context: JobContext): Promise<JsonObject> {
  const counts = { asked: 0, ended: 0, unanswered: 0 }
  for (const provider of providersIn(context.options).values()) {
    const due = [...(await dueOf(context, provider))]
    const work = async (): Promise<void> => {
      for (let session = due.shift(); session !== undefined; session = due.shift()) {
        context.signal.throwIfAborted()
        const said = await asked(context, provider, session)
        counts[said] += 1
        // A provider that is out is asked again by the next run, and ends nothing.
        if (said === 'unanswered') due.length = 0
      }
    }
    await Promise.all(Array.from({ length: TOGETHER }, work))
  }
  return counts
}

async function dueOf({ model, now }: PluginContext, { name, revalidate: rule }: Provider): Promise<readonly Session[]> {
  if (rule === undefined) return []
  const time = now()
  return model('access_tokens')
    .query()
    .where({ provider: name })
    .where('expires_at', '>', time)
    .whereRaw('coalesce(checked_at, created_at) <= ?::timestamptz', [new Date(time.getTime() - rule.everyMs)])
    .orderBy('id')
    .limit(MOST)
    .select('id', 'user_id', 'provider_tokens')
    .castTo<Session[]>()
}

/** Asks the provider of one session, and ends it where the provider refuses or cannot be asked of it at all. */
async function asked(
  context: JobContext,
  provider: Provider,
  session: Session,
): Promise<'asked' | 'ended' | 'unanswered'> {
  const { log, model, now } = context
  const known = await identityIn(context, provider, session.user_id)
  const tokens = await tokensOf(context, session)
  if (known === undefined || tokens === undefined) return ended(context, provider, session)
  try {
    const renewed = await askAgain(context, provider, known.subject, tokens)
    // Kept first: a token for renewal counts once.
    const kept = { provider_tokens: await sealed(context, renewed.tokens), checked_at: now() }
    await model('access_tokens').query().findById(session.id).patch(kept)
    if (renewed.claims === undefined) return 'asked'
    if (renewed.claims.subject !== known.subject) return ended(context, provider, session)
    const outcome = await lookAgain(context, provider, renewed.claims, known)
    return outcome.kind === 'in' ? 'asked' : ended(context, provider, session)
  } catch (error) {
    if (isRefusal(error)) return ended(context, provider, session)
    log.warn({ err: error, provider: provider.name }, 'a provider could not be asked again')
    return 'unanswered'
  }
}

async function identityIn(
  { model }: PluginContext,
  { issuer, name }: Provider,
  user: number,
): Promise<(Known & { readonly subject: string }) | undefined> {
  return model('identities')
    .query()
    .findOne({ provider: name, issuer, user_id: user })
    .select('id', 'user_id', 'subject')
    .castTo<(Known & { readonly subject: string }) | undefined>()
}

async function tokensOf({ settings }: PluginContext, { provider_tokens }: Session): Promise<Tokens | undefined> {
  const text = provider_tokens === null ? undefined : await unseal(settings, USE, provider_tokens)
  return text === undefined ? undefined : (JSON.parse(text) as Tokens)
}

async function ended(context: PluginContext, provider: Provider, { id, user_id: user }: Session): Promise<'ended'> {
  await context.model('access_tokens').query().findById(id).delete()
  await note(context, { act: 'signed_out', by: null, user, provider: provider.name })
  return 'ended'
}

/** Answers that are about the person (RFC 6749, 5.2; OpenID Connect Core, 3.1.2.6), and not about this application. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  'invalid_grant',
  'access_denied',
  'login_required',
  'consent_required',
  'interaction_required',
  'account_selection_required',
])

function isRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { error: word, status }: { error?: unknown; status?: unknown } = error
  return REFUSALS.has(word) || (status === 401 && word !== 'invalid_client')
}
