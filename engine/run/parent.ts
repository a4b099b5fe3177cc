/** ⇄ The record of a nested route's path: it must exist and be within reach. */

import { parentShape } from '../ask/list.ts'
import { type Lookup, notFound } from '../ask/lookup.ts'
import type { BelongsTo, Resource } from '../catalog/catalog.ts'
import { idOf } from '../catalog/stored.ts'
import type { Row } from '../database/database.ts'
import { ApiError } from '../error.ts'
import type { Id } from '../id.ts'
import { compileParent } from '../statement/list.ts'
import { type Execution, runCompiled } from './execution.ts'

/** The record of a nested route's path: the relation to it, and how the path names it. */
export interface Parent {
  readonly relation: BelongsTo
  readonly resource: Resource
  readonly lookup: Lookup
}

/** The id of a nested route's parent; 404 when there is none, 403 (404 where concealed) when it is out of reach. */
export async function parentId(execution: Execution, parent: Parent): Promise<Id> {
  const compiled = execution.statements.get(compileParent, execution, parentShape(parent))
  const rows = await runCompiled(execution, compiled, { parent: parent.lookup.value })
  return idOf(parent.resource, visibleParent(parent, rows)[0])
}

/** The row of a parent that the caller may see; throws where `parentId` does. */
export function visibleParent(parent: Parent, [row]: readonly Row[]): Row {
  if (row === undefined) throw notFound(parent.resource)
  if (row[1] !== 't') throw outOfReach(parent.resource)
  return row
}

/** The refusal of a record that exists and may not be seen. */
export function outOfReach(resource: Resource): ApiError {
  return resource.conceal ? notFound(resource) : new ApiError('forbidden', { message: 'Forbidden' })
}
