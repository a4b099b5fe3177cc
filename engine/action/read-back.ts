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

/** The entity tag of JSON texts, without quotes: equal texts have equal tags. */
export function entityTag(...texts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha1')
  for (const text of texts) hash.update(text)
  return hash.digest('base64url')
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
  // A proxy that compresses makes tags weak; the version they name is the same.
  const tags = ifMatch.split(',').map((tag) => tag.trim().replace(/^(?:W\/)?"|"$/g, ''))
  if (!tags.includes(current)) throw new ApiError('stale_version')
}
