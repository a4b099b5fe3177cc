/** ⇄ The answer to a write: the record as it now is, in its single shape, whatever the view policy says of it. */
import { createHash } from 'node:crypto'
import type { Resource } from '../catalog/catalog.ts'
import { ApiError } from '../error.ts'
import type { Execution } from './execution.ts'
import { readOne } from './read.ts'

/** Reads the record by id; the caller has just been allowed to write it. */
export async function readBack(around: Execution, resource: Resource, id: number): Promise<string> {
  const { text } = await readOne(around, resource, { field: resource.key, value: id })
  return text
}

/** The entity tag of a JSON text, without quotes: equal texts have equal tags. */
export function entityTag(text: string): string {
  return createHash('sha1').update(text).digest('base64url')
}

/** Throws stale_version unless `If-Match` names the record as the caller would read it now. */
export async function requireVersion(
  around: Execution,
  resource: Resource,
  id: number,
  ifMatch: string | undefined,
): Promise<void> {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const current = entityTag(await readBack(around, resource, id))
  const tags = ifMatch.split(',').map((tag) => tag.trim().replace(/^"|"$/g, ''))
  if (!tags.includes(current)) throw new ApiError('stale_version')
}
