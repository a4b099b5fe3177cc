/** Hook: keeps with a comment whom its text mentions, of those who may read it. YAML cannot look for names in a text. */
import { type HookContext, type Next, nameSqlText, type Transaction } from '../../../engine/index.ts'
import { whoSees } from '../../auth/sight.ts'
import { type Candidate, meantBy, type Named, namedIn } from './names.ts'

/** `mentions.find`, around the creation of a comment. */
export async function find(context: HookContext, next: Next): Promise<void> {
  await next()
  const { catalog, result, transaction } = context
  if (result === undefined || !String(result.comment).includes('@')) return
  const named = namedIn(String(result.comment))
  if (named.ids.length + named.names.length === 0) return
  const candidates = await candidatesOf(context, named)
  const comment = Number(result.id)
  const readers = new Set(
    await whoSees(
      context,
      'ticket_comments',
      comment,
      candidates.map(({ id }) => id),
    ),
  )
  const people = candidates.filter(({ id }) => readers.has(id))
  const byName = named.names.flatMap((one) => meantBy(one, people) ?? [])
  const ids = new Set([...named.ids.filter((id) => readers.has(id)), ...byName])
  const sorted = [...ids].sort((a, b) => a - b)
  if (sorted.length > 0) await keep(transaction, catalog.resources.get('ticket_mentions')!.table, comment, sorted)
}

async function keep(transaction: Transaction, table: string, comment: number, ids: readonly number[]): Promise<void> {
  const text = `insert into "${table}" (comment_id, user_id) select $1::integer, unnest($2::integer[])`
  await transaction.run({ text }, [comment, ids])
}

/**
 * Accounts that the names may mean: those that the writer may see, and who works on the ticket. Customers cannot find out
 * by guesses who else has an account.
 */
async function candidatesOf(
  { catalog, readable, result, transaction }: HookContext,
  { ids, names }: Named,
): Promise<readonly Candidate[]> {
  const table = (name: string): string => `"${catalog.resources.get(name)!.table}"`
  const values: unknown[] = [ids, names, result?.ticket_id]
  const known = readable('users', 'u', values)
  const first = `replace(${nameSqlText('u.first_name')}, ' ', '')`
  const last = `replace(${nameSqlText('u.last_name')}, ' ', '')`
  const called = ["'.'", "'_'", "'-'", "''"].map((sign) => `${first} || ${sign} || ${last}`)
  const text = `select u.id, u.email, u.first_name, u.last_name from ${table('users')} u
    where (u.id = any($1::integer[]) or ${[first, ...called, `split_part(u.email, '@', 1)`].map((one) => `${one} = any($2::text[])`).join(' or ')})
      and (${known} or u.id = (select t.assigned_to from ${table('tickets')} t where t.id = $3::integer))
    order by u.id limit 500`
  const rows = await transaction.run({ text }, values)
  return rows.map(([id, email, firstName, lastName]) => ({
    id: Number(id),
    email: email ?? '',
    first_name: firstName ?? '',
    last_name: lastName ?? '',
  }))
}
