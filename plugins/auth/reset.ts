/** Routes: ask for a link to set a new password, and set it. */
import { invalid, type Reply, type Route, type RouteContext } from '../../engine/index.ts'
import { accountOf } from './account.ts'
import { endConfirmationsOf } from './email-link.ts'
import { authOptions } from './options.ts'
import { hashPassword, passwordErrors } from './password.ts'
import { newToken, sendReset, tokenHash } from './reset-link.ts'
import { closeSessionsOf } from './session.ts'

const SENT = 'If the address belongs to an account, a link to set a new password is on its way'
/** One mail a minute to an address, whoever asks. */
const PAUSE_MS = 60_000

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
 * Does the same work for every address, one look-up and one insert, so that time tells nothing of who has an
 * account; the mail leaves after the answer.
 */
async function sendLink(context: RouteContext, email: string): Promise<void> {
  const { resetMinutes } = authOptions(context.options)
  const account = await accountOf(context, email)
  const token = newToken()
  const now = context.now()
  const table = context.catalog.resources.get('password_resets')!.table
  const { rowCount } = await context.database.knex.raw<{ readonly rowCount: number }>(
    `insert into ?? (email, user_id, token_hash, expires_at, created_at)
     select ?::varchar, ?::integer, ?::varchar, ?::timestamptz, ?::timestamptz
     where not exists (select 1 from ?? r where r.email = ? and r.created_at > ?::timestamptz)`,
    [
      table,
      email,
      account?.id ?? null,
      tokenHash(token),
      new Date(now.getTime() + resetMinutes * 60_000),
      now,
      table,
      email,
      new Date(now.getTime() - PAUSE_MS),
    ],
  )
  if (account === undefined || account.status === 'declined' || rowCount === 0) return
  const person = { id: account.id, email: account.email, firstName: account.first_name }
  setImmediate(() => {
    sendReset(context, person, token, resetMinutes).catch((error: unknown) =>
      context.log.error({ err: error }, 'a mail could not be queued'),
    )
  })
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
  const { resources } = context.catalog
  const [resets, users] = [resources.get('password_resets')!, resources.get('users')!]
  await context.transaction(async (inner) => {
    const { catalog, now, params, records, transaction } = inner
    const live = users.fields.has('deleted_at') ? 'and u.deleted_at is null' : ''
    // Used up and found by one statement: of two requests with one token, one wins.
    const { rows } = await transaction.knex.raw<{ readonly rows: readonly { readonly user_id: number }[] }>(
      `update ?? r set used_at = ? from ?? u
       where r.token_hash = ? and r.email = ? and r.used_at is null and r.expires_at > ?
         and u.id = r.user_id and u.email = r.email ${live}
         and not exists (select 1 from ?? n where n.email = r.email and n.id > r.id)
       returning r.user_id`,
      [resets.table, now(), users.table, tokenHash(params.token ?? ''), email, now(), resets.table],
    )
    const user = rows[0]
    if (user === undefined) throw invalid({ token: ['The link is not valid any more: ask for a new one'] })
    const id = user.user_id
    const values = { password_hash: hash, pending_email: null, updated_at: now() }
    await transaction.knex(users.table).where({ id }).update(values)
    await endConfirmationsOf(inner, transaction.knex, id)
    await closeSessionsOf(catalog, transaction, id)
    // Whoever opened this link reads the mail of this address; if a stranger had registered it, that ends here.
    await records('users', 'system').update(id, { email_verified: true })
  })
  return { message: 'The password has been set; sign in with it' }
}

export const resetRoutes: readonly Route[] = [ask, set]
