/** Whom an automation tells: accounts that records lead to, and those with a role or a permission. */
import {
  type ActionContext,
  type ActionMistake,
  type ActionPlace,
  type Actor,
  isObject,
  type Json,
  relatedPath,
} from '../../../engine/index.ts'
import { customerRole } from '../tickets/customer-role.ts'
import type { Person } from './people.ts'
import { isReach } from './reach.ts'

/** What an entry of `to` means. */
export type To =
  | { readonly kind: 'relation'; readonly path: string }
  | { readonly kind: 'holders'; readonly roles: readonly string[]; readonly permission: string | null }

type Mistake = Omit<ActionMistake, 'at'>

/** Reads an entry of `to`, which the schema has judged. */
export function toOf(entry: Json): To {
  if (!isObject(entry)) return { kind: 'relation', path: String(entry) }
  const { permission, roles } = entry
  return {
    kind: 'holders',
    roles: Array.isArray(roles) ? roles.map(String) : [],
    permission: typeof permission === 'string' ? permission : null,
  }
}

/** What is wrong with an entry: nobody is there, or no account. */
export function toMistake({ catalog, resource }: ActionPlace, to: To): Mistake | undefined {
  if (to.kind === 'holders') {
    const unknown = to.roles.find((role) => catalog.accounts?.roles?.has(role) === false)
    if (unknown !== undefined)
      return { message: `There is no role "${unknown}"`, expected: [...(catalog.accounts?.roles ?? [])] }
    const { permission } = to
    if (permission === null || catalog.permissions.has(permission)) return undefined
    return { message: `There is no permission "${permission}"` }
  }
  try {
    const { many, relations } = relatedPath(catalog, resource, to.path)
    const target = catalog.resources.get((many ?? relations.at(-1))!.target)!
    if (target.owner === catalog.resources.get(catalog.accounts?.resource ?? '')?.owner) return undefined
    return { message: `"${to.path}" leads to ${target.name}, which are no accounts` }
  } catch {
    return { message: `"${to.path}" leads nowhere from "${resource.name}"`, hint: 'name a relation to accounts' }
  }
}

/** A person whom a record is told to, if they may see it. */
export interface Candidate {
  readonly record: number
  readonly reader: Actor
  readonly person: Person
}

/** Who is to be told of the records of a batch, each once; not who made the change. */
export async function candidatesOf(
  context: ActionContext,
  to: readonly To[],
  kind: string,
): Promise<readonly Candidate[]> {
  const { actorsOf, related, work } = context
  const records = [...new Set(work.records.map(({ id }) => id))]
  const links: { record: number; account: number }[] = []
  for (const one of to) {
    if (one.kind === 'relation') {
      const found = await related(work.resource.name, one.path, records)
      for (const { record, related: account } of found) links.push({ record: Number(record), account: Number(account) })
    } else {
      const holders = await holdersOf(context, one)
      for (const record of records.length === 0 ? [0] : records)
        for (const account of holders) links.push({ record, account })
    }
  }
  const accounts = [...new Set(links.map(({ account }) => account))]
  const actors = new Map((await actorsOf(accounts)).map((actor) => [actor.id ?? 0, actor]))
  const people = await peopleOf(context, [...actors.keys()], kind)
  const known = new Set<string>()
  return links.flatMap(({ account, record }) => {
    const [reader, person] = [actors.get(account), people.get(account)]
    const key = `${record} ${account}`
    if (reader === undefined || person === undefined || known.has(key)) return []
    known.add(key)
    return [{ record, reader, person }]
  })
}

async function holdersOf(
  { catalog, transaction }: ActionContext,
  { permission, roles }: Extract<To, { kind: 'holders' }>,
): Promise<readonly number[]> {
  const table = (name: string): string => `"${catalog.resources.get(name)!.table}"`
  const text = `select u.id from ${table('users')} u join ${table('roles')} r on r.id = u.role_id
    where u.deleted_at is null and (r.slug = any($1::text[])
      or ($2::text is not null and (r.permissions @> '["*"]' or r.permissions @> jsonb_build_array($2::text))))
    order by u.id`
  return (await transaction.run({ text, name: 'notifications holders' }, [roles, permission])).map(([id]) => Number(id))
}

/** The people behind accounts, as they want to be told of a kind. Whoever is told by an automation is concerned by it. */
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
