/** ⇄ Reads a record that was just written, or is about to be, as its caller may see it. */
import type { Resource } from '../catalog/catalog.ts'
import { ApiError } from '../error.ts'
import type { Id } from '../id.ts'
import { entityTag, namesTag } from '../json.ts'
import type { Execution } from './execution.ts'
import { readGone, readOne } from './read.ts'

/**
 * Reads a record that the caller has just been allowed to write, by its id. Where the policy `view` does not admit the
 * caller, or the write itself has made it one that exists for nobody, that is the id alone, unless the caller knows the
 * record, because it made it or saw it before it wrote.
 */
export async function readBack(around: Execution, resource: Resource, id: Id, known: boolean): Promise<string> {
  try {
    const { text, visible } = await readOne(around, resource, { field: resource.key, value: id })
    return visible || known ? text : JSON.stringify({ id })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'record_not_found') throw error
    const text = await readGone(around, resource, id)
    return known ? text : JSON.stringify({ id })
  }
}

/** The headers of a request that name the version of its record. */
export interface Preconditions {
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
}

/** Whether a write has to look at the version of its record. */
export function looksAtVersion({ ifMatch = '*', ifNoneMatch }: Preconditions): boolean {
  return ifMatch.trim() !== '*' || ifNoneMatch !== undefined
}

/** Throws stale_version unless `If-Match` names the record as the caller would read it now, and `If-None-Match` does not. */
export async function requireVersion(
  around: Execution,
  resource: Resource,
  { id, seen }: { readonly id: Id; readonly seen: boolean },
  preconditions: Preconditions,
): Promise<void> {
  if (!looksAtVersion(preconditions)) return
  const { ifMatch = '*', ifNoneMatch } = preconditions
  const current = entityTag(await readBack(around, resource, id, seen))
  if (!namesTag(ifMatch, current)) throw new ApiError('stale_version')
  if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, current))
    throw new ApiError('stale_version', { message: 'The record is there as If-None-Match says that it must not be' })
}
