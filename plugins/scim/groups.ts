/** Routes of groups (RFC 7644, section 3): who is in them, and by that the roles of accounts. */
import { ApiError, type Json, type JsonObject, type Reply, type Route, type RouteContext } from '../../engine/index.ts'
import { addressFrom, note } from '../auth/index.ts'
import {
  answered,
  bodyOf,
  leavesOut,
  listed,
  pageOf,
  placeOf,
  requireVersion,
  resourceOf,
  type Shown,
} from './answer.ts'
import { refused } from './error.ts'
import { plainName } from './filter/parse.ts'
import { findGroups, type Page, type StoredGroup } from './find.ts'
import { elementsOf, patched, type Shape } from './patch.ts'
import { common } from './route.ts'
import { rolesByGroups } from './users.ts'

export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'

type Inner = Parameters<Parameters<RouteContext['transaction']>[0]>[0]

const SHAPE: Shape = {
  known: ['displayname', 'externalid', 'members'],
  several: ['members'],
  complex: [],
  ignored: () => false,
}

function shown(context: Pick<RouteContext, 'settings'>, group: StoredGroup): Shown {
  const { createdAt, displayName, externalId, id, members, updatedAt } = group
  const attributes = {
    schemas: [GROUP_SCHEMA],
    id: String(id),
    ...(externalId !== null && { externalId }),
    displayName,
    ...(members !== undefined && {
      members: members.map((one) => ({
        value: String(one.id),
        display: one.display,
        type: 'User',
        $ref: placeOf(context, `/Users/${one.id}`),
      })),
    }),
  }
  return { type: 'Group', id: String(id), created: createdAt, lastModified: updatedAt, attributes }
}

const ONE: Omit<Page, 'filter'> = { sortBy: null, sortOrder: null, offset: 0, count: 1 }

async function groupOf(
  context: Pick<RouteContext, 'catalog' | 'connection' | 'readable' | 'records'>,
  id: string,
  withMembers = true,
): Promise<StoredGroup> {
  const filter = { kind: 'compare', name: 'id', by: 'eq', value: id } as const
  const [group] = (await findGroups(context, { ...ONE, filter }, withMembers)).all
  if (group === undefined) throw new ApiError('record_not_found', { label: 'Group' })
  return group
}

/** What a group of SCIM says, by attributes in lower case. */
interface Wanted {
  readonly displayName: string
  readonly externalId: string | null
  readonly members: readonly number[]
}

function wantedOf(draft: JsonObject): Wanted {
  const text = (name: string): string | null => {
    const value: Json | undefined = draft[name]
    if (value === undefined || value === null || value === '') return null
    if (typeof value !== 'string' || value.length > 255)
      throw refused('invalidValue', `"${name}" must be text of at most 255 characters`)
    return value
  }
  const displayName = text('displayname')
  if (displayName === null) throw refused('invalidValue', '"displayName" is missing')
  const members = elementsOf(draft.members).map(({ value }) => {
    if (!/^[1-9]\d{0,9}$/.test(String(value)))
      throw refused('invalidValue', `There is no user "${String(value).slice(0, 40)}"`)
    return Number(value)
  })
  return { displayName, externalId: text('externalid'), members: [...new Set(members)] }
}

function sentGroup(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).flatMap(([key, value]) =>
      SHAPE.known.includes(plainName(key)) ? [[plainName(key), value]] : [],
    ),
  )
}

function draftOf({ displayName, externalId, members = [] }: StoredGroup): JsonObject {
  return { displayname: displayName, externalid: externalId, members: members.map(({ id }) => ({ value: String(id) })) }
}

/** Writes a group over what it is, and gives those whom that concerns their roles. */
async function write(inner: Inner, before: StoredGroup | undefined, wanted: Wanted): Promise<StoredGroup> {
  const { model, now } = inner
  const values = { display_name: wanted.displayName, external_id: wanted.externalId }
  await requireFree(inner, wanted.displayName, before?.id ?? 0)
  const changed =
    before === undefined || before.displayName !== wanted.displayName || before.externalId !== wanted.externalId
  const groups = inner.records('scim_groups', 'system')
  const id = before?.id ?? Number((await groups.create(values)).id)
  const present = new Set(before?.members?.map((one) => one.id))
  const added = wanted.members.filter((one) => !present.has(one))
  const removed = [...present].filter((one) => !wanted.members.includes(one))
  await requireUsers(inner, added)
  const stamps = { created_at: now(), updated_at: now() }
  if (added.length > 0)
    await model('scim_members')
      .query()
      .insert(added.map((user_id) => ({ group_id: id, user_id, ...stamps })))
  if (removed.length > 0)
    await model('scim_members').query().where({ group_id: id }).whereIn('user_id', removed).delete()
  if (before !== undefined && (changed || added.length + removed.length > 0))
    await groups.update(id, changed ? values : {}, { fixed: { updated_at: now().toISOString() } })
  if (added.length + removed.length > 0) await noteMembers(inner, wanted.displayName, added, removed)
  const renamed = before !== undefined && before.displayName !== wanted.displayName
  await rolesByGroups(inner, renamed ? new Set([...wanted.members, ...removed]) : [...added, ...removed])
  return groupOf(inner, String(id))
}

async function noteMembers(
  inner: Inner,
  group: string,
  added: readonly number[],
  removed: readonly number[],
): Promise<void> {
  const { actor } = inner
  const details = { group, added: [...added], removed: [...removed] }
  await note(inner, { act: 'group_changed', by: actor.id, provider: 'scim', address: addressFrom(actor), details })
}

/** Throws uniqueness where another group has the name. */
async function requireFree(inner: Inner, displayName: string, own: number): Promise<void> {
  await inner.transaction.knex.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', ['plinth scim groups'])
  const other = await inner
    .model('scim_groups')
    .query()
    .whereNot('id', own)
    .whereRaw('lower(display_name) = ?', [displayName.toLowerCase()])
    .first()
    .select('id')
  if (other !== undefined) throw refused('uniqueness', `There is a group "${displayName}" already`)
}

/** Throws invalidValue for members that are no people whom the caller may see. */
async function requireUsers({ catalog, connection, readable }: Inner, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const values: unknown[] = [ids]
  const { table } = catalog.resources.get('users')!
  const text = `select t.id from "${table}" t where t.id = any($1::integer[]) and t.kind = 'person' and ${readable('users', 't', values)}`
  const there = new Set((await connection.run({ text }, values)).map(([id]) => Number(id)))
  const missing = ids.find((id) => !there.has(id))
  if (missing !== undefined) throw refused('invalidValue', `There is no user "${missing}"`)
}

async function create(context: RouteContext): Promise<Reply> {
  const wanted = wantedOf(sentGroup(bodyOf(context)))
  const group = await context.transaction((inner) => write(inner, undefined, wanted))
  return answered(context, shown(context, group), 201)
}

async function locked(inner: Inner): Promise<StoredGroup> {
  const id = /^[1-9]\d{0,9}$/.test(inner.params.id ?? '') ? inner.params.id! : '0'
  await inner.model('scim_groups').query().whereRaw('id = ?::bigint', [id]).forUpdate().select('id')
  const group = await groupOf(inner, id)
  requireVersion(inner, resourceOf(inner, shown(inner, group)).version)
  return group
}

async function change(context: RouteContext, draft: (before: StoredGroup) => JsonObject): Promise<Reply> {
  const group = await context.transaction(async (inner) => {
    const before = await locked(inner)
    return write(inner, before, wantedOf(draft(before)))
  })
  const attributes = shown(context, leavesOut(context.query, 'members') ? { ...group, members: undefined } : group)
  return answered(context, attributes)
}

async function remove(context: RouteContext): Promise<Reply> {
  await context.transaction(async (inner) => {
    const { displayName, id, members = [] } = await locked(inner)
    const ids = members.map((one) => one.id)
    await inner.model('scim_members').query().where({ group_id: id }).delete()
    await inner.model('scim_groups').query().findById(id).delete()
    await noteMembers(inner, displayName, [], ids)
    await rolesByGroups(inner, ids)
  })
  return { status: 204 }
}

async function list(context: RouteContext): Promise<Reply> {
  const page = pageOf(context.query)
  const { all, total } = await findGroups(context, page, !leavesOut(context.query, 'members'))
  return listed(context, page, { total, all: all.map((group) => shown(context, group)) })
}

const ONE_GROUP = '/scim/v2/Groups/{id}'

export const groupRoutes: readonly Route[] = [
  { ...common, method: 'GET', path: '/scim/v2/Groups', summary: 'Groups by SCIM', handle: list },
  {
    ...common,
    method: 'POST',
    path: '/scim/v2/Groups',
    summary: 'Make a group by SCIM',
    body: 'raw',
    status: 201,
    handle: create,
  },
  {
    ...common,
    method: 'GET',
    tagged: true,
    path: ONE_GROUP,
    summary: 'One group by SCIM',
    handle: async (context) => {
      const withMembers = !leavesOut(context.query, 'members')
      return answered(context, shown(context, await groupOf(context, context.params.id ?? '', withMembers)))
    },
  },
  {
    ...common,
    method: 'PUT',
    path: ONE_GROUP,
    summary: 'Write all of a group by SCIM',
    body: 'raw',
    versioned: true,
    handle: (context) => {
      const sent = sentGroup(bodyOf(context))
      return change(context, (before) => ({ externalid: before.externalId, ...sent }))
    },
  },
  {
    ...common,
    method: 'PATCH',
    path: ONE_GROUP,
    summary: 'Change a group by SCIM',
    body: 'raw',
    versioned: true,
    handle: (context) => {
      const body = bodyOf(context)
      return change(context, (before) => patched(draftOf(before), body, SHAPE))
    },
  },
  {
    ...common,
    method: 'DELETE',
    path: ONE_GROUP,
    summary: 'Delete a group by SCIM',
    versioned: true,
    status: 204,
    handle: remove,
  },
]
