/** Links by which people confirm an address: made, kept as hashes, mailed, and the mail to the address before. */
import type { PluginContext } from '../../engine/index.ts'
import { newToken, tokenHash } from '../keys/link-token.ts'
import { type MailQueue, sendMail } from '../mail/index.ts'
import { latestNoted } from './skew.ts'

type Surroundings = Pick<PluginContext, 'model' | 'now'>

/** One mail a minute, and so many a day to addresses of one account's choice, which may be strangers'. */
export const PAUSE_MS = 60_000
const MOST_A_DAY = 10
const DAY_MS = 86_400_000

/** Makes the one link of an account that confirms `email`, in a transaction that holds the account's row; gives its token. */
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

/** Takes back every link of an account that was not used yet. */
export async function endConfirmationsOf({ model, now }: Surroundings, userId: number): Promise<void> {
  await model('email_confirmations').query().where({ user_id: userId }).whereNull('used_at').patch({ used_at: now() })
}

/** A link that was made in the past day. */
export interface Made {
  readonly email: string
  readonly at: number
}

/** Milliseconds until an account may have another link mailed, by those of the past day; none but 0 means now. */
export function waitForNext(made: readonly Made[], now: number): number {
  const [last, full] = [made[0], made[MOST_A_DAY - 1]]
  const pause = last === undefined ? 0 : last.at + PAUSE_MS - now
  return Math.max(0, pause, full === undefined ? 0 : full.at + DAY_MS - now)
}

/** When the account's last links of the past day were made, newest first, each with its address. */
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

/** Takes back changes of address that nobody confirmed in time; gives how many. */
export async function dropUnconfirmed({ model, now }: Surroundings): Promise<number> {
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

/** Mails the link; `taken`: the address is already the account's. Nothing of what its owner wrote stands in it. */
export function sendConfirmation(
  context: MailQueue,
  { email, token, hours, taken }: { readonly email: string; token: string; hours: number; taken: boolean },
): Promise<void> {
  const link = `${context.settings.baseUrl.replace(/\/+$/, '')}/email/verify/${token}`
  const template = new URL('./mails/confirm.liquid', import.meta.url)
  return sendMail(context, { template, to: email, data: { link, hours, taken }, urgent: true })
}

/** Mails the address in force that another one was asked for or has replaced it; names the new one only if the old was confirmed. */
export function tellAddress(
  context: MailQueue,
  account: { readonly email: string; readonly first_name: string; readonly email_verified: boolean },
  newEmail: string,
  done: boolean,
): Promise<void> {
  const known = account.email_verified
  const template = new URL('./mails/address_change.liquid', import.meta.url)
  const data = { first_name: known ? account.first_name : '', new_email: known ? newEmail : '', done }
  return sendMail(context, { template, to: account.email, data, urgent: true })
}
