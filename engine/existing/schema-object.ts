/** What a schema holds, each object as the SQL that makes it anew. */
import type { Row } from '../database/database.ts'

/** Something that one statement makes: a type, a table, a constraint, a trigger. */
export interface SchemaObject {
  /** `<catalog>:<oid>`, as `pg_depend` names it. */
  readonly key: string
  /** What comes first among those that wait for nothing, and then by their age. */
  readonly rank: number
  readonly age: number
  /** Of a part: the object that has it. */
  readonly of?: string
  /** What it needs beside what `pg_depend` says. */
  readonly needs?: readonly string[]
  /** Undefined: it cannot be written as SQL. */
  readonly sql: string | undefined
}

/** One row of `pg_depend`. */
export interface Dependence {
  readonly from: string
  readonly on: string
  readonly kind: string
}

/** Which kinds come first. Casts come behind the rows, whose values are read from texts. */
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

/** Objects of one kind: a statement that gives the oid and the SQL of each, or what the SQL is made from. */
export interface Kind {
  readonly rank: number
  readonly catalog: string
  readonly text: string
  /** The SQL from what follows the oid; the first of it where this is absent. */
  readonly sqlOf?: (row: Row) => string | undefined
}

/** SQL: an object of the schema's own; what an extension made comes with it. */
export function own(catalog: string, row: string, namespace: string): string {
  return `${namespace} = current_schema()::regnamespace and ${ofNoExtension(catalog, row)}`
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
