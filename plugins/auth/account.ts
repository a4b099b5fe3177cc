/** Accounts as the auth plugin looks them up: live ones, by their e-mail. */
import type { PluginContext } from '../../engine/index.ts'

export interface Account {
  readonly id: number
  readonly first_name: string
  readonly email: string
  readonly email_verified: boolean
  readonly status: string
  readonly password_hash: string | null
  /** Null when its role was deleted: then it cannot sign in until it gets another. */
  readonly role: string | null
}

/** The live account with this e-mail, in lower case as all are stored. */
export async function accountOf({ model }: Pick<PluginContext, 'model'>, email: string): Promise<Account | undefined> {
  return model('users')
    .query()
    .alias('u')
    .modify('live')
    .leftJoinRelated('role(live)')
    .findOne({ 'u.email': email.toLowerCase() })
    .select('u.id', 'u.first_name', 'u.email', 'u.email_verified', 'u.status', 'u.password_hash', 'role.slug as role')
    .castTo<Account | undefined>()
}
