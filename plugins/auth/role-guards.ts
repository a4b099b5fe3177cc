/**
 * Hooks that guard roles. Roles only have permissions that exist; built-in roles stay, and so do roles that accounts
 * have; nobody reaches above their own role. YAML cannot say it: plugins know the permissions, and YAML knows no order
 * of roles.
 */
import {
  type Actor,
  ApiError,
  type FieldErrors,
  fieldError,
  type HookContext,
  holds,
  invalid,
  type Json,
  type Next,
  nearest,
  type PluginContext,
} from '../../engine/index.ts'
import { type Act, gainedAndLost, note } from './history/acts.ts'
import { authOptions } from './options.ts'
import { noteResponsible } from './program-accounts.ts'
import { labelOf } from './provider/options.ts'
import { addressFrom } from './session.ts'

export interface Role {
  readonly id: number
  readonly slug: string
  readonly permissions: readonly string[]
}

/** One role by its id; undefined when there is none. */
export async function roleOf({ model }: Pick<PluginContext, 'model'>, id: Json | undefined): Promise<Role | undefined> {
  if (typeof id !== 'number') return undefined
  return model('roles').query().findById(id).select('id', 'slug', 'permissions').castTo<Role | undefined>()
}

/**
 * Locks a role until the transaction ends, so that nobody deletes or changes it meanwhile; throws invalid where it is
 * gone.
 */
async function holdRole({ model }: HookContext, id: number): Promise<void> {
  const role = await model('roles').query().modify('live').findById(id).forShare().select('id')
  if (role === undefined) throw invalid({ role_id: [fieldError('invalid_selection', 'The selected role is invalid')] })
}

/** Whether a role is above the actor's own; `ranks` are the built-in slugs, highest first. */
export function isAbove(role: Role, actor: Actor, ranks: readonly string[]): boolean {
  if (actor.kind === 'system') return false
  const [theirs, own] = [ranks.indexOf(role.slug), ranks.indexOf(actor.role ?? '')]
  // A key may have less than the role of its account.
  if (theirs !== -1 && own !== -1 && actor.scope === undefined) return theirs < own
  if (theirs === ranks.length - 1) return false
  // A custom role is above a caller who lacks one of its permissions.
  return role.permissions.some(
    (permission) => !(permission === '*' ? actor.permissions.has('*') : holds(actor, permission)),
  )
}

/** Throws forbidden for a role above the actor's own. */
export function refuseAbove(role: Role | undefined, actor: Actor, ranks: readonly string[], message: string): void {
  if (role !== undefined && isAbove(role, actor, ranks)) throw new ApiError('forbidden', { message })
}

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
  await noteRole(context)
}

/** Who writes, and from where. */
export function authorOf({ caller }: HookContext): Pick<Act, 'by' | 'address'> {
  return { by: caller.kind === 'user' ? caller.id : null, address: addressFrom(caller) }
}

async function noteRole(context: HookContext): Promise<void> {
  const { action, record, result } = context
  const [before, after] = [list(record?.permissions), action === 'delete' ? [] : list(result?.permissions)]
  const details = gainedAndLost(before, after)
  if (action === 'update' && before.join() === after.join() && record?.slug === result?.slug) return
  const act = action === 'create' ? 'role_made' : action === 'delete' ? 'role_removed' : 'role_changed'
  await note(context, { act, ...authorOf(context), role: String(result?.slug ?? record?.slug), details })
}

async function noteUser(context: HookContext): Promise<void> {
  const { action, record, result } = context
  const user = Number((result ?? record)?.id)
  const about = { ...authorOf(context), user }
  if (action === 'delete') return note(context, { act: 'account_removed', ...about })
  const slug = async (id: Json | undefined): Promise<string | null> => (await roleOf(context, id))?.slug ?? null
  if (record === undefined || action === 'restore')
    return note(context, {
      act: 'account_made',
      ...about,
      role: await slug(result?.role_id),
      details: result?.kind === 'service' ? { kind: 'service', responsible: result.responsible_id ?? null } : {},
    })
  await noteResponsible(context, about)
  if (record.role_id !== result?.role_id) {
    const details = { before: await slug(record.role_id) }
    await note(context, { act: 'role_given', ...about, role: await slug(result?.role_id), details })
  }
  if (record.status !== result?.status) {
    const details = { before: record.status ?? null, after: result?.status ?? null }
    await note(context, { act: 'status_changed', ...about, details })
  }
}

async function refuseRemoval({ model, record }: HookContext, builtIn: boolean): Promise<void> {
  if (builtIn) throw new ApiError('conflict', { message: 'A built-in role cannot be deleted' })
  // Locked: a write that gives the role to somebody holds it until its commit, and a later one finds it deleted.
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

/** `auth.guard_user`, around every write to users. */
export async function guardUser(context: HookContext, next: Next): Promise<void> {
  const { roles } = authOptions(context.options)
  const { input, record } = context
  if (typeof input.role_id === 'number' && input.role_id !== record?.role_id) {
    await holdRole(context, input.role_id)
    await refuseMapped(context)
  }
  // Only people with the right to approve write the status.
  if (context.action === 'update' && input.status === 'active') input.self_registered = false
  await refuseReach(context, roles)
  await next()
  await noteUser(context)
}

/** Throws conflict for a role that comes from a provider: its next sign-in would give it back. */
async function refuseMapped({ actor, catalog, model, record }: HookContext): Promise<void> {
  if (actor.kind === 'system' || record === undefined) return
  const found = await model('identities')
    .query()
    .findOne({ user_id: Number(record.id), maps_role: true })
    .select('provider')
  if (found === undefined) return
  const name = String(found.provider)
  const label = labelOf(catalog, name)
  // Without the provider nobody gives it back.
  if (label === undefined) return
  throw new ApiError('conflict', { message: `The role comes from ${label}: change it there` })
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
  // Also a default role: nobody may create an account above their own role that way.
  const { role_id } = await draft()
  if (role_id !== record?.role_id) {
    refuseAbove(await roleOf(context, role_id), actor, ranks, 'You cannot give a role above your own')
  }
}
