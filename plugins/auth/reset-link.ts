/** Links that let their bearer set a password: made, stored as hashes, and mailed. */
import type { PluginContext } from '../../engine/index.ts'
import { newToken, tokenHash } from '../keys/seal.ts'
import { type MailQueue, sendMail } from '../mail/index.ts'

/** The person that a link is for. */
export interface Person {
  readonly id: number
  readonly email: string
  /** Empty where nobody confirmed the address: then the name may be a stranger's text. */
  readonly firstName: string
}

/** Stores a new link for a person and returns its token; `minutes` is its lifetime. */
export async function addReset(context: PluginContext, person: Person, minutes: number): Promise<string> {
  const token = newToken()
  const now = context.now()
  await context
    .model('password_resets')
    .query()
    .insert({
      email: person.email,
      user_id: person.id,
      token_hash: tokenHash(token),
      expires_at: new Date(now.getTime() + minutes * 60_000),
      created_at: now,
    })
  return token
}

/** Takes back every unused link of a person. */
export async function endLinksOf({ model, now }: Pick<PluginContext, 'model' | 'now'>, userId: number): Promise<void> {
  await model('password_resets').query().where({ user_id: userId }).whereNull('used_at').patch({ used_at: now() })
}

/** The page for a token, at the public address of BASE_URL and never at the Host of a request. */
export function resetLink(baseUrl: string, token: string, email: string): string {
  return `${baseUrl.replace(/\/+$/, '')}/password/reset/${token}?email=${encodeURIComponent(email)}`
}

/** Mails the link to somebody who asked for a new password. */
export function sendReset(context: MailQueue, person: Person, token: string, minutes: number): Promise<void> {
  const link = resetLink(context.settings.baseUrl, token, person.email)
  const template = new URL('./mails/reset.liquid', import.meta.url)
  return sendMail(context, {
    template,
    to: person.email,
    data: { first_name: person.firstName, link, minutes },
    urgent: true,
  })
}

/** Mails the link to somebody whose account was made without a password. */
export function sendInvite(
  context: MailQueue,
  person: Person,
  token: string,
  hours: number,
  by: number | null,
): Promise<void> {
  const link = resetLink(context.settings.baseUrl, token, person.email)
  const template = new URL('./mails/invite.liquid', import.meta.url)
  return sendMail(context, {
    template,
    to: person.email,
    data: { first_name: person.firstName, email: person.email, link, hours },
    by,
    invites: true,
  })
}
