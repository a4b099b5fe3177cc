/** From a session's row to the actor that policies, hooks and logs know. */
import type { Actor, Row } from '../../engine/index.ts'

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

/** The actor of a row of jti, id, status, organization_id, department_id, role slug, permissions. */
export function actorOf(row: Row, approval: 'review' | 'required' | 'off'): Actor {
  const [, id, status, organizationId, departmentId, role, permissions] = row
  return Object.freeze({
    kind: 'user',
    id: Number(id),
    role: role ?? null,
    permissions: permissionSet(permissions ?? '[]'),
    attributes: Object.freeze({
      status: status ?? null,
      organization_id: numberOrNull(organizationId),
      department_id: numberOrNull(departmentId),
    }),
    ...(approval === 'required' && status === 'pending' ? { restriction: WAITING } : {}),
  })
}

function numberOrNull(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text)
}
