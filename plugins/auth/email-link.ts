/**
 * Links that confirm an address: made, stored as hashes, and mailed; changes of address that nobody confirms in time
 * are taken back.
 */
import type { JobContext, JsonObject, PluginContext } from '../../engine/index.ts'
import { newToken, tokenHash } from '../keys/seal.ts'
import { type MailQueue, sendMail } from '../mail/index.ts'
import { type Account, greetingOf } from './account.ts'
import { latestNoted } from './clock-skew.ts'

type Surroundings = Pick<PluginContext, 'model' | 'now'>

/** One mail a minute, and this many a day, to addresses that an account chooses, which may belong to strangers. */
export const PAUSE_MS = 60_000
const MOST_A_DAY = 10
const DAY_MS = 86_400_000

/**
 * Makes the one link of an account that confirms `email`, in a transaction that holds the account's row; returns its
 * token.
 */
export async function addConfirmation(
  context: Surroundings,
  userId: number,
  email: string,
  hours: number,
): Promise<string> {
  await endConfirmationsOf(context, userId)
  const token = newToken()
  const now = context.now()
  await context
    .model('email_confirmations')
    .query()
    .insert({
      email,
      user_id: userId,
      token_hash: tokenHash(token),
      expires_at: new Date(now.getTime() + hours * 3_600_000),
      created_at: now,
    })
  return token
}

/** Takes back every unused link of an account. */
export async function endConfirmationsOf({ model, now }: Surroundings, userId: number): Promise<void> {
  await model('email_confirmations').query().where({ user_id: userId }).whereNull('used_at').patch({ used_at: now() })
}

/** A link of the past day. */
export interface Made {
  readonly email: string
  readonly at: number
}

/** Milliseconds until an account may get another link, by those of the past day; 0 means now. */
export function waitForNext(made: readonly Made[], now: number): number {
  const [last, full] = [made[0], made[MOST_A_DAY - 1]]
  const pause = last === undefined ? 0 : last.at + PAUSE_MS - now
  return Math.max(0, pause, full === undefined ? 0 : full.at + DAY_MS - now)
}

/** The account's links of the past day, newest first, with their addresses. */
export async function recentConfirmations({ model, now }: Surroundings, userId: number): Promise<readonly Made[]> {
  const rows = await model('email_confirmations')
    .query()
    .where({ user_id: userId })
    .whereBetween('created_at', [new Date(now().getTime() - DAY_MS), latestNoted(now())])
    .orderBy('created_at', 'desc')
    .select('email', 'created_at')
    .castTo<{ email: string; created_at: Date | string }[]>()
  return rows.map(({ email, created_at }) => ({ email, at: new Date(created_at).getTime() }))
}

/** Takes back changes of address that nobody confirmed in time; returns their number. */
async function dropUnconfirmed({ model, now }: Surroundings): Promise<number> {
  const time = now()
  const waiting = model('email_confirmations')
    .query()
    .alias('c')
    .whereColumn('c.user_id', 'u.id')
    .whereColumn('c.email', 'u.pending_email')
    .whereNull('c.used_at')
    .where('c.expires_at', '>', time)
  return model('users')
    .query()
    .alias('u')
    .whereNotNull('u.pending_email')
    .whereNotExists(waiting)
    .patch({ pending_email: null })
}

/** Mails the link. `taken`: the account already has the address; `reader`: its present one. The mail has no text of the account's owner. */
export function sendConfirmation(
  context: MailQueue,
  {
    email,
    hours,
    reader,
    taken,
    token,
  }: {
    readonly email: string
    readonly token: string
    readonly hours: number
    readonly taken: boolean
    readonly reader?: string
  },
): Promise<void> {
  const link = `${context.settings.baseUrl.replace(/\/+$/, '')}/email/verify/${token}`
  const template = new URL('./mails/confirm.liquid', import.meta.url)
  const of = reader === undefined ? {} : { reader }
  return sendMail(context, { template, to: email, data: { link, hours, taken }, urgent: true, ...of })
}

/**
 * Warns the present address of a change that was asked for or made; names the new address only if the old one was
 * confirmed.
 */
export function tellAddress(
  context: MailQueue,
  account: Pick<Account, 'email' | 'first_name' | 'email_verified'>,
  newEmail: string,
  done: boolean,
): Promise<void> {
  const template = new URL('./mails/address_change.liquid', import.meta.url)
  const data = { first_name: greetingOf(account), new_email: account.email_verified ? newEmail : '', done }
  return sendMail(context, { template, to: account.email, data, urgent: true })
}

/** The job `auth.tidy`. */
export async function tidy(context: JobContext): Promise<JsonObject> {
  return { addresses: await dropUnconfirmed(context) }
}
