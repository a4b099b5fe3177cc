/** Mails about changes of second factors, to the owner of the account. */
import type { PluginContext } from '../../../engine/index.ts'
import { sendMail } from '../../mail/index.ts'
import { accountOfId, greetingOf } from '../account.ts'
import { recoveryCodesLeft } from './factor.ts'

/** Mails the owner what became of a second factor. */
export async function tellFactor(
  context: PluginContext,
  userId: number,
  what: 'added' | 'removed' | 'recovery_code',
): Promise<void> {
  const account = await accountOfId(context, userId)
  if (account === undefined) return
  const left = what === 'recovery_code' ? await recoveryCodesLeft(context, userId) : 0
  const template = new URL('../mails/factor.liquid', import.meta.url)
  await sendMail(context, { template, to: account.email, data: { first_name: greetingOf(account), what, left } })
}
