/**
 * The schema of an existing database as SQL that makes it again, without rows ⇄: for dumps, and for databases of tests.
 */
import type { Database, Runner } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'
import { readComments } from './comments.ts'
import { ordered } from './object-order.ts'
import { describe, readObjects } from './read-objects.ts'
import { identitiesOf, RANKS, type SchemaObject } from './schema-object.ts'

/** SQL that makes one object, or a part of it. */
export interface Statement {
  readonly sql: string
  /** The identity of an object that people may have made by hand already. */
  readonly makes?: string
}

/** An object that has to be there before the statements run. */
export interface Asked {
  /** In words of PostgreSQL. */
  readonly what: string
  readonly identity: string
}

/** Tables, the objects that they need, and the objects over them. */
export interface Schema {
  /** Makes the tables without indexes, keys and triggers, which would slow down their filling or act on it. */
  readonly tables: readonly Statement[]
  /** Makes the rest: defaults, keys, constraints, indexes, views, triggers, comments. */
  readonly rest: readonly Statement[]
  /** The extensions that they need. */
  readonly extensions: readonly string[]
  /** Needed objects that no statement makes. */
  readonly asked: readonly Asked[]
  /** One line for each object of the schema that it does not make. */
  readonly left: readonly string[]
}

const EXTENSIONS = `select x.extname, case when x.extnamespace not in (current_schema()::regnamespace, 'pg_catalog'::regnamespace) then n.nspname end
  from pg_extension x join pg_namespace n on n.oid = x.extnamespace where 'pg_extension:' || x.oid = any($1) order by 1`

/** Everything in the schema by its dependence on it. */
const OTHERS = `select k.key, null from (
    select d.classid::regclass || ':' || d.objid as key, d.classid, d.objid from pg_depend d
      where d.refclassid = 'pg_namespace'::regclass and d.refobjid = current_schema()::regnamespace and d.deptype = 'n'
        and d.classid <> 'pg_extension'::regclass
  ) k where not exists (select 1 from pg_depend e where e.classid = k.classid and e.objid = k.objid and e.deptype in ('e', 'i'))
    and not exists (select 1 from pg_class c where k.classid = 'pg_class'::regclass and c.oid = k.objid
      and (c.relkind in ('r', 'p', 'S', 'i', 'I', 'c') or c.relpersistence = 't'))
    and not exists (select 1 from pg_type t where k.classid = 'pg_type'::regclass and t.oid = k.objid and t.typrelid <> 0) order by 1`

/** The tables to read, and the objects that are there where they are made. */
export interface Reading {
  readonly tables: readonly string[]
  /** Other tables of the schema, which may be relied on. */
  readonly given?: readonly string[]
  /** Whether objects that no statement makes are asked for; otherwise the objects that need them are left out. */
  readonly asks?: boolean
}

const KEYS = `select 'pg_class:' || oid from pg_class where relnamespace = current_schema()::regnamespace and relname = any($1)`

/** The schema of these tables. */
export async function readTables(runner: Runner, { tables, given = [], asks = false }: Reading): Promise<Schema> {
  const ask = (text: string, values: readonly unknown[]) => runner.run({ text }, values)
  const { objects: read, dependences } = await readObjects(runner, tables)
  // What is asked for has to be there before, so nothing of another schema is made.
  const objects = asks ? read.filter(({ elsewhere }) => elsewhere === undefined) : read
  const comments = await readComments(runner, objects)
  const there = new Set((await ask(KEYS, [given])).map(([key]) => key ?? ''))
  const order = ordered([...objects, ...comments.objects], [...dependences, ...comments.dependences], { there, asks })
  const extensions = await ask(EXTENSIONS, [order.extensions])
  const known = new Set([...objects.map(({ key }) => key), ...there, ...order.asked])
  const others = (await ask(OTHERS, [])).map(([key]) => key ?? '').filter((key) => !known.has(key))
  const statements = await statementsOf(runner, order.objects)
  const last = order.objects.findLastIndex(({ rank }) => rank === RANKS.table)
  return {
    tables: [
      ...[...new Set(order.objects.flatMap(({ elsewhere }) => elsewhere ?? []))].map((schema) => ({
        sql: `create schema if not exists ${q(schema)}`,
      })),
      ...extensions.flatMap(([name, schema]) => extensionSql(name ?? '', schema)).map((sql) => ({ sql })),
      ...statements.slice(0, last + 1),
    ],
    rest: statements.slice(last + 1),
    extensions: extensions.map(([name]) => name ?? ''),
    asked: await askedOf(runner, order.asked),
    left: [...(await toldOf(runner, order.left)), ...(await describe(runner, others))],
  }
}

/** Each statement with the identity of its object; tables and their parts are made in any case. */
async function statementsOf(runner: Runner, objects: readonly SchemaObject[]): Promise<readonly Statement[]> {
  const single = new Set(
    objects
      .filter(({ key, rank, of }) => of === undefined && key.startsWith('pg_') && !RELATIONS.has(rank))
      .map(({ key }) => key),
  )
  const identities = await identitiesOf(runner, [...single])
  return objects.map(({ key, of, sql = '' }) => {
    const makes = identities.get(of ?? key)
    return makes === undefined ? { sql } : { sql, makes }
  })
}

const RELATIONS: ReadonlySet<number> = new Set([RANKS.table, RANKS.view, RANKS.stored])

async function askedOf(runner: Runner, keys: readonly string[]): Promise<readonly Asked[]> {
  const names = await describe(runner, keys)
  const identities = await identitiesOf(runner, keys)
  return keys.map((key, at) => ({ what: names[at] ?? '', identity: identities.get(key) ?? '' }))
}

function extensionSql(name: string, schema: string | null | undefined): readonly string[] {
  const made = `create extension if not exists ${q(name)}`
  if (schema === null || schema === undefined) return [`${made} cascade`]
  return [`create schema if not exists ${q(schema)}`, `${made} schema ${q(schema)} cascade`]
}

async function toldOf(
  runner: Runner,
  left: readonly { readonly key: string; readonly without: string | undefined }[],
): Promise<readonly string[]> {
  const named = left.filter(({ key }) => key.startsWith('pg_'))
  const names = await describe(
    runner,
    named.map(({ key }) => key),
  )
  const needed = await describe(
    runner,
    named.map(({ key, without }) => without ?? key),
  )
  return named.map(({ without }, place) =>
    without === undefined ? `${names[place]}` : `${names[place]}, which needs ${needed[place]}`,
  )
}

/** Makes the tables of these names, with what they need, in an empty database of the same PostgreSQL or a newer one. */
export function readSchema(
  { session }: Pick<Database, 'session'>,
  tables: readonly string[],
): Promise<{ readonly sql: string; readonly left: readonly string[] }> {
  return session(async (runner) => {
    const { tables: made, rest, left } = await readTables(runner, { tables })
    // A function may name an object that is made after it.
    const all = ['set check_function_bodies = off', ...[...made, ...rest].map((one) => one.sql)]
    return { sql: all.map((sql) => `${sql.trimEnd()};\n`).join(''), left }
  })
}
