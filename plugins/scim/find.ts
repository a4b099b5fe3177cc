/** ⇄ Accounts and groups as SCIM reads them: within what the caller may read, by filters, in pages. */
import type { Catalog, JsonObject, PluginContext } from '../../engine/index.ts'
import type { Filter } from './filter/parse.ts'
import { type Attribute, filterSql, type Known, orderSql, type Several } from './filter/sql.ts'
import type { StoredUser } from './user.ts'

type Reading = Pick<PluginContext, 'catalog' | 'connection' | 'readable' | 'records'>

/** The part of a list that a client asks for. */
export interface Page {
  readonly filter: Filter | undefined
  readonly sortBy: string | null
  readonly sortOrder: string | null
  readonly offset: number
  readonly count: number
}

export interface Found<T> {
  readonly total: number
  readonly all: readonly T[]
}

function tables({ resources }: Catalog) {
  const table = (name: string): string => `"${resources.get(name)!.table}"`
  return { users: table('users'), groups: table('scim_groups'), members: table('scim_members') }
}

const exact = (sql: string): Attribute => ({ sql, type: 'exact' })
const text = (sql: string): Attribute => ({ sql, type: 'text' })
const MOMENTS = [
  ['meta.created', { sql: 't.created_at', type: 'moment' }],
  ['meta.lastmodified', { sql: 't.updated_at', type: 'moment' }],
] as const

/** What can be asked of users. */
export function knownUsers(catalog: Catalog): Known {
  const { fields } = catalog.resources.get('users')!
  const column = (name: string): string => `t."${fields.get(name)!.column}"`
  const [email, key] = [column('email'), column('scim_user_key')]
  const named: readonly (readonly [string, string])[] = [
    ['name.givenname', 'first_name'],
    ['name.familyname', 'last_name'],
  ]
  const names = named.flatMap(([name, field]) => (fields.has(field) ? [[name, column(field)] as const] : []))
  const whole = names.length === 2 ? `(${names.map(([, sql]) => sql).join(" || ' ' || ")})` : email
  return {
    attributes: new Map<string, Attribute>([
      ['id', exact('t.id::text')],
      ['externalid', exact(column('scim_external_id'))],
      [
        'username',
        {
          ...text(`coalesce(${key}, ${email})`),
          // As indexes know them.
          equals: (value) => `(${key} = ${value} or (${key} is null and ${email} = ${value}))`,
        },
      ],
      ...names.map(([name, sql]) => [name, text(sql)] as const),
      ['name.formatted', text(whole)],
      ['displayname', text(whole)],
      ['active', { sql: `(${column('status')} <> 'declined')`, type: 'boolean' }],
      ...MOMENTS,
    ]),
    several: new Map([
      ['emails', addressOf(email)],
      ['groups', groupsOf(catalog)],
    ]),
  }
}

/** The one address of an account. */
function addressOf(email: string): Several {
  return {
    some: (condition) => condition,
    attributes: new Map<string, Attribute>([
      ['value', { ...text(email), equals: (value) => `${email} = ${value}` }],
      ['type', text("'work'::text")],
      ['primary', { sql: 'true', type: 'boolean' }],
    ]),
  }
}

function groupsOf(catalog: Catalog): Several {
  const { groups, members } = tables(catalog)
  return {
    some: (condition) =>
      `exists (select from ${members} m join ${groups} g on g.id = m.group_id where m.user_id = t.id and ${condition})`,
    attributes: new Map<string, Attribute>([
      ['value', exact('g.id::text')],
      ['display', text('g.display_name')],
    ]),
  }
}

/** What can be asked of groups. */
export function knownGroups(catalog: Catalog): Known {
  const { members } = tables(catalog)
  return {
    attributes: new Map<string, Attribute>([
      ['id', exact('t.id::text')],
      ['externalid', exact('t.external_id')],
      ['displayname', text('t.display_name')],
      ...MOMENTS,
    ]),
    several: new Map([
      [
        'members',
        {
          some: (condition) => `exists (select from ${members} m where m.group_id = t.id and ${condition})`,
          attributes: new Map([['value', exact('m.user_id::text')]]),
        },
      ],
    ]),
  }
}

async function count({ connection }: Reading, from: string, values: readonly unknown[]): Promise<number> {
  const [row] = await connection.run({ text: `select count(*) ${from}` }, values)
  return Number(row?.[0] ?? 0)
}

/** The users of a page, and how many there are. */
export async function findUsers(context: Reading, page: Page): Promise<Found<StoredUser>> {
  const { catalog, connection, readable } = context
  const { groups, members, users } = tables(catalog)
  const known = knownUsers(catalog)
  const values: unknown[] = []
  const within = readable('users', 't', values)
  const asked = page.filter === undefined ? 'true' : filterSql(known, page.filter, values)
  const from = `from ${users} t where ${within} and ${asked} and t.kind = 'person'`
  const total = await count(context, from, values)
  if (page.count === 0 || page.offset >= total) return { total, all: [] }
  const sql = `select t.id, coalesce(t.scim_user_name, t.email), t.scim_external_id,
      (select json_agg(json_build_object('value', g.id::text, 'display', g.display_name, 'type', 'direct') order by g.id)
        from ${members} m join ${groups} g on g.id = m.group_id where m.user_id = t.id)
    ${from} order by ${orderSql(known, page.sortBy, page.sortOrder)} limit ${page.count} offset ${page.offset}`
  const rows = await connection.run({ text: sql }, values)
  const ids = rows.map(([id]) => String(id))
  const { data } = await context.records('users').list({ id: ids.join(','), per_page: String(ids.length) })
  const records = new Map(data.map((record) => [String(record.id), record as JsonObject]))
  return {
    total,
    all: rows.flatMap(([id, userName, externalId, list]) => {
      const record = records.get(String(id))
      return record === undefined
        ? []
        : [{ record, userName: String(userName), externalId: externalId ?? null, groups: listIn(list) }]
    }),
  }
}

/** A list that SQL made as JSON. */
function listIn<T>(list: string | null | undefined): readonly T[] {
  return typeof list === 'string' ? JSON.parse(list) : []
}

interface Member {
  readonly id: number
  readonly display: string
}

/** A group as it was read; without its members where they are not asked for. */
export interface StoredGroup {
  readonly id: number
  readonly displayName: string
  readonly externalId: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly members: readonly Member[] | undefined
}

/** The groups of a page, and how many there are; `withMembers` reads those members that the caller may read. */
export async function findGroups(context: Reading, page: Page, withMembers: boolean): Promise<Found<StoredGroup>> {
  const { catalog, connection, readable } = context
  const { groups, members, users } = tables(catalog)
  const known = knownGroups(catalog)
  const values: unknown[] = []
  const asked = page.filter === undefined ? 'true' : filterSql(known, page.filter, values)
  const from = `from ${groups} t where ${asked}`
  const total = await count(context, from, values)
  if (page.count === 0 || page.offset >= total) return { total, all: [] }
  const list = withMembers
    ? `(select json_agg(json_build_object('id', u.id, 'display', coalesce(u.scim_user_name, u.email)) order by u.id)
        from ${members} m join ${users} u on u.id = m.user_id where m.group_id = t.id and ${readable('users', 'u', values)})`
    : 'null'
  const moment = (column: string): string => `to_json(t.${column} at time zone 'utc') #>> '{}'`
  const sql = `select t.id, t.display_name, t.external_id, ${moment('created_at')}, ${moment('updated_at')}, ${list}
    ${from} order by ${orderSql(known, page.sortBy, page.sortOrder)} limit ${page.count} offset ${page.offset}`
  const rows = await connection.run({ text: sql }, values)
  const all = rows.map(([id, displayName, externalId, createdAt, updatedAt, found]) => ({
    id: Number(id),
    displayName: String(displayName),
    externalId: externalId ?? null,
    createdAt: `${createdAt}Z`,
    updatedAt: `${updatedAt}Z`,
    members: withMembers ? listIn<Member>(found) : undefined,
  }))
  return { total, all }
}
