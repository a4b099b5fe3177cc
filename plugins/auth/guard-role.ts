/**
 * Hook: roles hold only permissions that exist, built-in roles stay, and so do roles that somebody has. YAML cannot say it:
 * which permissions there are is known from the plugins.
 */
import {
  ApiError,
  type FieldErrors,
  type HookContext,
  holds,
  invalid,
  type Json,
  type Next,
  nearest,
} from '../../engine/index.ts'
import { authOptions } from './options.ts'
import { refuseAbove } from './rank.ts'

/** `auth.guard_role`, around every write to roles. */
export async function guardRole(context: HookContext, next: Next): Promise<void> {
  const { action, actor, draft, options, record } = context
  if (record !== undefined) {
    const role = { id: Number(record.id), slug: String(record.slug), permissions: list(record.permissions) }
    refuseAbove(role, actor, authOptions(options).roles, 'You cannot change a role above your own')
  }
  const builtIn = record !== undefined && authOptions(options).roles.includes(String(record.slug))
  if (action === 'delete') await refuseRemoval(context, builtIn)
  const { permissions, slug } = await draft()
  if (builtIn && slug !== record.slug) {
    throw new ApiError('conflict', { message: 'The slug of a built-in role cannot change' })
  }
  if (action !== 'delete') checkPermissions(context, list(permissions), list(record?.permissions))
  await next()
}

async function refuseRemoval({ model, record }: HookContext, builtIn: boolean): Promise<void> {
  if (builtIn) throw new ApiError('conflict', { message: 'A built-in role cannot be deleted' })
  // Locked: a write that gives the role holds it until its commit, and one that comes later finds it deleted.
  const id = Number(record?.id)
  await model('roles').query().findById(id).forUpdate().select('id')
  const total = await model('users').query().modify('live').where({ role_id: id }).resultSize()
  if (total > 0)
    throw new ApiError('conflict', { message: `The role is in use by ${total} ${total === 1 ? 'user' : 'users'}` })
}

function checkPermissions(
  { actor, catalog, options, record }: HookContext,
  wanted: readonly string[],
  stored: readonly string[],
): void {
  if (record?.slug === authOptions(options).roles[0] && stored.includes('*') && !wanted.includes('*')) {
    throw new ApiError('conflict', { message: 'The highest role keeps every permission' })
  }
  const errors: Record<string, string[]> = {}
  for (const [index, permission] of wanted.entries()) {
    if (permission === '*' || catalog.permissions.has(permission) || stored.includes(permission)) continue
    const near = nearest(permission, [...catalog.permissions.keys()])
    errors[`permissions.${index}`] = [
      `There is no permission "${permission.slice(0, 100)}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
    ]
  }
  if (Object.keys(errors).length > 0) throw invalid(errors satisfies FieldErrors)
  const lacks = (permission: string): boolean =>
    !(permission === '*' ? actor.kind === 'system' || actor.permissions.has('*') : holds(actor, permission))
  const given = wanted.find((permission) => !stored.includes(permission) && lacks(permission))
  const taken = stored.find((permission) => !wanted.includes(permission) && lacks(permission))
  const which = given ?? taken
  if (which !== undefined) {
    const verb = which === given ? 'give' : 'take away'
    throw new ApiError('forbidden', { message: `You cannot ${verb} the permission ${which}, which you do not have` })
  }
}

function list(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}
