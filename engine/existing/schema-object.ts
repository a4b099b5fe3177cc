/**
 * An object of a schema: the SQL that makes it, its rank in the order of making, and its identity in another database.
 */
import type { Row, Runner } from '../database/database.ts'
import { quoteText } from '../migration/sql-name.ts'

/** Something that one statement makes: a type, a table, a constraint, a trigger. */
export interface SchemaObject {
  /** `<catalog>:<oid>`, as `pg_depend` names it. */
  readonly key: string
  /** Its rank among the objects that wait for nothing; then their age decides. */
  readonly rank: number
  readonly age: number
  /** Of a part: the object that has it. */
  readonly of?: string
  /** Needed objects in addition to `pg_depend`. */
  readonly needs?: readonly string[]
  /** The schema, where that is another one than the connection's. */
  readonly elsewhere?: string | undefined
  /** Undefined: it cannot be written as SQL. */
  readonly sql: string | undefined
}

/** One row of `pg_depend`. */
export interface Dependence {
  readonly from: string
  readonly on: string
  readonly kind: string
}

/** The order of kinds. Casts come after the rows, whose values are read from texts. */
export const RANKS = Object.freeze({
  type: 0,
  sequence: 1,
  routine: 2,
  table: 3,
  part: 4,
  cast: 19,
  view: 20,
  stored: 21,
  owner: 29,
  comment: 30,
})

/** Objects of one kind: a statement that gives the oid and the SQL of each, or the parts of the SQL. */
export interface Kind {
  readonly rank: number
  readonly catalog: string
  readonly text: string
  /** Makes the SQL from the columns after the oid; the first of them where this is absent. */
  readonly sqlOf?: (row: Row) => string | undefined
}

/** SQL: an object of the schema; objects of an extension are made by the extension. */
export function own(catalog: string, row: string, namespace: string): string {
  return `${namespace} = current_schema()::regnamespace and ${ofNoExtension(catalog, row)}`
}

/** SQL: an object of this schema, or of another one of people's, which the tables of this schema may need. */
export function reachable(catalog: string, row: string, namespace: string): string {
  return `${namespace} in (select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema') and ${ofNoExtension(catalog, row)}`
}

/** SQL: an object that came with no extension. */
export function ofNoExtension(catalog: string, row: string): string {
  return `not exists (select 1 from pg_depend x where x.classid = '${catalog}'::regclass and x.objid = ${row}.oid and x.deptype = 'e')`
}

/** SQL of a name, with its schema where that is another one, and without where the schema may be another one later. */
function named(catalog: string, prefix: string, oid: string): string {
  return `(select case when z.oid in (current_schema()::regnamespace, 'pg_catalog'::regnamespace) then '' else quote_ident(z.nspname) || '.' end || quote_ident(y.${prefix}name)
    from ${catalog} y join pg_namespace z on z.oid = y.${prefix}namespace where y.oid = ${oid})`
}

/** SQL of the name of a routine, null where there is none. */
export function routine(oid: string): string {
  return named('pg_proc', 'pro', oid)
}

/** SQL of the name of a collation, null where there is none. */
export function collation(oid: string): string {
  return named('pg_collation', 'coll', oid)
}

/** SQL of the name of an operator class, null where there is none. */
export function operatorClass(oid: string): string {
  return named('pg_opclass', 'opc', oid)
}

/** SQL of the name of an operator family, null where there is none. */
export function operatorFamily(oid: string): string {
  return named('pg_opfamily', 'opf', oid)
}

/** SQL of the name of a parser of text search, null where there is none. */
export function parser(oid: string): string {
  return named('pg_ts_parser', 'prs', oid)
}

/** SQL of the name of a template of text search, null where there is none. */
export function template(oid: string): string {
  return named('pg_ts_template', 'tmpl', oid)
}

/** SQL of the name of a dictionary of text search, null where there is none. */
export function dictionary(oid: string): string {
  return named('pg_ts_dict', 'dict', oid)
}

/** SQL of the name of a table, null where there is none. */
export function relation(oid: string): string {
  return named('pg_class', 'rel', oid)
}

/** SQL of an operator as others name it, null where there is none. */
export function operator(oid: string): string {
  return `(select case when z.oid in (current_schema()::regnamespace, 'pg_catalog'::regnamespace) then y.oprname else format('operator(%I.%s)', z.nspname, y.oprname) end
    from pg_operator y join pg_namespace z on z.oid = y.oprnamespace where y.oid = ${oid})`
}

function withoutSchema(names: string): string {
  return `array_to_string(array(select case when u.name = current_schema() then ''
    when starts_with(u.name, quote_ident(current_schema()) || '.') then substr(u.name, length(quote_ident(current_schema())) + 2)
    else u.name end from unnest(${names}) with ordinality as u(name, at) order by u.at), ',')`
}

const IDENTITY = `i.type || ' ' || ${withoutSchema('i.object_names')} || '(' || ${withoutSchema('i.object_args')} || ')'`

/**
 * The catalogs of objects that can be made by hand before a load; an operator or a type that is only named is not there
 * yet.
 */
const CATALOGS = Object.entries({
  pg_type: `typisdefined and not exists (select 1 from pg_class c where c.oid = typrelid and c.relkind <> 'c')`,
  pg_collation: 'true',
  pg_proc: 'true',
  pg_operator: 'oprcode <> 0',
  pg_opfamily: 'true',
  pg_opclass: 'true',
  pg_cast: 'true',
  pg_conversion: 'true',
  pg_language: 'true',
  pg_am: 'true',
  pg_ts_parser: 'true',
  pg_ts_template: 'true',
  pg_ts_dict: 'true',
  pg_ts_config: 'true',
  pg_class: `relkind in ('r', 'p', 'v', 'm', 'f', 'S')`,
})

const THERE = `select ${IDENTITY} from (
    ${CATALOGS.map(([name, where]) => `select '${name}'::regclass as catalog, oid from ${name} where oid >= 16384 and ${where}`).join(' union all ')}
    union all select 'pg_authid'::regclass, oid from pg_roles
  ) k cross join lateral pg_identify_object_as_address(k.catalog, k.oid, 0) i`

/** The identities of objects that people or extensions made in this database, and of its roles. */
export async function identitiesThere(runner: Runner): Promise<ReadonlySet<string>> {
  return new Set((await runner.run({ text: THERE }, [])).map(([identity]) => identity ?? ''))
}

/** The identity of each of these keys. */
export async function identitiesOf(runner: Runner, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (keys.length === 0) return new Map()
  const named = keys
    .map((key) => [key, ...key.split(':')])
    .map(([key = '', catalog = '', oid]) => {
      return `(${quoteText(key)}, ${quoteText(catalog)}::regclass, ${oid}::oid)`
    })
  const text = `select k.key, ${IDENTITY} from (values ${named.join(', ')}) as k (key, catalog, oid)
    cross join lateral pg_identify_object_as_address(k.catalog, k.oid, 0) i`
  return new Map((await runner.run({ text }, [])).map(([key, identity]) => [key ?? '', identity ?? '']))
}
