/** The ids of records: where they are stored, what type they have, and how PostgreSQL's text of one is read. */
import type { Id } from '../id.ts'
import type { Catalog, Resource } from './catalog.ts'
import { idSql } from './stored.ts'

type Keyed = Pick<Resource, 'key'>

/** The column type of the ids, to which a parameter is cast. */
export function idType({ key }: Keyed): string {
  // Their column is a bigint, and their values never are.
  if (key.type.name === 'integer') return 'integer'
  return key.sqlType
}

/** The type of a list of ids, to which a parameter is cast. */
export function idsType(resource: Keyed): string {
  return `${idType(resource)}[]`
}

/** PostgreSQL's text of an id as what the interface answers. */
export function idOf({ key }: Keyed, text: string | null | undefined): Id {
  return key.type.wire === 'number' ? Number(text) : (text ?? '')
}

/** The id of a record that the engine's own tables name, in the table of a resource that may be gone. */
export function keptIdOf(
  { resources }: Pick<Catalog, 'resources'>,
  owner: string | null | undefined,
  text: string | null | undefined,
): Id {
  const resource = resources.get(owner ?? '')
  if (resource !== undefined) return idOf(resource, text)
  return /^\d{1,10}$/.test(text ?? '') ? Number(text) : (text ?? '')
}

/** The type of the columns in which the engine's own tables keep ids of records: a text, unless all ids are integers. */
export function keptIdType({ resources }: Pick<Catalog, 'resources'>): 'integer' | 'text' {
  return [...resources.values()].every((resource) => idType(resource) === 'integer') ? 'integer' : 'text'
}

/** An id as the engine's own tables keep it, as SQL. */
export function keptIdSql(catalog: Pick<Catalog, 'resources'>, resource: Keyed, alias: string): string {
  const own = idSql(resource, alias)
  return keptIdType(catalog) === idType(resource) ? own : `${own}::text`
}

/** The record that a row of the log of changes names, in its resource's own type, as SQL; null for a row of another resource. */
export function loggedIdSql(
  catalog: Pick<Catalog, 'resources'>,
  resource: Keyed & Pick<Resource, 'owner'>,
  alias: string,
): string {
  const kept = `${alias}.record_id`
  if (keptIdType(catalog) === idType(resource)) return kept
  // The ids of other resources may be no values of the type, whichever condition PostgreSQL looks at first.
  return `case when ${alias}.resource = '${resource.owner.replaceAll("'", "''")}' then ${kept}::${idType(resource)} end`
}

/** The resource that owns a table. */
export function ownerOf({ resources }: Pick<Catalog, 'resources'>, table: string): Resource | undefined {
  const standing = [...resources.values()].filter((resource) => resource.table === table)
  return standing.find(({ name, owner }) => name === owner) ?? standing[0]
}

/** The id by which streams order records: as text, byte by byte, where the log keeps ids as texts. */
export function orderedId(catalog: Pick<Catalog, 'resources'>, id: string): string {
  return keptIdType(catalog) === 'integer' ? id : `${id}::text collate "C"`
}
