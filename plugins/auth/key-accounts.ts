/** Whose keys somebody makes: the own ones, and those of service accounts that have no more rights than the maker. */
import {
  type Actor,
  ApiError,
  allowsOne,
  fieldError,
  holds,
  invalid,
  type JsonObject,
  type Route,
  type RouteContext,
} from '../../engine/index.ts'
import { refuseKeys } from './key.ts'
import { type AuthOptions, authOptions } from './options.ts'
import { isAbove, type Role, refuseAbove, roleOf } from './role-guards.ts'

export const MANAGE = 'keys.manage'

/** Keys make no keys and end none: one that leaked could otherwise outlive its end. */
export const LOOK_AFTER_KEYS = 'look after keys'

/**
 * The account for which the caller makes a key: its own, or a service account that does not have more rights. Throws
 * forbidden for callers who make no such keys, and validation_failed for an account that is none of those.
 */
export async function accountFor(context: RouteContext, keys: AuthOptions['keys']): Promise<Actor> {
  const { actor, body, model, options } = context
  const id = body.user_id ?? null
  if (id === null) {
    if (!allowsOne(keys.for, actor))
      throw new ApiError('forbidden', { message: 'You make keys for service accounts alone' })
    return actor
  }
  if (!holds(actor, MANAGE)) throw new ApiError('forbidden', { message: `You need the permission ${MANAGE}` })
  const found = await model('users').query().modify('live').findById(Number(id)).select('kind', 'role_id')
  const account = found?.kind === 'service' ? (await context.as(Number(id)))?.actor : undefined
  if (found === undefined || account === undefined)
    throw invalid({ user_id: [fieldError('invalid', 'There is no active service account with this id')] })
  const message = 'You cannot make a key for an account whose role is above your own'
  refuseAbove(await roleOf(context, Number(found.role_id)), actor, authOptions(options).roles, message)
  return account
}

/** The most service accounts that are listed. */
const MOST = 100

const ACCOUNT = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    kind: { enum: ['person', 'service'] },
    permissions: { type: 'array', items: { type: 'string' } },
  },
  required: ['id', 'name', 'kind', 'permissions'],
} as const

/** The route with the accounts for which the caller makes keys. */
export function keyAccountsRoute(makers: AuthOptions['keys']['for']): Route {
  return {
    method: 'GET',
    path: '/auth/key-accounts',
    summary: 'The accounts for which the caller makes keys',
    description: `The own one, for those who make keys of their own, and up to ${MOST} active service accounts by name, for those with the permission \`keys.manage\`; each with the permissions that a key of it may have.`,
    tag: 'Authentication',
    access: [...makers, { kind: 'permission', permission: MANAGE }],
    output: { type: 'array', items: ACCOUNT },
    handle: async (context) => {
      const { actor, records } = context
      refuseKeys(actor, LOOK_AFTER_KEYS)
      const own = allowsOne(makers, actor)
        ? [shown(context, await records('users').get(actor.id ?? 0), actor.permissions)]
        : []
      return { data: [...own, ...(holds(actor, MANAGE) ? await serviceAccounts(context) : [])] }
    },
  }
}

async function serviceAccounts(context: RouteContext): Promise<readonly JsonObject[]> {
  const { actor, model, options, records } = context
  const { data } = await records('users', 'system').list({
    kind: 'service',
    per_page: String(MOST),
    sort: 'first_name',
  })
  const active = data.filter(({ status }) => status === 'active')
  const roles = await model('roles')
    .query()
    .findByIds([...new Set(active.map(({ role_id }) => Number(role_id)))])
    .select('id', 'slug', 'permissions')
    .castTo<Role[]>()
  const below = new Map(
    roles.filter((role) => !isAbove(role, actor, authOptions(options).roles)).map((role) => [role.id, role]),
  )
  return active.flatMap((account) => {
    const role = below.get(Number(account.role_id))
    return role === undefined ? [] : [shown(context, account, new Set(role.permissions))]
  })
}

/** An account with its permissions by name; those that `*` means are named too. */
function shown({ catalog }: RouteContext, account: JsonObject, held: ReadonlySet<string>): JsonObject {
  const { id = null, kind = null, name = null } = account
  const permissions = held.has('*') ? ['*', ...[...catalog.permissions.keys()].sort()] : [...held].sort()
  return { id, name, kind, permissions }
}
