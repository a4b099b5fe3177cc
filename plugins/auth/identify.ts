/** Users as actors without a session: one whom somebody names, for people who ask what it may do, and many by id. */
import type { Actor, Catalog, JsonObject, PluginContext, Runner } from '../../engine/index.ts'
import { actorColumns, actorOf, notDeletedSql } from './actor.ts'
import { authOptions } from './options.ts'

/** The user's actor as of now; null when nobody who may sign in has that address or id. */
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

/** The actors of those accounts that may sign in by now. */
export function actors(asking: Asking, ids: readonly number[]): Promise<readonly Actor[]> {
  return findActors(asking, 'u.id = any($1::integer[])', [ids])
}

/** SQL, so that actors are made of the same columns as those of a session. */
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
