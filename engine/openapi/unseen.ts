/** Which writes may be of records that their caller does not see, and what they answer then: the id alone. */
import type { Access, Clause, Resource } from '../catalog/catalog.ts'
import { shapeOf } from '../query/filter-shape.ts'

/** Whether a clause of the action may reach a record that no clause of `view` shows its caller. */
export function mayBeUnseen({ policies }: Resource, action: 'update' | 'restore'): boolean {
  return policies[action].some((clause) => !policies.view.some((view) => shows(view, clause)))
}

/** Whether a clause of `view` shows everybody of whom the other speaks every record that it reaches. */
function shows(view: Clause, { access, where }: Clause): boolean {
  const isSame = view.where !== undefined && where !== undefined && shapeOf(view.where) === shapeOf(where)
  return (
    (view.where === undefined || isSame) && view.access.every((one) => access.some((other) => includes(one, other)))
  )
}

function includes(one: Access, other: Access): boolean {
  if (one.kind === 'anyone') return true
  if (one.kind === 'signed_in') return other.kind !== 'anyone'
  if (one.kind === 'role') return other.kind === 'role' && other.roles.every((role) => one.roles.includes(role))
  return other.kind === 'permission' && other.permission === one.permission
}
