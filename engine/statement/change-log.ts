/** The log of changes as SQL: the row that a write adds to it, as a part of the write's own statement. */
import type { Catalog, Field, FieldPath, Resource, WriteAction } from '../catalog/catalog.ts'
import { policyPaths } from '../catalog/policy-paths.ts'
import { idSql, keptIdSql, storedFields } from '../catalog/stored.ts'
import { join, quoted, type Sql, slot, sql } from '../filter/sql.ts'

/** One write whose row of the log is to be made. */
export interface LoggedWrite {
  readonly action: WriteAction
  /** The alias of the record as it was; undefined where it was not there. */
  readonly before?: string
  /** The alias of the record as it is now; undefined where it is gone. */
  readonly after?: string
  /** Of a creation: the fields that its caller gave. Of an update: those that it may change. */
  readonly given: ReadonlySet<Field>
  /** Of several creations: those of the given fields that not each caller gave, with whether this one did. */
  readonly unsure?: ReadonlyMap<Field, Sql>
  /** Whether an update that changes nothing has a row too: its caller must not learn whether it does. */
  readonly always?: boolean | undefined
  /** Of an update: the relations whose links it changes. Which these are is for those alone who may see them. */
  readonly linked?: readonly string[] | undefined
  /** What the row is selected from: it gives nothing where nothing was written. */
  readonly from: Sql
}

/**
 * Whether the log keeps what becomes of a field: no secret, nothing that is never shown, no key, nothing that is derived
 * or that every update sets.
 */
export function isLogged(resource: Resource, field: Field): boolean {
  if (field === resource.key || field.type.hidden === true || field.show === 'never') return false
  return !resource.updateSets.some((set) => set.field.name === field.name)
}

/**
 * The statement that adds the row; an update that changed nothing worth keeping adds none, unless it is to be told always.
 * Slots: `log_actor`, `log_request`, `log_bulk`, `log_source`, `log_depth`, `log_at`.
 */
export function changeSql(catalog: Catalog, resource: Resource, write: LoggedWrite): Sql {
  const { action, from } = write
  const record = write.after ?? write.before
  const values = join([
    text(resource.owner),
    keptIdSql(catalog, resource, record!),
    text(action),
    sql`${slot('log_actor')}::integer`,
    sql`${slot('log_request')}::text`,
    sql`${slot('log_bulk')}::boolean`,
    'x.changes',
    seenSql(catalog, resource, write),
    sql`${slot('log_source')}::text`,
    sql`${slot('log_depth')}::integer`,
    sql`${slot('log_at')}::timestamptz`,
  ])
  // `offset 0`: PostgreSQL would make the list once for the row and once for the condition.
  const [once, worth] =
    action === 'update' && write.always !== true ? [' offset 0', ` where x.changes <> '[]'::jsonb`] : ['', '']
  return sql`insert into plinth_change (resource, record_id, action, actor_id, request_id, bulk, changes, seen_by, source, depth, created_at) select ${values} from ${from} cross join lateral (select ${changesSql(resource, write)} as changes${once}) x${worth}`
}

/** What was kept of a record that is removed for good, the row `w`: that it was, and no value of it. */
export function forgetSql(catalog: Catalog, resource: Resource): Sql {
  const { owner } = resource
  return sql`update plinth_change c set changes = '[]', seen_by = null from plinth_w w where c.resource = ${text(owner)} and c.record_id = ${keptIdSql(catalog, resource, 'w')} and (c.changes <> '[]' or c.seen_by is not null)`
}

/** The fields that changed, in the order of the resource, each with its values before and after. */
function changesSql(resource: Resource, write: LoggedWrite): Sql {
  const links = (write.linked ?? []).map((field) => ({ field, from: null, to: null }))
  const changes = fieldChangesSql(resource, write)
  return links.length === 0 ? changes : sql`${changes} || ${text(JSON.stringify(links))}::jsonb`
}

function fieldChangesSql(resource: Resource, { action, after, before, given, unsure }: LoggedWrite): Sql {
  if (action === 'delete' || action === 'restore') return sql`'[]'::jsonb`
  const kept = storedFields(resource).filter((field) => isLogged(resource, field))
  const fields = action === 'create' ? kept : kept.filter((field) => given.has(field))
  if (fields.length === 0) return sql`'[]'::jsonb`
  if (before === undefined) return createdSql(fields, after!, given, unsure)
  const rows = fields.map((field) => `(${text(field.name)}, ${jsonSql(field, before)}, ${jsonSql(field, after!)})`)
  const entry = `jsonb_build_object('field', f.field, 'from', f.was, 'to', f.now)`
  return sql`coalesce((select jsonb_agg(${entry}) from (values ${rows.join(', ')}) as f(field, was, now) where f.was is distinct from f.now), '[]'::jsonb)`
}

/** PostgreSQL takes at most a hundred arguments. */
const ARGUMENTS = 90

/**
 * The fields of a new record that have a value, as one text that is parsed once: rows of values that are gathered take
 * three times as long. What a default or a rule gave says so, and only that.
 */
function createdSql(
  fields: readonly Field[],
  after: string,
  given: ReadonlySet<Field>,
  unsure: LoggedWrite['unsure'],
): Sql {
  const entries = fields.map((field) => {
    const begin = `'{"field": ${JSON.stringify(field.name).replaceAll("'", "''")}, "from": null, "to": '`
    const sent = unsure?.get(field)
    const end =
      sent === undefined
        ? given.has(field)
          ? `'}'`
          : `', "given": false}'`
        : sql`case when ${sent} then '}' else ', "given": false}' end`
    return sql`${begin} || ${jsonSql(field, after)}::text || ${end}`
  })
  const parts: Sql[] = []
  for (let at = 0; at < entries.length; at += ARGUMENTS)
    parts.push(sql`nullif(concat_ws(',', ${join(entries.slice(at, at + ARGUMENTS))}), '')`)
  return sql`('[' || concat_ws(',', ${join(parts)}) || ']')::jsonb`
}

/** What the policies of the record compare, before and after; one entry where that is the same. */
function seenSql(catalog: Catalog, resource: Resource, { after, before }: LoggedWrite): Sql {
  const paths = [...policyPaths(catalog, resource)]
  const state = (alias: string): string =>
    `jsonb_build_object(${paths.map(([name, path]) => `${text(name)}, ${valueSql(catalog, path, alias)}`).join(', ')})`
  const only = after ?? before!
  if (before === undefined || after === undefined) return sql`jsonb_build_array(${state(only)})`
  return sql`(select case when s.was = s.now then jsonb_build_array(s.now) else jsonb_build_array(s.was, s.now) end from (select ${state(before)} as was, ${state(after)} as now) s)`
}

/** The value at the end of a path from the row of an alias, as JSON. */
function valueSql(catalog: Catalog, { relations, field }: FieldPath, alias: string): string {
  const [first, ...rest] = relations
  if (first === undefined) return jsonSql(field, alias)
  const tableOf = (name: string): string => quoted(catalog.resources.get(name)!.table)
  const idAt = (name: string, at: string): string => idSql(catalog.resources.get(name)!, at)
  const joins = rest.map(
    (relation, i) =>
      `left join ${tableOf(relation.target)} r${i + 1} on ${idAt(relation.target, `r${i + 1}`)} = r${i}.${quoted(relation.field.column)}`,
  )
  return `(select ${jsonSql(field, `r${rest.length}`)} from ${tableOf(first.target)} r0 ${joins.join(' ')} where ${idAt(first.target, 'r0')} = ${alias}.${quoted(first.field.column)})`
}

/** A column as the JSON that answers give of it. */
function jsonSql(field: Field, alias: string): string {
  const column = `${alias}.${quoted(field.column)}`
  switch (field.type.wire) {
    case 'string':
    case 'date':
      return `to_jsonb(${column}::text)`
    case 'timestamp':
      return `to_jsonb(to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))`
    case 'number':
    case 'boolean':
    case 'json':
    case 'strings':
    case 'numbers':
    case 'booleans':
      return `to_jsonb(${column})`
  }
}

/** A name of the catalog as an SQL text. */
function text(name: string): string {
  return `'${name.replaceAll("'", "''")}'`
}
