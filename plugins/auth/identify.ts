/** The actor of a user named by e-mail address or id, without a session: for people who ask what somebody may do. */
import type { Actor, PluginContext } from '../../engine/index.ts'
import { actorColumns, actorOf } from './actor.ts'
import { authOptions } from './options.ts'

/** The user's actor as of now; null when nobody who may sign in has that address or id. */
export async function identify({ catalog, database, options }: PluginContext, name: string): Promise<Actor | null> {
  const users = catalog.resources.get('users')!
  const roles = catalog.resources.get('roles')!
  const alive = [...(users.fields.has('deleted_at') ? ['u'] : []), ...(roles.fields.has('deleted_at') ? ['r'] : [])]
  // SQL, so that the actor is made of the same columns as a session's.
  const text = `select null, ${actorColumns(catalog)}
    from "${users.table}" u join "${roles.table}" r on r.id = u.role_id
    where (u.email = $1 or u.id::text = $2) and u.status <> 'declined'
      ${alive.map((alias) => `and ${alias}.deleted_at is null`).join(' ')}`
  const { options: own, type } = users.fields.get('email')!
  const address = type.parse(name, own)
  const [row] = await database.adhoc.run({ text }, ['value' in address ? address.value : name, name])
  return row === undefined ? null : actorOf(row, catalog, authOptions(options).approval)
}
