/**
 * Makes the actors that policies, hooks and logs know, from rows of accounts: of a session, of a name, or of many ids.
 */
import {
  type Actor,
  type AttributeColumns,
  attributeColumns,
  type Catalog,
  type JsonObject,
  memo,
  type PluginContext,
  type Resource,
  type Row,
  type Runner,
} from '../../engine/index.ts'
import { type AuthOptions, authOptions } from './options.ts'

const WAITING = 'Your account is awaiting approval'

/** One set for each list of permissions: statements are compiled per set, so equal lists must share one. */
const permissionSets = new Map<string, ReadonlySet<string>>()

/** The number of lists before the map is emptied: an application has a handful, a hostile history of edits has more. */
const KEPT = 1_000

/** The permissions in a role's JSON list. */
function permissionSet(json: string): ReadonlySet<string> {
  let set = permissionSets.get(json)
  if (set === undefined) {
    const list: unknown = JSON.parse(json)
    set = new Set(Array.isArray(list) ? list.map(String) : [])
    if (permissionSets.size >= KEPT) permissionSets.clear()
    permissionSets.set(json, set)
  }
  return set
}

/** An SQL condition: the row of an alias is not deleted; empty where records of its resource never are. */
export function notDeletedSql({ fields }: Pick<Resource, 'fields'>, alias: string): string {
  return fields.has('deleted_at') ? ` and ${alias}.deleted_at is null` : ''
}

/** The columns of the account `u` and its role `r` for `actorOf`, after the id of the token. */
export function actorColumns(catalog: Catalog): string {
  return ['u.id', 'u.status', 'u.self_registered', 'r.slug', 'r.permissions', ...attributesOf(catalog).columns].join(
    ', ',
  )
}

/** The position of the attributes in a row, after the columns that are fixed. */
const ATTRIBUTES = 6

/** The actor of a row with jti and `actorColumns`. */
export function actorOf(
  row: Row,
  catalog: Catalog,
  { approval, quota }: Pick<AuthOptions, 'approval' | 'quota'>,
): Actor {
  const [, id, status, selfRegistered, role, permissions] = row
  // Accounts from before the quota only have their status.
  const isLimited = quota !== undefined && (selfRegistered === 't' || status === 'pending')
  return Object.freeze({
    kind: 'user',
    id: Number(id),
    role: role ?? null,
    permissions: permissionSet(permissions ?? '[]'),
    attributes: attributesOf(catalog).read(row, ATTRIBUTES),
    ...(isLimited && { quota }),
    ...(approval === 'required' && status === 'pending' ? { restriction: WAITING } : {}),
  })
}

const attributesOf = memo((catalog: Catalog): AttributeColumns => attributeColumns(catalog, 'u'))

/** The present actor of an address or an id; null where nobody who may sign in has it. */
export async function identify({ catalog, database, options }: PluginContext, name: string): Promise<Actor | null> {
  const { options: own, type } = catalog.resources.get('users')!.fields.get('email')!
  const address = type.parse(name, own)
  const values = ['value' in address ? address.value : name, name]
  const [found] = await findActors(
    { catalog, options, runner: database.adhoc },
    '(u.email = $1 or u.id::text = $2)',
    values,
  )
  return found ?? null
}

interface Asking {
  readonly catalog: Catalog
  readonly options: JsonObject
  readonly runner: Runner
}

/** The actors of those accounts that may sign in now. */
export function actors(asking: Asking, ids: readonly number[]): Promise<readonly Actor[]> {
  return findActors(asking, 'u.id = any($1::integer[])', [ids])
}

/** Reads the same columns as sessions do. */
async function findActors(
  { catalog, options, runner }: Asking,
  condition: string,
  values: readonly unknown[],
): Promise<readonly Actor[]> {
  const users = catalog.resources.get('users')!
  const roles = catalog.resources.get('roles')!
  const text = `select null, ${actorColumns(catalog)}
    from "${users.table}" u join "${roles.table}" r on r.id = u.role_id
    where ${condition} and u.status <> 'declined'${notDeletedSql(users, 'u')}${notDeletedSql(roles, 'r')} order by u.id`
  const own = authOptions(options)
  return (await runner.run({ text }, values)).map((row) => actorOf(row, catalog, own))
}
