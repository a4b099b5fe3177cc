/** ⇄ Reads a record that was just written, or is about to be: as a single record, whether or not its caller may view it. */
import type { Catalog, EmbedEntry, Field, Resource } from '../catalog/catalog.ts'
import { ApiError } from '../error.ts'
import { entityTag } from '../json.ts'
import type { Execution } from './execution.ts'
import { readOne } from './read.ts'

/** Reads the record by id; the caller has just been allowed to write it. */
export async function readBack(around: Execution, resource: Resource, id: number): Promise<string> {
  const { text } = await readOne(around, resource, { field: resource.key, value: id })
  return text
}

const known = new WeakMap<Resource, boolean>()

/**
 * Whether an answer of the resource looks at other rows of its own table, or at its own row by another way: by SQL of its
 * author, a count, or a relation. A statement that writes sees the table as it was before, so such an answer is read after it.
 */
export function looksAtItself(catalog: Catalog, resource: Resource): boolean {
  const found = known.get(resource) ?? looks(catalog, resource)
  known.set(resource, found)
  return found
}

function looks(catalog: Catalog, { table, fields, relations }: Resource): boolean {
  const own = (name: string) => catalog.resources.get(name)?.table === table
  const speaks = ({ computed }: Field) => computed?.split(/\W+/).includes(table) === true
  const inEntries = (entries: readonly EmbedEntry[]): boolean =>
    entries.some(({ value }) => {
      if (value.kind === 'embed') return own(value.relation.target) || inEntries(value.entries)
      return speaks(value.path.field) || value.path.relations.some((relation) => own(relation.target))
    })
  const counted = new Set([...fields.values()].flatMap((field) => field.count ?? []))
  const inRelations = [...relations.values()].some((relation) => {
    if (relation.embed === undefined && !counted.has(relation.name)) return false
    const through = relation.kind === 'has_many' ? relation.by : []
    return own(relation.target) || through.slice(1).some((step) => own(step.target)) || inEntries(relation.embed ?? [])
  })
  return inRelations || [...fields.values()].some(speaks)
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
