/**
 * Failures to sign in, counted for each account in addition to the limit of each address: growing pauses, and a mail to
 * the owner.
 */
import { createHash } from 'node:crypto'
import { ApiError, type PluginContext } from '../../engine/index.ts'
import { sendMail } from '../mail/index.ts'
import { greetingOf, personOf } from './account.ts'
import { latestNoted } from './clock-skew.ts'

type Surroundings = Pick<PluginContext, 'model' | 'now'>

/** Wrong passwords without a pause: people have several, and mistype. */
const FREE = 10
/**
 * The first pause, doubled with every failure up to the longest: a hundred guesses a day from any number of networks.
 */
const FIRST_MS = 30_000
const MOST_MS = 900_000
/** Older failures no longer count; the owner gets at most one mail in this time. */
const DAY_MS = 86_400_000

function hashOf(counted: string): string {
  return createHash('sha256').update(counted).digest('hex')
}

/**
 * The key of failures for an e-mail from an address. It is the account; or, for an address with a session of the
 * account, that address alone, so that guesses from elsewhere do not lock its owner out.
 */
export async function countedAs(
  { model }: Pick<PluginContext, 'model'>,
  email: string,
  address: string,
): Promise<string> {
  const known = await model('access_tokens')
    .query()
    .alias('s')
    .joinRelated('user')
    .findOne({ 'user.email': email, 's.address': address })
    .select('s.id')
  return known === undefined ? email : `${email} ${address}`
}

/** Throws too_many_requests during the pause of a key. */
export async function refusePaused({ model, now }: Surroundings, counted: string): Promise<void> {
  const row = await model('sign_in_failures')
    .query()
    .findOne({ account_hash: hashOf(counted) })
    .select('blocked_until', 'last_at')
    .castTo<{ readonly blocked_until: Date | string | null; readonly last_at: Date | string } | undefined>()
  const until = row?.blocked_until ?? null
  if (row === undefined || until === null) return
  const time = now()
  const left = new Date(row.last_at) > latestNoted(time) ? 0 : new Date(until).getTime() - time.getTime()
  if (left > 0) throw new ApiError('too_many_requests', { retryAfter: Math.ceil(left / 1000) })
}

/** Counts a wrong proof for an account as so many wrong passwords, and mails its owner when the pauses begin. */
export async function noteFailure(
  context: Omit<PluginContext, 'transaction'>,
  email: string,
  counted: string,
  weight = 1,
): Promise<void> {
  const { knex } = context.database
  const now = context.now()
  const yesterday = new Date(now.getTime() - DAY_MS)
  const { table } = context.catalog.resources.get('sign_in_failures')!
  // One SQL statement, so that simultaneous guesses are all counted.
  const { rows } = await knex.raw<{
    readonly rows: readonly { readonly failures: number; readonly mailed: boolean }[]
  }>(
    `insert into ?? as f (account_hash, failures, last_at) values (?, ?::int, ?::timestamptz)
     on conflict (account_hash) do update set
       failures = case when f.last_at < ?::timestamptz then excluded.failures else f.failures + excluded.failures end,
       last_at = excluded.last_at,
       blocked_until = case when f.last_at < ?::timestamptz or f.failures + excluded.failures < ? then null
         else excluded.last_at + least(?::float8, ?::float8 * 2 ^ least(f.failures + excluded.failures - ?, 20)) * interval '1 millisecond' end
     returning failures, coalesce(told_at > ?::timestamptz, false) as mailed`,
    [table, hashOf(counted), weight, now, yesterday, yesterday, FREE, MOST_MS, FIRST_MS, FREE, yesterday],
  )
  const [row] = rows
  if (row === undefined || row.failures < FREE || row.mailed) return
  setImmediate(() => {
    mailOwner(context, email, counted, row.failures).catch((error: unknown) =>
      context.log.error({ err: error }, 'a mail could not be queued'),
    )
  })
}

/** Runs after the answer, whose time must not show whether an account exists. */
async function mailOwner(
  context: Omit<PluginContext, 'transaction'>,
  email: string,
  counted: string,
  failures: number,
): Promise<void> {
  const now = context.now()
  const model: PluginContext['model'] = (resource) => context.model(resource, context.database)
  const yesterday = new Date(now.getTime() - DAY_MS)
  const first = await model('sign_in_failures')
    .query()
    .where({ account_hash: hashOf(counted) })
    .where((either) => either.whereNull('told_at').orWhere('told_at', '<=', yesterday))
    .patch({ told_at: now })
  const account = first === 0 ? undefined : await personOf({ model }, email)
  if (account === undefined || account.status === 'declined') return
  const template = new URL('./mails/failures.liquid', import.meta.url)
  // The guess may belong to a write whose refusal has already ended its transaction.
  const enqueue: PluginContext['enqueue'] = (job, payload, options) =>
    context.enqueue(job, payload, { ...options, outsideTransaction: true })
  await sendMail(
    { ...context, enqueue },
    { template, to: account.email, data: { first_name: greetingOf(account), failures } },
  )
}

/** Deletes the failures of an account after its password was entered correctly or set again. */
export async function forgetFailures({ model }: Pick<PluginContext, 'model'>, counted: string): Promise<void> {
  await model('sign_in_failures')
    .query()
    .where({ account_hash: hashOf(counted) })
    .delete()
}
