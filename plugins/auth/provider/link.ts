/** Whether the address that a provider names may open an account that is there. */
import { createHash } from 'node:crypto'
import type { PluginContext } from '../../../engine/index.ts'
import { sendMails } from '../../mail/index.ts'
import { type Account, greetingOf } from '../account.ts'
import { ownOptions } from '../options.ts'
import type { Claims } from './claims.ts'
import type { Refusal } from './mapping.ts'
import type { Provider } from './options.ts'

/**
 * Why an identity is not linked to the account that has its address; undefined where it is. `role` is the one that the
 * mapping gives. The owner of the account is told by mail.
 */
export async function refuseLink(
  context: PluginContext,
  provider: Provider,
  claims: Claims,
  account: Account,
  role: string | undefined,
): Promise<Refusal | undefined> {
  const domain = account.email.slice(account.email.lastIndexOf('@') + 1)
  if (account.status === 'declined') return 'declined'
  if (account.kind === 'service') return 'address_unproved'
  if (!claims.isVerified || !provider.trusted.includes(domain)) return told(context, provider, account, 'address_taken')
  // Somebody else may have opened it with this address, and would share it from now on.
  if (!account.email_verified) return 'address_unproved'
  const free = !(await hasFactor(context, account.id)) && (await givesAll(context, account.id, role))
  return free ? undefined : told(context, provider, account, 'address_taken')
}

async function hasFactor({ model }: PluginContext, account: number): Promise<boolean> {
  return (await model('factors').query().where({ user_id: account }).whereNotNull('confirmed_at').first()) !== undefined
}

/** Whether the role that the mapping gives has every permission that the account has now. */
async function givesAll(
  { catalog, model }: PluginContext,
  account: number,
  given: string | undefined,
): Promise<boolean> {
  const slug = given ?? ownOptions({ catalog }).roles.at(-1) ?? ''
  const roles = () => model('roles').query().modify('live')
  const mapped = await roles().findOne({ slug }).select('permissions')
  const own = await roles()
    .findOne({ id: model('users').query().findById(account).select('role_id') })
    .select('permissions')
  const permissions = (row: typeof own): readonly string[] =>
    Array.isArray(row?.permissions) ? row.permissions.map(String) : []
  const held = new Set(permissions(mapped))
  return held.has('*') || permissions(own).every((permission) => held.has(permission))
}

/** Mails the owner of an account, at most once a day: anybody can make a provider name their address. */
async function told(context: PluginContext, provider: Provider, account: Account, why: Refusal): Promise<Refusal> {
  const day = context.now().toISOString().slice(0, 10)
  const template = new URL('../mails/provider_refused.liquid', import.meta.url)
  const data = { first_name: greetingOf(account), provider: provider.label }
  await sendMails(context, [{ template, to: account.email, data, id: idOf(`${day} ${account.id} ${provider.name}`) }])
  return why
}

/** The same UUID for the same text. */
function idOf(text: string): string {
  const hex = createHash('sha256').update(`plinth auth provider ${text}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
