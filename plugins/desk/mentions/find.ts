/**
 * The hook `mentions.find`: stores with a comment the people whom its text mentions and who may read it. YAML cannot
 * look for names in a text.
 */
import {
  type HookContext,
  type Id,
  idSql,
  idType,
  type Next,
  nameSqlText,
  nameText,
  type PluginContext,
  type Transaction,
} from '../../../engine/index.ts'

/** Runs around the creation of a comment. */
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
 * Accounts that the names may mean: those that the writer may see, and the people who work on the ticket. Customers
 * cannot find out by guesses who else has an account.
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

type Looking = Pick<PluginContext, 'actorsOf' | 'catalog' | 'readable'> & { readonly transaction: Transaction }

/** The accounts whose policy `view` reaches the present record, in the order of their ids. */
async function whoSees(
  { actorsOf, catalog, readable, transaction }: Looking,
  resource: string,
  recordId: Id,
  accounts: readonly number[],
): Promise<readonly number[]> {
  const actors = await actorsOf(accounts)
  if (actors.length === 0) return []
  const owner = catalog.resources.get(resource)!
  const values: unknown[] = [recordId]
  const sights = actors.map((actor) => `(${readable(resource, 't', values, { as: actor })})`)
  const text = `select ${sights.join(', ')} from "${owner.table}" t where ${idSql(owner, 't')} = $1::${idType(owner)}`
  const [row] = await transaction.run({ text }, values)
  return actors.flatMap(({ id }, index) => (id !== null && row?.[index] === 't' ? [id] : []))
}

/** The most people in one text; more are ignored. */
const MOST = 50

const BY_ID = /@\[[^\]\n]{1,200}\]\(([1-9]\d{0,8})\)/g
/** An address, `ann@example.com`, mentions nobody. */
const BY_NAME = /(?<![\p{L}\p{N}@._+-])@([\p{L}\p{N}][\p{L}\p{N}._-]{0,99})/gu

interface Named {
  readonly ids: readonly number[]
  /** In lower case, without the end of a sentence. */
  readonly names: readonly string[]
}

/** The ids and names in a text, each once. */
export function namedIn(text: string): Named {
  const ids = [...text.matchAll(BY_ID)].map(([, id]) => Number(id))
  // A letter and its accent may be two signs, which form no word together, and invisible signs would end one.
  const rest = nameText(text.replace(BY_ID, ' '))
  const names = [...rest.matchAll(BY_NAME)].map(([, name = '']) => name.replace(/[._-]+$/, ''))
  return { ids: [...new Set(ids)].slice(0, MOST), names: [...new Set(names)].slice(0, MOST) }
}

/** A person whom a name may mean. */
interface Candidate {
  readonly id: number
  readonly email: string
  readonly first_name: string
  readonly last_name: string
}

/**
 * The person of a name: one whose address begins with it or whose full name it is, else one with this first name.
 * Nobody when there are two.
 */
export function meantBy(name: string, people: readonly Candidate[]): number | undefined {
  const exact = people.filter((one) => fullNames(one).includes(name))
  const found = exact.length > 0 ? exact : people.filter((one) => firstName(one) === name)
  return found.length === 1 ? found[0]?.id : undefined
}

function fullNames(one: Candidate): readonly string[] {
  const [first, last] = [firstName(one), joined(one.last_name)]
  return [one.email.slice(0, one.email.lastIndexOf('@')), ...['.', '_', '-', ''].map((sign) => first + sign + last)]
}

function firstName({ first_name: name }: Candidate): string {
  return joined(name)
}

function joined(name: string): string {
  return nameText(name).replaceAll(' ', '')
}
