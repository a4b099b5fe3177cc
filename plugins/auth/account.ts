/** One account as the auth plugin looks it up: by its e-mail, among the live ones. */
import type { Database, PluginContext } from '../../engine/index.ts'

export interface Account {
  readonly id: number
  readonly first_name: string
  readonly email: string
  readonly email_verified: boolean
  readonly status: string
  readonly password_hash: string | null
}

/** The live account with this e-mail, in lower case as all are stored; inside a transaction where its `knex` is given. */
export async function accountOf(
  { catalog, database }: Pick<PluginContext, 'catalog' | 'database'>,
  email: string,
  knex: Database['knex'] = database.knex,
): Promise<Account | undefined> {
  const users = catalog.resources.get('users')!
  const query = knex<Account>(users.table).where('email', email.toLowerCase())
  if (users.fields.has('deleted_at')) query.whereRaw('deleted_at is null')
  return query.first('id', 'first_name', 'email', 'email_verified', 'status', 'password_hash')
}
