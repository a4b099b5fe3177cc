/** Who is to know: candidates narrowed to those who still may see what the notification tells of, each as they want to be told. */
import type { HookContext, Row } from '../../../engine/index.ts'
import { customerRole } from '../tickets/customer-role.ts'
import type { NotificationType } from './options.ts'
import { isReach, type Reach } from './reach.ts'

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
  context: HookContext,
  type: NotificationType,
  audience: Audience,
): Promise<readonly Person[]> {
  const { caller, catalog, transaction } = context
  const table = (name: string): string => `"${catalog.resources.get(name)!.table}"`
  const holds = `(r.permissions @> '["*"]' or r.permissions @> jsonb_build_array($1::text))`
  const text = `select u.id, u.email, u.first_name, u.id = any($3::int[]), u.email_verified,
      u.id = any($3::int[]) or u.id = any($5::int[]), s.reach
    from ${table('users')} u join ${table('roles')} r on r.id = u.role_id
    left join ${table('notification_settings')} s on s.user_id = u.id and s.type = $8
    where u.deleted_at is null and u.status <> 'declined' and u.id is distinct from $2::int and (
      (u.id = any($3::int[]) and (r.slug = $4 or ${holds}))
      or ((u.id = any($5::int[]) or r.slug = any($6::text[]) or $7::boolean) and ${holds}))
    order by u.id`
  const { permission, staff = [], customer, roles: slugs = [], holders = false } = audience
  const without = audience.caller === true ? null : caller.id
  const values = [permission, without, idsOf([customer]), customerRole(catalog), idsOf(staff), slugs, holders, type]
  return (await transaction.run({ text, name: 'notifications people' }, values)).map(personOf)
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
