/** Finds people by their accounts, roles and permissions, together with the channels that they chose, by one statement. */
import type { ListenerContext, Row } from '../../../engine/index.ts'
import { customerRole } from '../tickets/customer.ts'
import { isReach, type Reach } from './reach.ts'

export interface Person {
  readonly id: number
  readonly email: string
  readonly firstName: string
  readonly name: string
  /** Whether this is a customer, whose address is trusted only once it is confirmed. */
  readonly customer: boolean
  readonly verified: boolean
  /** Whether the account exists and was not declined; of the others only the name is used. */
  readonly live: boolean
  /** The language that they read; undefined: they have chosen none. */
  readonly language: string | undefined
  readonly reachOf: (kind: string) => Reach
}

/** Everybody with one of the roles, or with the permission; `needs`: of those, only people with this permission too. */
export interface Group {
  readonly roles: readonly string[]
  readonly permission: string | null
  readonly needs?: string
}

export interface Wanted {
  readonly accounts: readonly number[]
  readonly groups: readonly Group[]
  /** The kinds whose settings are read. */
  readonly kinds: readonly string[]
}

export interface People {
  readonly byId: ReadonlyMap<number, Person>
  /** The members of each group, by their ids. */
  readonly members: readonly (readonly number[])[]
}

type Context = Pick<ListenerContext, 'catalog' | 'transaction'>

/** Finds people by their ids and by their roles or permissions. */
export async function peopleOf({ catalog, transaction }: Context, wanted: Wanted): Promise<People> {
  const { accounts, groups, kinds } = wanted
  const members = groups.map((): number[] => [])
  const byId = new Map<number, Person>()
  if (accounts.length === 0 && groups.length === 0) return { byId, members }
  const asked = JSON.stringify(groups.map((group, at) => ({ ...group, at })))
  const values = [asked, [...new Set(accounts)], kinds, customerRole(catalog)]
  for (const [at, ...row] of await transaction.run(
    { text: peopleSql(catalog), name: 'notifications people' },
    values,
  )) {
    const person = personOf(row)
    byId.set(person.id, person)
    if (at !== null) members[Number(at)]?.push(person.id)
  }
  return { byId, members }
}

/**
 * People are found by their ids and by their roles first: there may be many accounts, and few are told. PostgreSQL cannot
 * know how few, and would read all accounts at once: `offset 0` has it look each one up by its key.
 */
function peopleSql(catalog: Context['catalog']): string {
  const table = (name: string): string => `"${catalog.resources.get(name)!.table}"`
  const holds = (what: string): string => `(r.permissions @> '["*"]' or r.permissions @> jsonb_build_array(a.${what}))`
  return `with plinth_asked as materialized (
      select * from jsonb_to_recordset($1::jsonb) as a(at int, roles text[], permission text, needs text)),
    plinth_recipient as materialized (
      select null::int as at, c.id from unnest($2::int[]) c(id)
      union
      select a.at, u.id from plinth_asked a
        join ${table('roles')} r on (r.slug = any(a.roles) or (a.permission is not null and ${holds('permission')}))
          and (a.needs is null or ${holds('needs')})
        cross join lateral (select id from ${table('users')} where role_id = r.id and deleted_at is null offset 0) u)
    select c.at, u.id, u.email, u.first_name, u.first_name || ' ' || u.last_name, r.slug = $4, u.email_verified,
      u.deleted_at is null and u.status <> 'declined', ${catalog.accounts?.language === undefined ? 'null' : `u."${catalog.accounts.language.column}"`},
      (select jsonb_object_agg(s.type, s.reach) from ${table('notification_settings')} s
        where s.user_id = u.id and s.type = any($3::text[]))
    from plinth_recipient c
    cross join lateral (select * from ${table('users')} where id = c.id offset 0) u
    join ${table('roles')} r on r.id = u.role_id
    order by u.id, c.at`
}

function personOf([id, email, firstName, name, customer, verified, live, language, chosen]: Row): Person {
  const reaches: Readonly<Record<string, unknown>> = JSON.parse(chosen ?? '{}')
  return {
    id: Number(id),
    email: email ?? '',
    firstName: firstName ?? '',
    name: name ?? '',
    customer: customer === 't',
    verified: verified === 't',
    live: live === 't',
    language: language ?? undefined,
    reachOf: (kind) => {
      const reach = reaches[kind]
      return isReach(reach) ? reach : 'default'
    },
  }
}
