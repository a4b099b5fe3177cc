/** Routes: confirm an address by the token of a mailed link, and have the link mailed again. */
import { ApiError, invalid, type Route, type RouteContext } from '../../engine/index.ts'
import { tokenHash } from '../keys/seal.ts'
import { addConfirmation, PAUSE_MS, recentConfirmations, sendConfirmation, waitForNext } from './email-link.ts'
import { authOptions } from './options.ts'

const verify: Route = {
  method: 'POST',
  path: '/auth/email/verify',
  summary: 'Confirm an e-mail address by the token of a link',
  description:
    'The token of the link in the mail is enough, no sign-in is needed. A new address of an account comes into force with it.',
  tag: 'Authentication',
  access: 'public',
  bucket: 'auth',
  input: { token: { type: 'string', required: true } },
  handle: async (context) => {
    await context.transaction(async ({ body, model, now, records }) => {
      const account = model('users')
        .query()
        .alias('u')
        .modify('live')
        .whereColumn('u.id', 'c.user_id')
        .whereNot('u.status', 'declined')
        .where((either) => either.whereColumn('u.email', 'c.email').orWhereColumn('u.pending_email', 'c.email'))
      // Found and used up by one statement: of two requests with one token, one succeeds.
      const [found] = await model('email_confirmations')
        .query()
        .alias('c')
        .where({ 'c.token_hash': tokenHash(String(body.token)) })
        .whereNull('c.used_at')
        .where('c.expires_at', '>', now())
        .whereExists(account)
        .patch({ used_at: now() })
        .returning(['user_id', 'email'])
        .castTo<{ user_id: number; email: string }[]>()
      if (found === undefined) throw invalid({ token: ['The link is not valid any more: ask for a new one'] })
      await records('users', 'system').update(found.user_id, { email: found.email, email_verified: true })
    })
    return { message: 'The address is confirmed' }
  },
}

const resend: Route = {
  method: 'POST',
  path: '/auth/email/resend',
  summary: 'Send the link to confirm the own e-mail address again',
  description: 'To the new address where a change waits to be confirmed, else to the one of the account.',
  tag: 'Authentication',
  access: [{ kind: 'signed_in' }],
  openToRestricted: true,
  bucket: 'auth',
  body: 'none',
  handle: async (context) => {
    await context.transaction(sendAgain)
    return { message: 'A link to confirm your address is on its way' }
  },
}

type InTransaction = Parameters<Parameters<RouteContext['transaction']>[0]>[0]

async function sendAgain(context: InTransaction): Promise<void> {
  const { actor, model, now, options } = context
  const id = Number(actor.id)
  const account = await model('users')
    .query()
    .findById(id)
    .forUpdate()
    .select('email', 'email_verified', 'pending_email')
    .castTo<{ email: string; email_verified: boolean; pending_email: string | null } | undefined>()
  const pending = account?.pending_email ?? null
  if (account === undefined || (pending === null && account.email_verified === true)) {
    throw new ApiError('conflict', { message: 'Your address is confirmed already' })
  }
  const to = pending ?? account.email
  const made = await recentConfirmations(context, id)
  const time = now().getTime()
  // A second request within a minute gets the same answer and no second mail.
  if (made.some(({ email, at }) => email === to && at > time - PAUSE_MS)) return
  const wait = waitForNext(made, time)
  if (wait > 0) throw new ApiError('too_many_requests', { retryAfter: Math.ceil(wait / 1000) })
  const { verifyHours: hours } = authOptions(options)
  const token = await addConfirmation(context, id, to, hours)
  await sendConfirmation(context, { email: to, token, hours, taken: pending === null, reader: account.email })
}

export const emailRoutes: readonly Route[] = [verify, resend]
