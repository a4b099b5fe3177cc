/** How the records of a catalog lie in tables: which fields are columns and what gives them values, what ids are, and where relations lead. */
import { quoted } from '../filter/sql.ts'
import type { Id } from '../id.ts'
import type { Json } from '../json.ts'
import { memo } from '../memo.ts'
import type { Protection } from '../seal.ts'
import type { Assignment, Catalog, Field, Resource } from './catalog.ts'
import type { Follow, RelatedFollow } from './rule.ts'

/** Whether a field has a column of its own; computed and counted fields have none, and an earlier name has that of its present field. */
export function isStored(field: Pick<Field, 'computed' | 'count' | 'earlier'>): boolean {
  return field.computed === undefined && field.count === undefined && field.earlier === undefined
}

/** The engine's own tables that a resource may read: its jobs, and the runs of its automations. */
export const READ_TABLES: ReadonlySet<string> = new Set(['plinth_automation_run', 'plinth_job'])

/** The fields of a resource that are columns of its table. */
export function storedFields(resource: Resource): readonly Field[] {
  return [...resource.fields.values()].filter(isStored)
}

/** The fields of every column of a resource's table, the resource's own first: one that uses another's table may not show all of them. */
export function tableFields(catalog: Catalog, resource: Resource): readonly Field[] {
  const own = storedFields(resource)
  const owner = catalog.resources.get(resource.owner)
  if (owner === undefined || owner === resource) return own
  const columns = new Set(own.map((field) => field.column))
  return [...own, ...storedFields(owner).filter((field) => !columns.has(field.column))]
}

/** The columns that the database itself computes. */
export const computedFields = memo((catalog: Catalog, resource: Resource): readonly Field[] =>
  tableFields(catalog, resource).filter(({ stored }) => stored !== undefined),
)

/** Columns that a write gives values, with those that the database computes from them. */
export function withComputed(catalog: Catalog, resource: Resource, columns: Iterable<string>): ReadonlySet<string> {
  const written = new Set(columns)
  const due = computedFields(catalog, resource).filter(({ stored }) => meets(stored!.reads, written))
  return new Set([...written, ...due.map(({ column }) => column)])
}

/** Whether two sets have a member in common. */
export function meets(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].some((member) => other.has(member))
}

/** What a field has of its type. The type of SQL has no length or scale, which would cut the value of a parameter in silence. */
export function typed(type: Field['type'], options: Field['options']): Pick<Field, 'type' | 'options' | 'sqlType'> {
  return { type, options, sqlType: type.column(options).replace(/\(.*?\)/, '') }
}

/** How a record comes to be written; `import` is a creation that brings values of its own. */
export type WrittenBy = 'create' | 'update' | 'import'

/** Whether an entry of `follows` can concern a write of these columns. */
export function concerns<By extends string>(
  { changed, on }: Pick<Follow, 'changed'> & { readonly on: ReadonlySet<By> },
  by: By,
  columns: ReadonlySet<string>,
): boolean {
  return on.has(by) && (by !== 'update' || (changed?.some(({ column }) => columns.has(column)) ?? true))
}

/** The field of the record itself by which it belongs to the other record of an entry. */
export function keyOf({ of }: Pick<RelatedFollow, 'of'>): Field {
  return of.relations[0]?.field ?? of.field
}

/** Whether an update of these columns can concern an entry, also because the record leaves one other record and comes to another. */
export function concernsUpdate(follow: RelatedFollow, columns: ReadonlySet<string>): boolean {
  const { on } = follow
  return (
    concerns(follow, 'update', columns) || ((on.has('create') || on.has('delete')) && columns.has(keyOf(follow).column))
  )
}

/** The columns that a write of these columns gives values: those that follow, and those that the database computes. */
export function withFollowing(
  catalog: Catalog,
  resource: Resource,
  by: WrittenBy,
  columns: Iterable<string>,
): ReadonlySet<string> {
  return columnsFollowing(resource.follows, by, columns, (some) => withComputed(catalog, resource, some))
}

/** The columns that entries give values because these are written; `widened` adds what follows from some by itself. */
export function columnsFollowing(
  follows: readonly Pick<Follow, 'changed' | 'on' | 'set'>[],
  by: WrittenBy,
  columns: Iterable<string>,
  widened: (columns: Iterable<string>) => Iterable<string> = (some) => some,
): ReadonlySet<string> {
  const written = new Set(widened(columns))
  for (const follow of follows) {
    if (!concerns(follow, by, written)) continue
    for (const column of widened(follow.set.map(({ field }) => field.column))) written.add(column)
  }
  return written
}

/** The id of the row of an alias, as SQL. */
export function idSql({ key }: Pick<Resource, 'key'>, alias: string): string {
  return `${alias}.${quoted(key.column)}`
}

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

/**
 * The type of the columns in which the engine's own tables keep ids of records: a text, unless all ids are integers. Rows
 * that the engine alone writes are not in the log of changes.
 */
export function keptIdType({ resources }: Pick<Catalog, 'resources'>): 'integer' | 'text' {
  const kept = [...resources.values()].filter(({ table }) => !READ_TABLES.has(table))
  return kept.every((resource) => idType(resource) === 'integer') ? 'integer' : 'text'
}

/** An id as the engine's own tables keep it, as SQL. */
export function keptIdSql(catalog: Pick<Catalog, 'resources'>, resource: Keyed, alias: string): string {
  const own = idSql(resource, alias)
  return keptIdType(catalog) === idType(resource) ? own : `${own}::text`
}

/** The record that a row of the log of changes names, in its resource's own type, as SQL; null for a row of another resource. */
export function loggedIdSql(
  catalog: Pick<Catalog, 'resources'>,
  resource: Keyed & Pick<Resource, 'owner' | 'table'>,
  alias: string,
): string {
  if (READ_TABLES.has(resource.table)) return `null::${idType(resource)}`
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

interface Leading {
  readonly target: string
}

/** The resource at the other end of a relation. */
export function targetOf({ resources }: Pick<Catalog, 'resources'>, { target }: Leading): Resource {
  return resources.get(target)!
}

/** The resource to which relations lead from another, one after the other; itself where there are none. */
export function endOf(catalog: Pick<Catalog, 'resources'>, from: Resource, relations: readonly Leading[]): Resource {
  const last = relations.at(-1)
  return last === undefined ? from : targetOf(catalog, last)
}

/** The slugs of a resource that are made of another field where none is given. */
export const slugFields = memo((resource: Resource): readonly Field[] =>
  [...resource.fields.values()].filter(
    (field) => field.type.name === 'slug' && typeof field.options.own.from === 'string',
  ),
)

/** How a secret is kept: sealed unless the YAML says otherwise, or the table is somebody else's; undefined: as it is sent. */
export function protectionOf({ existing }: Pick<Resource, 'existing'>, field: Field): Protection | undefined {
  if (field.type.name !== 'secret' || !isStored(field)) return undefined
  const { protect = existing ? 'as_sent' : 'sealed' } = field.options.own
  return protect === 'sealed' || protect === 'hashed' ? protect : undefined
}

/** A field that is kept otherwise than it is sent. */
export interface ProtectedField {
  readonly field: Field
  readonly how: Protection
}

/** The fields of a resource's table that are kept otherwise than they are sent. */
export const protectedFields = memo((catalog: Catalog, resource: Resource): readonly ProtectedField[] =>
  tableFields(catalog, resource).flatMap((field) => {
    const how = protectionOf(resource, field)
    return how === undefined ? [] : [{ field, how }]
  }),
)

/** The value that an assignment writes out; undefined where it is another record or depends on the write. */
export function literalOf(assignment: Assignment): Json | undefined {
  return 'operand' in assignment && assignment.operand.kind === 'literal' ? assignment.operand.value : undefined
}
