/** ⇄ The tables of a database that is there as SQL which makes them anew, without a row: for dumps, and for the databases of tests. */
import type { Database, Runner } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'
import { readComments } from './comments.ts'
import { describe, RANKS, readObjects, type SchemaObject } from './objects.ts'
import { ordered } from './order.ts'

/** Tables, what they need, and what stands over them. */
export interface Schema {
  /** Makes the tables without what would slow their filling down, or act on it. */
  readonly tables: readonly string[]
  /** Makes the rest: defaults, keys, constraints, indexes, views, triggers, comments. */
  readonly rest: readonly string[]
  /** One line for each object of the schema that it does not make. */
  readonly left: readonly string[]
}

const EXTENSIONS = `select x.extname, case when x.extnamespace not in (current_schema()::regnamespace, 'pg_catalog'::regnamespace) then n.nspname end
  from pg_extension x join pg_namespace n on n.oid = x.extnamespace where 'pg_extension:' || x.oid = any($1) order by 1`

/** Everything in the schema by its dependence on it, and what tables have that has no statement here. */
const OTHERS = `select k.key, null from (
    select d.classid::regclass || ':' || d.objid as key, d.classid, d.objid from pg_depend d
      where d.refclassid = 'pg_namespace'::regclass and d.refobjid = current_schema()::regnamespace and d.deptype = 'n'
        and d.classid <> 'pg_extension'::regclass
    union all select 'pg_policy:' || p.oid, 'pg_policy'::regclass, p.oid from pg_policy p join pg_class c on c.oid = p.polrelid and c.relname = any($1)
      where c.relnamespace = current_schema()::regnamespace
    union all select 'pg_rewrite:' || r.oid, 'pg_rewrite'::regclass, r.oid from pg_rewrite r join pg_class c on c.oid = r.ev_class
      where r.rulename <> '_RETURN' and c.relnamespace = current_schema()::regnamespace and c.relname = any($1)
  ) k where not exists (select 1 from pg_depend e where e.classid = k.classid and e.objid = k.objid and e.deptype in ('e', 'i'))
    and not exists (select 1 from pg_class c where k.classid = 'pg_class'::regclass and c.oid = k.objid
      and (c.relkind in ('r', 'p', 'S', 'i', 'I', 'c') or c.relpersistence = 't'))
    and not exists (select 1 from pg_type t where k.classid = 'pg_type'::regclass and t.oid = k.objid and t.typrelid <> 0) order by 1`

const SECURED = `select 'row security of table ' || quote_ident(relname) from pg_class
  where relrowsecurity and relnamespace = current_schema()::regnamespace and relname = any($1) order by 1`

/** The schema of these tables; others of their schema are `given`, and may be relied on. */
export async function readTables(
  runner: Runner,
  tables: readonly string[],
  given: readonly string[] = [],
): Promise<Schema> {
  const { objects, dependences } = await readObjects(runner, tables)
  const comments = await readComments(runner, objects)
  const there = `select 'pg_class:' || oid from pg_class where relnamespace = current_schema()::regnamespace and relname = any($1)`
  const ask = (text: string, values: readonly unknown[]) => runner.run({ text }, values)
  const keys = new Set((await ask(there, [given])).map(([key]) => key ?? ''))
  const order = ordered([...objects, ...comments.objects], [...dependences, ...comments.dependences], keys)
  const extensions = (await ask(EXTENSIONS, [order.extensions])).flatMap(([name, schema]) =>
    extensionSql(name ?? '', schema),
  )
  const known = new Set(objects.map(({ key }) => key))
  const others = (await ask(OTHERS, [tables]))
    .map(([key]) => key ?? '')
    .filter((key) => !known.has(key) && !keys.has(key))
  const secured = (await ask(SECURED, [tables])).map(([name]) => name ?? '')
  const last = order.objects.findLastIndex(({ rank }) => rank === RANKS.table)
  const text = ({ sql }: SchemaObject): string => sql ?? ''
  return {
    tables: [...extensions, ...order.objects.slice(0, last + 1).map(text)],
    rest: order.objects.slice(last + 1).map(text),
    left: [...(await toldOf(runner, order.left)), ...(await describe(runner, others)), ...secured],
  }
}

function extensionSql(name: string, schema: string | null | undefined): readonly string[] {
  if (schema === null || schema === undefined) return [`create extension if not exists ${q(name)}`]
  return [`create schema if not exists ${q(schema)}`, `create extension if not exists ${q(name)} schema ${q(schema)}`]
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
    const { tables: made, rest, left } = await readTables(runner, tables)
    // A function may name what comes behind it.
    const all = ['set check_function_bodies = off', ...made, ...rest]
    return { sql: all.map((sql) => `${sql.trimEnd()};\n`).join(''), left }
  })
}
