/** Accounts as the auth plugin looks them up: live ones by their e-mail, and the actors that they are. */
import type { Actor, Catalog, JsonObject, PluginContext, Runner } from '../../engine/index.ts'
import { authOptions } from './options.ts'
import { actorColumns, actorOf, notDeletedSql } from './session.ts'

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

/** The present actor of an address or an id; null where nobody who may sign in has it. */
export async function identify({ catalog, database, options }: PluginContext, name: string): Promise<Actor | null> {
  const { options: own, type } = catalog.resources.get('users')!.fields.get('email')!
  const address = type.parse(name, own)
  const values = ['value' in address ? address.value : name, name]
  const [found] = await findActors(
    { catalog, options, runner: database.adhoc },
    '(u.email = $1 or u.id::text = $2)',
    values,
  )
  return found ?? null
}

interface Asking {
  readonly catalog: Catalog
  readonly options: JsonObject
  readonly runner: Runner
}

/** The actors of those accounts that may sign in now. */
export function actors(asking: Asking, ids: readonly number[]): Promise<readonly Actor[]> {
  return findActors(asking, 'u.id = any($1::integer[])', [ids])
}

/** Reads the same columns as sessions do. */
async function findActors(
  { catalog, options, runner }: Asking,
  condition: string,
  values: readonly unknown[],
): Promise<readonly Actor[]> {
  const users = catalog.resources.get('users')!
  const roles = catalog.resources.get('roles')!
  const text = `select null, ${actorColumns(catalog)}
    from "${users.table}" u join "${roles.table}" r on r.id = u.role_id
    where ${condition} and u.status <> 'declined'${notDeletedSql(users, 'u')}${notDeletedSql(roles, 'r')} order by u.id`
  const own = authOptions(options)
  return (await runner.run({ text }, values)).map((row) => actorOf(row, catalog, own))
}
