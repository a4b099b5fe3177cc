/** Whom an automation tells: accounts that records lead to, and those with a role or a permission. */
import {
  type ActionContext,
  type ActionMistake,
  type ActionPlace,
  type Actor,
  isObject,
  type Json,
  type Resource,
  relatedPath,
} from '../../../engine/index.ts'
import { customerRole } from '../tickets/customer-role.ts'
import type { Person } from './people.ts'
import { isReach } from './reach.ts'

/** What an entry of `to` means. */
export interface To {
  /** A relation to accounts, or `$record`: the account that the record is. */
  readonly people: string | undefined
  readonly roles: readonly string[]
  readonly permission: string | null
}

type Mistake = Omit<ActionMistake, 'at'>

const RECORD = '$record'

/** Reads an entry of `to`, which the schema has judged. */
export function toOf(entry: Json): To {
  if (!isObject(entry)) return { people: String(entry), roles: [], permission: null }
  const { people, permission, roles } = entry
  return {
    people: typeof people === 'string' ? people : undefined,
    roles: Array.isArray(roles) ? roles.map(String) : [],
    permission: typeof permission === 'string' ? permission : null,
  }
}

/** What is wrong with an entry: nobody is there, or no account. */
export function toMistake({ catalog, resource }: ActionPlace, entry: Json): Mistake | undefined {
  const to = toOf(entry)
  if (to.people === undefined) {
    if (to.roles.length === 0 && to.permission === null)
      return { message: 'This names nobody', expected: ['people', 'roles', 'permission'] }
    const unknown = to.roles.find((role) => catalog.accounts?.roles?.has(role) === false)
    if (unknown !== undefined)
      return { message: `There is no role "${unknown}"`, expected: [...(catalog.accounts?.roles ?? [])] }
    const { permission } = to
    if (permission === null || catalog.permissions.has(permission)) return undefined
    return { message: `There is no permission "${permission}"` }
  }
  if (to.roles.length > 0 || to.permission !== null)
    return { message: '"people" does not go with "roles" and "permission"', hint: 'write two entries' }
  const isAccount = ({ owner }: Resource): boolean =>
    owner === catalog.resources.get(catalog.accounts?.resource ?? '')?.owner
  if (to.people === RECORD)
    return isAccount(resource) ? undefined : { message: `A record of "${resource.name}" is no account` }
  try {
    const { many, relations } = relatedPath(catalog, resource, to.people)
    const target = catalog.resources.get((many ?? relations.at(-1))!.target)!
    return isAccount(target) ? undefined : { message: `"${to.people}" leads to ${target.name}, which are no accounts` }
  } catch {
    return { message: `"${to.people}" leads nowhere from "${resource.name}"`, hint: 'name a relation to accounts' }
  }
}

/** A person whom a record is told to, if they may see it. */
export interface Candidate {
  readonly record: number
  readonly reader: Actor
  readonly person: Person
  /** By which entry of `to` they are reached first. */
  readonly entry: number
}

interface Link {
  readonly record: number
  readonly account: number
  readonly entry: number
  /** Whether it concerns the person, and not just the role. */
  readonly concerned: boolean
  /** Whether the record is their own account: what others wrote there is nothing for an address that nobody confirmed. */
  readonly own: boolean
}

/** Who is to be told of the records of a batch, each once; not who made the change. */
export async function candidatesOf(
  context: ActionContext,
  to: readonly To[],
  kind: string,
): Promise<readonly Candidate[]> {
  const { actorsOf } = context
  const links: Link[] = []
  for (const [entry, one] of to.entries()) links.push(...(await linksOf(context, one, entry)))
  const accounts = [...new Set(links.map(({ account }) => account))]
  const actors = new Map((await actorsOf(accounts)).map((actor) => [actor.id ?? 0, actor]))
  const people = await peopleOf(context, [...actors.keys()], kind)
  const known = new Set<string>()
  return links.flatMap(({ account, concerned, entry, own, record }) => {
    const [reader, person] = [actors.get(account), people.get(account)]
    const key = `${record} ${account}`
    if (reader === undefined || person === undefined || known.has(key)) return []
    known.add(key)
    return [{ record, reader, entry, person: { ...person, concerned, customer: person.customer || own } }]
  })
}

async function linksOf(context: ActionContext, to: To, entry: number): Promise<readonly Link[]> {
  const records = [...new Set(context.work.records.map(({ id }) => id))]
  if (to.people !== undefined) {
    const own = to.people === RECORD
    return (await accountsAt(context, to.people, records)).map((link) => ({ ...link, entry, own, concerned: true }))
  }
  const holders = await holdersOf(context, to)
  return (records.length === 0 ? [0] : records).flatMap((record) =>
    holders.map((account) => ({ record, account, entry, own: false, concerned: false })),
  )
}

async function accountsAt({ related, work }: ActionContext, people: string, records: readonly number[]) {
  if (people === RECORD) return records.map((record) => ({ record, account: record }))
  const found = await related(work.resource.name, people, records)
  return found.map(({ record, related: account }) => ({ record: Number(record), account: Number(account) }))
}

/** Whom `except` names, as `<record> <account>`. */
export async function exceptedIn(context: ActionContext, except: readonly string[]): Promise<ReadonlySet<string>> {
  const records = [...new Set(context.work.records.map(({ id }) => id))]
  const excepted = new Set<string>()
  for (const people of except)
    for (const { account, record } of await accountsAt(context, people, records)) excepted.add(`${record} ${account}`)
  return excepted
}

async function holdersOf(
  { catalog, transaction }: ActionContext,
  { permission, roles }: To,
): Promise<readonly number[]> {
  const table = (name: string): string => `"${catalog.resources.get(name)!.table}"`
  const text = `select u.id from ${table('users')} u join ${table('roles')} r on r.id = u.role_id
    where u.deleted_at is null and (r.slug = any($1::text[])
      or ($2::text is not null and (r.permissions @> '["*"]' or r.permissions @> jsonb_build_array($2::text))))
    order by u.id`
  return (await transaction.run({ text, name: 'notifications holders' }, [roles, permission])).map(([id]) => Number(id))
}

/** The people behind accounts, as they want to be told of a kind. */
async function peopleOf(
  { catalog, transaction }: ActionContext,
  accounts: readonly number[],
  kind: string,
): Promise<ReadonlyMap<number, Person>> {
  const table = (name: string): string => `"${catalog.resources.get(name)!.table}"`
  const text = `select u.id, u.email, u.first_name, r.slug = $3, u.email_verified, s.reach
    from ${table('users')} u join ${table('roles')} r on r.id = u.role_id
    left join ${table('notification_settings')} s on s.user_id = u.id and s.type = $2
    where u.id = any($1::int[])`
  const rows = await transaction.run({ text, name: 'notifications told' }, [accounts, kind, customerRole(catalog)])
  return new Map(
    rows.map(([id, email, firstName, customer, verified, reach]) => {
      const person: Person = {
        id: Number(id),
        email: email ?? '',
        firstName: firstName ?? '',
        customer: customer === 't',
        verified: verified === 't',
        concerned: true,
        reach: isReach(reach) ? reach : 'default',
      }
      return [person.id, person] as const
    }),
  )
}
