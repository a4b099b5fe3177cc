/** Which role stands above which: the built-in ones by their order, others by what they permit. */
import {
  type Actor,
  ApiError,
  fieldError,
  type HookContext,
  holds,
  invalid,
  type Json,
  type PluginContext,
} from '../../engine/index.ts'

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

/** Holds a role until the transaction ends, so that nobody deletes or changes it meanwhile; throws invalid when it is gone. */
export async function holdRole({ model }: HookContext, id: number): Promise<void> {
  const role = await model('roles').query().modify('live').findById(id).forShare().select('id')
  if (role === undefined) throw invalid({ role_id: [fieldError('invalid_selection', 'The selected role is invalid')] })
}

/** Whether a role stands above the actor's own; `ranks` are the built-in slugs, highest first. */
function isAbove(role: Role, actor: Actor, ranks: readonly string[]): boolean {
  if (actor.kind === 'system') return false
  const [theirs, own] = [ranks.indexOf(role.slug), ranks.indexOf(actor.role ?? '')]
  if (theirs !== -1 && own !== -1) return theirs < own
  if (theirs === ranks.length - 1) return false
  // A role made by somebody is above whoever lacks one of its permissions.
  return role.permissions.some(
    (permission) => !(permission === '*' ? actor.permissions.has('*') : holds(actor, permission)),
  )
}

/** Throws forbidden when the role is above the actor's own. */
export function refuseAbove(role: Role | undefined, actor: Actor, ranks: readonly string[], message: string): void {
  if (role !== undefined && isAbove(role, actor, ranks)) throw new ApiError('forbidden', { message })
}
