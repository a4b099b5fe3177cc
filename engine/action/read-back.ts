/** ⇄ Reads a record that was just written, or is about to be, as its caller may see it. */
import type { Catalog, EmbedEntry, Resource } from '../catalog/catalog.ts'
import { ApiError } from '../error.ts'
import type { Id } from '../id.ts'
import { entityTag, namesTag } from '../json.ts'
import { memo } from '../memo.ts'
import { readsOfAnswer, speaksOf } from '../query/reads-of-answer.ts'
import type { BoundHook, Execution } from './execution.ts'
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

/** Whether writes to a resource may have to wait for each other. */
export function isCounted({ counts, soles, rules, foreignRules, linkRules }: Resource): boolean {
  const counted = counts.length + soles.length + foreignRules.length + linkRules.length
  return counted > 0 || rules.some(({ always }) => always)
}

/**
 * Whether a write needs a transaction of its own, for its hooks, its many-to-many lists `many` or its answer: one statement
 * does for most. `columns` are those that an update may write; undefined: it is a creation.
 */
export function needsTransaction(
  catalog: Catalog,
  resource: Resource,
  hooks: readonly BoundHook[],
  many: { readonly size: number },
  columns?: ReadonlySet<string>,
): boolean {
  if (hooks.some((hook) => hook.transaction) || many.size > 0) return true
  return columns === undefined ? findsNew(resource) : showsElsewhere(catalog, resource, columns)
}

/**
 * Whether the answer to an update reads one of the written columns in its table, where it is as it was before: a
 * statement that writes sees its own table without what it writes.
 */
function showsElsewhere(catalog: Catalog, resource: Resource, columns: ReadonlySet<string>): boolean {
  const reads = readsOfAnswer(catalog, resource)
  return reads === 'all' || [...columns].some((column) => reads.has(column))
}

/**
 * Whether the answer to a creation finds the new row in its table. Nothing refers to it before it is there, so its lists
 * and counts are empty; it is found by SQL of an author, or counted where a record that it refers to is embedded.
 */
const findsNew = memo(({ fields, relations, table }: Resource): boolean => {
  const finds = (entries: readonly EmbedEntry[]): boolean =>
    entries.some(({ value }) => {
      if (value.kind === 'embed') return finds(value.entries)
      const { field } = value.path
      return field.count !== undefined || speaksOf(field, table)
    })
  const referred = [...relations.values()].filter(({ kind }) => kind === 'belongs_to')
  return [...fields.values()].some((field) => speaksOf(field, table)) || referred.some(({ embed = [] }) => finds(embed))
})

/** The headers of a request that say of which version of a record it is. */
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

/** The id of a record as it is answered: every record begins with it. */
export function idAtStart(text: string): Id | undefined {
  const [, written] = /^\{"id":(\d+|"(?:[^"\\]|\\.)*")/.exec(text) ?? []
  return written === undefined ? undefined : (JSON.parse(written) as Id)
}
