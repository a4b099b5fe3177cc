/** The actor of a user named by e-mail address or id, without a session: for people who ask what somebody may do. */
import type { Actor, PluginContext } from '../../engine/index.ts'
import { actorColumns, actorOf } from './actor.ts'
import { authOptions } from './options.ts'

/** The user's actor as of now; null when no live user has that address or id. */
export async function identify({ catalog, database, options }: PluginContext, name: string): Promise<Actor | null> {
  const table = (resource: string): string => `"${catalog.resources.get(resource)!.table}"`
  const live = catalog.resources.get('users')!.fields.has('deleted_at') ? ' and u.deleted_at is null' : ''
  const text = `select null, ${actorColumns(catalog)}
    from ${table('users')} u join ${table('roles')} r on r.id = u.role_id
    where (u.email = $1 or u.id::text = $1)${live}`
  const [row] = await database.adhoc.run({ text }, [name.toLowerCase()])
  return row === undefined ? null : actorOf(row, catalog, authOptions(options).approval)
}
