/** Routes of users (RFC 7644, section 3): each write is an ordinary write of the caller, in one transaction. */
import { ApiError, type JsonObject, type Reply, type Route, type RouteContext } from '../../engine/index.ts'
import { addressFrom } from '../auth/index.ts'
import { answered, bodyOf, listed, pageOf, requireVersion, resourceOf, type Shown } from './answer.ts'
import { refused } from './error.ts'
import { findUsers, type Page } from './find.ts'
import { scimOptions } from './options.ts'
import { patched } from './patch.ts'
import { firstRole, giveRoles } from './role.ts'
import { common } from './route.ts'
import { changesFor, draftOf, type StoredUser, sentUser, shownUser, USER_SHAPE, wantedOf } from './user.ts'

type Inner = Parameters<Parameters<RouteContext['transaction']>[0]>[0]

function shown(user: StoredUser): Shown {
  const { created_at: created, id, updated_at: lastModified } = user.record
  return { type: 'User', id: String(id), created, lastModified, attributes: shownUser(user) }
}

/** The user of the id in the path; throws record_not_found. */
async function userIn(
  context: Pick<RouteContext, 'catalog' | 'connection' | 'params' | 'readable' | 'records'>,
): Promise<StoredUser> {
  return userOf(context, context.params.id ?? '')
}

const ONE: Omit<Page, 'filter'> = { sortBy: null, sortOrder: null, offset: 0, count: 1 }

async function userOf(
  context: Pick<RouteContext, 'catalog' | 'connection' | 'readable' | 'records'>,
  id: string,
): Promise<StoredUser> {
  const filter = { kind: 'compare', name: 'id', by: 'eq', value: id } as const
  const [user] = (await findUsers(context, { ...ONE, filter })).all
  if (user === undefined) throw new ApiError('record_not_found', { label: 'User' })
  return user
}

/** What only a directory knows; read-only, so it is written besides the values. */
function known({
  externalId,
  userName,
}: {
  readonly externalId: string | null
  readonly userName: string
}): JsonObject {
  return { scim_user_name: userName, scim_user_key: userName.toLowerCase(), scim_external_id: externalId }
}

/** Throws uniqueness where another account has the user name. */
async function requireFree(inner: Inner, userName: string, own: number | null): Promise<void> {
  const key = userName.toLowerCase()
  // One after the other: simultaneous requests would each find none.
  await inner.transaction.knex.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`plinth scim ${key}`])
  const other = await inner
    .model('users')
    .query()
    .modify('live')
    .whereNot('id', own ?? 0)
    .where((either) =>
      either.where('scim_user_key', key).orWhere((none) => none.whereNull('scim_user_key').where('email', key)),
    )
    .first()
    .select('id')
  if (other !== undefined) throw refused('uniqueness', `Another account has the userName "${userName}"`)
}

async function create(context: RouteContext): Promise<Reply> {
  const wanted = wantedOf(context.catalog, sentUser(bodyOf(context)), undefined)
  const user = await context.transaction(async (inner) => {
    await requireFree(inner, wanted.userName, null)
    const { invite } = scimOptions(inner.options)
    const body = { ...changesFor(wanted, undefined), ...(await firstRole(inner)), invite }
    const made = await inner.records('users').create(body, known(wanted))
    return userOf(inner, String(made.id))
  })
  return answered(context, shown(user), 201)
}

/** Writes a user of SCIM over the account of the path; `draft` is made of what the account is. */
async function change(context: RouteContext, draft: (before: StoredUser) => JsonObject): Promise<Reply> {
  const user = await context.transaction(async (inner) => {
    const before = await locked(inner)
    const id = Number(before.record.id)
    const wanted = wantedOf(inner.catalog, draft(before), before)
    await requireFree(inner, wanted.userName, id)
    const changes = changesFor(wanted, before)
    const fixed = known(wanted)
    const isSame = before.userName === wanted.userName && before.externalId === wanted.externalId
    if (Object.keys(changes).length > 0 || !isSame) await inner.records('users').update(id, changes, { fixed })
    return userOf(inner, String(id))
  })
  return answered(context, shown(user))
}

/** The user of the path, which nobody else changes meanwhile, in the version that the request names. */
async function locked(inner: Inner): Promise<StoredUser> {
  const id = /^[1-9]\d{0,9}$/.test(inner.params.id ?? '') ? inner.params.id! : '0'
  await inner.model('users').query().whereRaw('id = ?::bigint', [id]).forUpdate().select('id')
  const user = await userIn(inner)
  requireVersion(inner, resourceOf(inner, shown(user)).version)
  return user
}

async function remove(context: RouteContext): Promise<Reply> {
  await context.transaction(async (inner) => {
    const { record } = await locked(inner)
    // Their names are free for a person who comes back under a new account.
    await inner
      .model('scim_members')
      .query()
      .where({ user_id: Number(record.id) })
      .delete()
    await inner.model('users').query().findById(Number(record.id)).patch({ scim_user_name: null, scim_user_key: null })
    await inner.records('users').delete(Number(record.id))
  })
  return { status: 204 }
}

async function list(context: RouteContext, query = context.query): Promise<Reply> {
  const page = pageOf(query)
  const { all, total } = await findUsers(context, page)
  return listed({ ...context, query }, page, { total, all: all.map(shown) })
}

const ONE_USER = '/scim/v2/Users/{id}'

export const userRoutes: readonly Route[] = [
  { ...common, method: 'GET', path: '/scim/v2/Users', summary: 'Users by SCIM', handle: (context) => list(context) },
  {
    ...common,
    method: 'POST',
    path: '/scim/v2/Users',
    summary: 'Make an account by SCIM',
    body: 'raw',
    status: 201,
    handle: create,
  },
  {
    ...common,
    method: 'GET',
    tagged: true,
    path: ONE_USER,
    summary: 'One user by SCIM',
    handle: async (context) => answered(context, shown(await userIn(context))),
  },
  {
    ...common,
    method: 'PUT',
    path: ONE_USER,
    summary: 'Write all of an account by SCIM',
    body: 'raw',
    versioned: true,
    handle: (context) => {
      const sent = sentUser(bodyOf(context))
      return change(context, (before) => ({ externalid: before.externalId, ...sent }))
    },
  },
  {
    ...common,
    method: 'PATCH',
    path: ONE_USER,
    summary: 'Change an account by SCIM',
    description: '`active: false` declines the account, which ends its sessions and keys at once.',
    body: 'raw',
    versioned: true,
    handle: (context) => {
      const body = bodyOf(context)
      return change(context, (before) => patched(draftOf(before), body, USER_SHAPE))
    },
  },
  {
    ...common,
    method: 'DELETE',
    path: ONE_USER,
    summary: 'Delete an account by SCIM',
    versioned: true,
    status: 204,
    handle: remove,
  },
]

/** Gives accounts the roles of their groups, from where the request came. */
export function rolesByGroups(inner: Inner, accounts: Iterable<number>): Promise<void> {
  return giveRoles(inner, accounts, addressFrom(inner.actor))
}
