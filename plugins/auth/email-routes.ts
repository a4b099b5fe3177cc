/** Routes: confirm an address by the token of a mailed link, and have the link mailed again. */
import { ApiError, invalid, type Route, type RouteContext } from '../../engine/index.ts'
import { addConfirmation, PAUSE_MS, recentConfirmations, sendConfirmation, waitForNext } from './email-link.ts'
import { authOptions } from './options.ts'
import { tokenHash } from './reset-link.ts'

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
    await context.transaction(async ({ catalog, body, now, records, transaction }) => {
      const [links, users] = [catalog.resources.get('email_confirmations')!, catalog.resources.get('users')!]
      const live = users.fields.has('deleted_at') ? 'and u.deleted_at is null' : ''
      // Used up and found by one statement: of two requests with one token, one wins.
      const { rows } = await transaction.knex.raw<{ readonly rows: readonly { id: number; email: string }[] }>(
        `update ?? c set used_at = ? from ?? u
         where c.token_hash = ? and c.used_at is null and c.expires_at > ? and u.id = c.user_id
           and c.email in (u.email, u.pending_email) and u.status <> 'declined' ${live}
         returning u.id, c.email`,
        [links.table, now(), users.table, tokenHash(String(body.token)), now()],
      )
      const found = rows[0]
      if (found === undefined) throw invalid({ token: ['The link is not valid any more: ask for a new one'] })
      await records('users', 'system').update(found.id, { email: found.email, email_verified: true })
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
  const { actor, catalog, now, options, transaction } = context
  const users = catalog.resources.get('users')!.table
  const id = Number(actor.id)
  const account = await transaction
    .knex(users)
    .where({ id })
    .forUpdate()
    .first('email', 'email_verified', 'pending_email')
  const pending: string | null = account?.pending_email ?? null
  if (account === undefined || (pending === null && account.email_verified === true)) {
    throw new ApiError('conflict', { message: 'Your address is confirmed already' })
  }
  const to = pending ?? String(account.email)
  const made = await recentConfirmations(context, transaction.knex, id)
  const time = now().getTime()
  // Who asks again within the minute is told of the mail that is on its way.
  if (made.some(({ email, at }) => email === to && at > time - PAUSE_MS)) return
  const wait = waitForNext(made, time)
  if (wait > 0) throw new ApiError('too_many_requests', { retryAfter: Math.ceil(wait / 1000) })
  const { verifyHours: hours } = authOptions(options)
  const token = await addConfirmation(context, transaction.knex, id, to, hours)
  await sendConfirmation(context, { email: to, token, hours, taken: pending === null })
}

export const emailRoutes: readonly Route[] = [verify, resend]
