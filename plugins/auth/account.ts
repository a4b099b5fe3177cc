/** One account as the auth plugin looks it up: by its e-mail, among the live ones. */
import type { PluginContext } from '../../engine/index.ts'

export interface Account {
  readonly id: number
  readonly first_name: string
  readonly email: string
  readonly status: string
  readonly password_hash: string | null
}

/** The live account with this e-mail, in lower case as all are stored. */
export async function accountOf({ catalog, database }: PluginContext, email: string): Promise<Account | undefined> {
  const users = catalog.resources.get('users')!
  const query = database.knex<Account>(users.table).where('email', email.toLowerCase())
  if (users.fields.has('deleted_at')) query.whereRaw('deleted_at is null')
  return query.first('id', 'first_name', 'email', 'status', 'password_hash')
}
