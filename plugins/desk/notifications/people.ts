/** Who is to know: candidates narrowed to those who still may see what the notification tells of, each as they want to be told. */
import type { Id, JsonObject, Row } from '../../../engine/index.ts'
import { whoSees } from '../../auth/sight.ts'
import { customerRole } from '../tickets/customer-role.ts'
import { gathered } from './gather.ts'
import type { NotificationType } from './options.ts'
import { isReach, type Reach } from './reach.ts'
import type { Telling } from './telling.ts'

/** Candidates of a notification; whoever made the change is not among those that are found. */
export interface Audience {
  /** What one must hold to be told as one of the staff. */
  readonly permission: string
  /** Users to tell if they hold the permission. */
  readonly staff?: readonly unknown[]
  /** The customer whom it concerns: told without the permission too. */
  readonly customer?: unknown
  /** Everybody with one of these roles. */
  readonly roles?: readonly string[]
  /** Everybody who holds the permission. */
  readonly holders?: boolean
  /** Whoever made the change is told too. */
  readonly caller?: boolean
  /** Users to tell if they may see this record, whatever they hold: those who watch it. */
  readonly readers?: { readonly ids: readonly number[]; readonly resource: string; readonly recordId: Id }
  /** Users who have been told already. */
  readonly without?: readonly number[]
}

export interface Person {
  readonly id: number
  readonly email: string
  readonly firstName: string
  /** Whether this is the customer whom it concerns. */
  readonly customer: boolean
  /** Whether the address is known to be theirs. */
  readonly verified: boolean
  /** Whether it concerns this person, and not just the role. */
  readonly concerned: boolean
  readonly reach: Reach
}

/** Live accounts among the audience of a notification of a type. */
export async function peopleOf(
  context: Telling,
  type: NotificationType,
  audience: Audience,
): Promise<readonly Person[]> {
  const { caller, catalog, transaction } = context
  const { permission, staff = [], customer, roles = [], holders = false, readers, without = [] } = audience
  const silent = audience.caller === true ? null : caller.id
  const watching =
    readers === undefined || readers.ids.length === 0
      ? []
      : await whoSees(context, readers.resource, readers.recordId, readers.ids)
  const people = { customer: idsOf([customer]), staff: idsOf(staff), watching, without }
  return findPeople(transaction, { catalog, asked: { permission, silent, roles, holders, type, ...people } })
}

/** One audience, for the database. */
interface Asked {
  readonly catalog: Telling['catalog']
  readonly asked: JsonObject
}

const findPeople = gathered<Asked, readonly Person[]>(async (transaction, keys) => {
  const { catalog } = keys[0]!
  const values = [JSON.stringify(keys.map(({ asked }, at) => ({ ...asked, at }))), customerRole(catalog)]
  const rows = await transaction.run({ text: peopleSql(catalog), name: 'notifications people' }, values)
  const people = keys.map((): Person[] => [])
  for (const [at, ...row] of rows) people[Number(at)]?.push(personOf(row))
  return people
})

/**
 * Candidates are found by their ids and by their roles first: there may be many accounts, and few are told. PostgreSQL
 * can't know how few, and would read all accounts at once: `offset 0` has it look each one up by its key.
 */
function peopleSql(catalog: Telling['catalog']): string {
  const table = (name: string): string => `"${catalog.resources.get(name)!.table}"`
  const holds = `(r.permissions @> '["*"]' or r.permissions @> jsonb_build_array(a.permission))`
  return `with asked as materialized (
      select * from jsonb_to_recordset($1::jsonb) as a(at int, permission text, silent int, customer int[], staff int[],
        watching int[], without int[], roles text[], holders boolean, type text)),
    candidate as materialized (
      select a.at, c.id from asked a cross join unnest(a.customer || a.staff || a.watching) c(id)
      union
      select a.at, u.id from asked a join ${table('roles')} r on (a.holders or r.slug = any(a.roles)) and ${holds}
        cross join lateral (select id from ${table('users')} where role_id = r.id offset 0) u)
    select a.at, u.id, u.email, u.first_name, u.id = any(a.customer), u.email_verified,
      u.id = any(a.customer || a.staff || a.watching), s.reach
    from candidate c join asked a on a.at = c.at
    cross join lateral (select * from ${table('users')} where id = c.id offset 0) u
    join ${table('roles')} r on r.id = u.role_id
    left join lateral (
      select reach from ${table('notification_settings')} where user_id = u.id and type = a.type offset 0) s on true
    where u.deleted_at is null and u.status <> 'declined' and u.id is distinct from a.silent
      and u.id <> all(a.without)
      and (${holds} or (u.id = any(a.customer) and r.slug = $2) or u.id = any(a.watching))
    order by a.at, u.id`
}

function personOf([id, email, firstName, customer, verified, concerned, reach]: Row): Person {
  return {
    id: Number(id),
    email: email ?? '',
    firstName: firstName ?? '',
    customer: customer === 't',
    verified: verified === 't',
    concerned: concerned === 't',
    reach: isReach(reach) ? reach : 'default',
  }
}

function idsOf(values: readonly unknown[]): readonly number[] {
  return values.filter((value) => typeof value === 'number')
}
