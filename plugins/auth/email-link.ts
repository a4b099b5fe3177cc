/** Links by which people confirm an address: made, kept as hashes, mailed, and the word to the address before. */
import type { Database, PluginContext } from '../../engine/index.ts'
import { type MailContext, sendMail } from '../mail/index.ts'
import { newToken, tokenHash } from './reset-link.ts'

type Knex = Database['knex']
type Surroundings = Pick<PluginContext, 'catalog' | 'now'>

/** One mail a minute, and so many a day to addresses of one account's choice, which may be strangers'. */
export const PAUSE_MS = 60_000
const MOST_A_DAY = 10
const DAY_MS = 86_400_000

function table({ catalog }: Surroundings): string {
  return catalog.resources.get('email_confirmations')!.table
}

/** Makes the one link of an account that confirms `email`, in a transaction that holds the account's row; gives its token. */
export async function addConfirmation(
  context: Surroundings,
  knex: Knex,
  userId: number,
  email: string,
  hours: number,
): Promise<string> {
  await endConfirmationsOf(context, knex, userId)
  const token = newToken()
  const now = context.now()
  await knex(table(context)).insert({
    email,
    user_id: userId,
    token_hash: tokenHash(token),
    expires_at: new Date(now.getTime() + hours * 3_600_000),
    created_at: now,
  })
  return token
}

/** Takes back every link of an account that was not used yet. */
export async function endConfirmationsOf(context: Surroundings, knex: Knex, userId: number): Promise<void> {
  await knex(table(context)).where({ user_id: userId, used_at: null }).update({ used_at: context.now() })
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
export async function recentConfirmations(context: Surroundings, knex: Knex, userId: number): Promise<readonly Made[]> {
  const rows: { email: string; created_at: Date | string }[] = await knex(table(context))
    .where({ user_id: userId })
    .where('created_at', '>', new Date(context.now().getTime() - DAY_MS))
    .orderBy('created_at', 'desc')
    .select('email', 'created_at')
  return rows.map(({ email, created_at }) => ({ email, at: new Date(created_at).getTime() }))
}

/** Removes links that can neither be used nor counted any more, and changes of address that nobody confirmed in time. */
export async function sweepConfirmations(context: Surroundings, knex: Knex): Promise<void> {
  const now = context.now()
  const users = context.catalog.resources.get('users')!.table
  await knex(users)
    .whereNotNull('pending_email')
    .whereNotExists(
      knex(table(context))
        .whereRaw('user_id = ??', [`${users}.id`])
        .whereRaw('email = ??', [`${users}.pending_email`])
        .whereNull('used_at')
        .where('expires_at', '>', now),
    )
    .update({ pending_email: null })
  await knex(table(context))
    .where('expires_at', '<', now)
    .where('created_at', '<', new Date(now.getTime() - DAY_MS))
    .delete()
}

/** Mails the link; `taken`: the address is already the account's. Nothing of what its owner wrote stands in it. */
export function sendConfirmation(
  context: MailContext,
  { email, token, hours, taken }: { readonly email: string; token: string; hours: number; taken: boolean },
): Promise<void> {
  const link = `${context.settings.baseUrl.replace(/\/+$/, '')}/email/verify/${token}`
  const template = new URL('./mails/confirm.liquid', import.meta.url)
  return sendMail(context, { template, to: email, data: { link, hours, taken } })
}

/** Tells the address in force that another one was asked for, or has taken its place; names it only if it was confirmed. */
export function tellAddress(
  context: MailContext,
  account: { readonly email: string; readonly first_name: string; readonly email_verified: boolean },
  newEmail: string,
  done: boolean,
): Promise<void> {
  const known = account.email_verified
  const template = new URL('./mails/address_change.liquid', import.meta.url)
  const data = { first_name: known ? account.first_name : '', new_email: known ? newEmail : '', done }
  return sendMail(context, { template, to: account.email, data })
}
