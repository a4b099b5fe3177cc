/** Which role stands above which: the built-in ones by their order, others by what they permit. */
import { type Actor, ApiError, type Catalog, holds, invalid, type Json, type Transaction } from '../../engine/index.ts'

export interface Role {
  readonly id: number
  readonly slug: string
  readonly permissions: readonly string[]
}

/** One role by its id; undefined when there is none. */
export async function roleOf(
  catalog: Catalog,
  transaction: Transaction,
  id: Json | undefined,
): Promise<Role | undefined> {
  if (typeof id !== 'number') return undefined
  const table = catalog.resources.get('roles')!.table
  return transaction.knex<Role>(table).select('id', 'slug', 'permissions').where({ id }).first()
}

/** Holds a role until the transaction ends, so that nobody deletes or changes it meanwhile; throws invalid when it is gone. */
export async function holdRole(catalog: Catalog, { knex }: Transaction, id: number): Promise<void> {
  const roles = catalog.resources.get('roles')!
  const query = knex(roles.table).where({ id }).forShare()
  if (roles.fields.has('deleted_at')) query.whereNull('deleted_at')
  if ((await query.first('id')) === undefined) throw invalid({ role_id: ['The selected role is invalid'] })
}

/** Whether a role stands above the actor's own; `ranks` are the built-in slugs, highest first. */
export function isAbove(role: Role, actor: Actor, ranks: readonly string[]): boolean {
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
