/** From a session's row to the actor that policies, hooks and logs know. */
import {
  type Actor,
  type AttributeColumns,
  attributeColumns,
  type Catalog,
  memo,
  type Resource,
  type Row,
} from '../../engine/index.ts'
import type { AuthOptions } from './options.ts'

const WAITING = 'Your account is awaiting approval'

/** One set per list of permissions: statements are compiled per set, so equal lists must be the same one. */
const permissionSets = new Map<string, ReadonlySet<string>>()

/** Lists seen before the map is emptied; an application has a handful, a hostile history of edits has not. */
const KEPT = 1_000

/** The set of permissions that a role's JSON list stands for. */
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

/** SQL behind other conditions: the row of an alias is not deleted; nothing where records of its resource never are. */
export function notDeletedSql({ fields }: Pick<Resource, 'fields'>, alias: string): string {
  return fields.has('deleted_at') ? ` and ${alias}.deleted_at is null` : ''
}

/** What is selected of the account `u` and its role `r`, behind the token's id, for `actorOf`. */
export function actorColumns(catalog: Catalog): string {
  return ['u.id', 'u.status', 'u.self_registered', 'r.slug', 'r.permissions', ...attributesOf(catalog).columns].join(
    ', ',
  )
}

/** Where the attributes begin in a row: behind the token's id and what the actor itself is made of. */
const ATTRIBUTES = 6

/** The actor of a row of jti and `actorColumns`. */
export function actorOf(
  row: Row,
  catalog: Catalog,
  { approval, quota }: Pick<AuthOptions, 'approval' | 'quota'>,
): Actor {
  const [, id, status, selfRegistered, role, permissions] = row
  // Accounts of before the quota are told by their status alone.
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
