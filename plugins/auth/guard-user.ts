/** Hook: nobody reaches above their own role, deletes themself, or leaves the application without an admin. */
import { ApiError, type Catalog, type Database, type HookContext, type Next } from '../../engine/index.ts'
import { authOptions } from './options.ts'
import { holdRole, refuseAbove, roleOf } from './rank.ts'

/** `auth.guard_user`, around every write to users. */
export async function guardUser(context: HookContext, next: Next): Promise<void> {
  const { roles } = authOptions(context.options)
  const top = roles[0] ?? ''
  const { catalog, input, record, transaction } = context
  if (typeof input.role_id === 'number' && input.role_id !== record?.role_id) {
    await holdRole(catalog, transaction, input.role_id)
  }
  await refuseReach(context, roles)
  const admin = await wasAdmin(context, top)
  await next()
  if (admin && (await countAdmins(catalog, transaction, top)) === 0) {
    throw new ApiError('conflict', { message: 'This is the last active admin: make somebody else admin first' })
  }
}

async function refuseReach(context: HookContext, ranks: readonly string[]): Promise<void> {
  const { action, actor, catalog, draft, record, transaction } = context
  if (actor.kind === 'system') return
  const own = record !== undefined && record.id === actor.id
  if (own && action === 'delete') throw new ApiError('forbidden', { message: 'You cannot delete your own account' })
  if (record !== undefined && !own) {
    const role = await roleOf(catalog, transaction, record.role_id)
    refuseAbove(role, actor, ranks, 'You cannot change a user whose role is above your own')
  }
  // Also a role that nobody named: who may create accounts must not get one above by the default.
  const { role_id } = await draft()
  if (role_id !== record?.role_id) {
    refuseAbove(await roleOf(catalog, transaction, role_id), actor, ranks, 'You cannot give a role above your own')
  }
}

/** Whether the write concerns an active admin; then others of its kind wait until this one has committed. */
async function wasAdmin({ action, catalog, record, transaction }: HookContext, top: string): Promise<boolean> {
  if (action === 'create' || action === 'restore' || record?.status === 'declined') return false
  if ((await roleOf(catalog, transaction, record?.role_id))?.slug !== top) return false
  // Two admins who remove each other at the same moment would each still see the other.
  await transaction.knex.raw(`select pg_advisory_xact_lock(hashtext('plinth auth admins'))`)
  return true
}

/** How many live users with the highest role may sign in. */
export async function countAdmins(catalog: Catalog, { knex }: Pick<Database, 'knex'>, top: string): Promise<number> {
  const [users, roles] = [catalog.resources.get('users')!, catalog.resources.get('roles')!]
  const query = knex(`${users.table} as u`)
    .join(`${roles.table} as r`, 'r.id', 'u.role_id')
    .where('r.slug', top)
    .whereNot('u.status', 'declined')
    .count({ admins: '*' })
  if (users.fields.has('deleted_at')) query.whereNull('u.deleted_at')
  const [row] = await query
  return Number(row?.admins ?? 0)
}
