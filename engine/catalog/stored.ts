/** Which fields are columns of a table, which of these the database computes, and which secrets are not kept as they are sent. */
import { quoted } from '../filter/sql.ts'
import { memo } from '../memo.ts'
import type { Protection } from '../seal.ts'
import type { Catalog, Field, Resource } from './catalog.ts'

/** Whether a field has a column of its own; computed and counted fields have none, and an earlier name has that of its present field. */
export function isStored(field: Pick<Field, 'computed' | 'count' | 'earlier'>): boolean {
  return field.computed === undefined && field.count === undefined && field.earlier === undefined
}

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

/** The id of the row of an alias, as SQL. */
export function idSql({ key }: Pick<Resource, 'key'>, alias: string): string {
  return `${alias}.${quoted(key.column)}`
}

/** What a field has of its type. The type of SQL has no length or scale, which would cut the value of a parameter in silence. */
export function typed(type: Field['type'], options: Field['options']): Pick<Field, 'type' | 'options' | 'sqlType'> {
  return { type, options, sqlType: type.column(options).replace(/\(.*?\)/, '') }
}

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
