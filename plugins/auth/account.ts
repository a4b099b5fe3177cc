/** One account as the auth plugin looks it up: by its e-mail, among the live ones. */
import type { Database, PluginContext } from '../../engine/index.ts'

export interface Account {
  readonly id: number
  readonly first_name: string
  readonly email: string
  readonly email_verified: boolean
  readonly status: string
  readonly password_hash: string | null
  /** Null when its role was deleted: then it can't sign in until it gets another. */
  readonly role: string | null
}

/** The live account with this e-mail, in lower case as all are stored; inside a transaction where its `knex` is given. */
export async function accountOf(
  { catalog, database }: Pick<PluginContext, 'catalog' | 'database'>,
  email: string,
  knex: Database['knex'] = database.knex,
): Promise<Account | undefined> {
  const [users, roles] = [catalog.resources.get('users')!, catalog.resources.get('roles')!]
  const query = knex(`${users.table} as u`)
    .leftJoin(`${roles.table} as r`, (join) => {
      join.on('r.id', 'u.role_id')
      if (roles.fields.has('deleted_at')) join.onNull('r.deleted_at')
    })
    .where('u.email', email.toLowerCase())
  if (users.fields.has('deleted_at')) query.whereNull('u.deleted_at')
  return query.first(
    'u.id',
    'u.first_name',
    'u.email',
    'u.email_verified',
    'u.status',
    'u.password_hash',
    'r.slug as role',
  )
}
