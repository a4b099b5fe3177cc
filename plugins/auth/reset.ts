/** Routes: ask for a link to set a new password, and set it. */
import {
  invalid,
  type PluginContext,
  type Reply,
  type Route,
  type RouteContext,
  type Transaction,
} from '../../engine/index.ts'
import { newToken, tokenHash } from '../keys/seal.ts'
import { type Account, greetingOf, personOf } from './account.ts'
import { latestNoted } from './clock-skew.ts'
import { endConfirmationsOf } from './email-link.ts'
import { forgetFailures } from './failures.ts'
import { closeSessionsOf } from './opened-sessions.ts'
import { authOptions } from './options.ts'
import { hashPassword, passwordErrors } from './password.ts'
import { endLinksOf, sendReset } from './reset-link.ts'

const SENT = 'If the address belongs to an account, a link to set a new password is on its way'
/** One mail a minute to an address. */
const PAUSE_MS = 60_000
/** Live links of one address: a new request ends none that its owner has in a mail. */
const MOST_LIVE = 3

const ask: Route = {
  method: 'POST',
  path: '/auth/password/reset',
  summary: 'Send a link to set a new password',
  tag: 'Authentication',
  access: 'public',
  bucket: 'auth',
  input: { email: { type: 'email', required: true } },
  handle: async (context) => {
    await sendLink(context, String(context.body.email).toLowerCase())
    return { message: SENT }
  },
}

/**
 * Does the same work for every address, so that the time does not show whether it has an account; the mail leaves after
 * the answer.
 */
async function sendLink(context: RouteContext, email: string): Promise<void> {
  const { resetMinutes } = authOptions(context.options)
  const token = newToken()
  const account = await context.transaction((inner) => storeLink(inner, email, token, resetMinutes))
  if (account === undefined || account.status === 'declined') return
  const person = { id: account.id, email: account.email, firstName: greetingOf(account) }
  setImmediate(() => {
    sendReset(context, person, token, resetMinutes).catch((error: unknown) =>
      context.log.error({ err: error }, 'a mail could not be queued'),
    )
  })
}

/** Stores a link, unless there was one within the minute or too many are live; returns its owner. */
async function storeLink(
  context: PluginContext & { readonly transaction: Transaction },
  email: string,
  token: string,
  minutes: number,
): Promise<Account | undefined> {
  const { catalog, now, transaction } = context
  const { knex } = transaction
  // One after the other: simultaneous requests would each find none.
  await knex.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`plinth auth reset ${email}`])
  const account = await personOf(context, email)
  const [table, time] = [catalog.resources.get('password_resets')!.table, now()]
  // Found and stored by one statement, in the same time with and without an account.
  const { rowCount } = await knex.raw<{ readonly rowCount: number }>(
    `insert into ?? (email, user_id, token_hash, expires_at, created_at)
     select ?::varchar, ?::integer, ?::varchar, ?::timestamptz, ?::timestamptz
     where not exists (select 1 from ?? r where r.email = ? and r.created_at between ?::timestamptz and ?::timestamptz)
       and (select count(*) from ?? r where r.email = ? and r.used_at is null and r.expires_at > ?::timestamptz) < ?::int`,
    [
      table,
      email,
      account?.id ?? null,
      tokenHash(token),
      new Date(time.getTime() + minutes * 60_000),
      time,
      table,
      email,
      new Date(time.getTime() - PAUSE_MS),
      latestNoted(time),
      table,
      email,
      time,
      MOST_LIVE,
    ],
  )
  return rowCount === 0 ? undefined : account
}

const set: Route = {
  method: 'POST',
  path: '/auth/password/reset/{token}',
  summary: 'Set a new password by the token of a link',
  tag: 'Authentication',
  access: 'public',
  bucket: 'auth',
  input: {
    email: { type: 'email', required: true },
    password: { type: 'secret', required: true },
    password_confirmation: { type: 'secret', required: true },
  },
  handle: async (context) => {
    const { body } = context
    const email = String(body.email).toLowerCase()
    const errors = passwordErrors(body.password, body.password_confirmation, email)
    if (errors !== undefined) throw invalid(errors)
    return setPassword(context, email, String(body.password))
  },
}

async function setPassword(context: RouteContext, email: string, password: string): Promise<Reply> {
  const hash = await hashPassword(password)
  await context.transaction(async (inner) => {
    const { model, now, params, records } = inner
    const account = model('users')
      .query()
      .alias('u')
      .modify('live')
      .whereColumn('u.id', 'r.user_id')
      .whereColumn('u.email', 'r.email')
    // Found and used up by one statement: of two requests with one token, one succeeds.
    const [user] = await model('password_resets')
      .query()
      .alias('r')
      .where({ 'r.token_hash': tokenHash(params.token ?? ''), 'r.email': email })
      .whereNull('r.used_at')
      .where('r.expires_at', '>', now())
      .whereExists(account)
      .patch({ used_at: now() })
      .returning('user_id')
      .castTo<{ user_id: number }[]>()
    if (user === undefined) throw invalid({ token: ['The link is not valid any more: ask for a new one'] })
    const id = user.user_id
    const values = { password_hash: hash, pending_email: null, updated_at: now() }
    await model('users').query().findById(id).patch(values)
    await endLinksOf(inner, id)
    await endConfirmationsOf(inner, id)
    await closeSessionsOf(inner, id)
    await forgetFailures(inner, email)
    // A person who opened this link reads the mail of the address; that ends what a stranger had registered.
    await records('users', 'system').update(id, { email_verified: true })
  })
  return { message: 'The password has been set; sign in with it' }
}

export const resetRoutes: readonly Route[] = [ask, set]
