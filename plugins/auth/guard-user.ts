/** Hook: nobody reaches above their own role, or deletes themself. YAML knows no order of roles, and no rule knows who writes. */
import { ApiError, type HookContext, type Next } from '../../engine/index.ts'
import { authOptions } from './options.ts'
import { holdRole, refuseAbove, roleOf } from './rank.ts'

/** `auth.guard_user`, around every write to users. */
export async function guardUser(context: HookContext, next: Next): Promise<void> {
  const { roles } = authOptions(context.options)
  const { input, record } = context
  if (typeof input.role_id === 'number' && input.role_id !== record?.role_id) {
    await holdRole(context, input.role_id)
  }
  // Only those with the right to approve write the status.
  if (context.action === 'update' && input.status === 'active') input.self_registered = false
  await refuseReach(context, roles)
  await next()
}

async function refuseReach(context: HookContext, ranks: readonly string[]): Promise<void> {
  const { action, actor, draft, record } = context
  if (actor.kind === 'system') return
  const own = record !== undefined && record.id === actor.id
  if (own && action === 'delete') throw new ApiError('forbidden', { message: 'You cannot delete your own account' })
  if (record !== undefined && !own) {
    const role = await roleOf(context, record.role_id)
    refuseAbove(role, actor, ranks, 'You cannot change a user whose role is above your own')
  }
  // Also a role that nobody named: who may create accounts must not get one above by the default.
  const { role_id } = await draft()
  if (role_id !== record?.role_id) {
    refuseAbove(await roleOf(context, role_id), actor, ranks, 'You cannot give a role above your own')
  }
}
