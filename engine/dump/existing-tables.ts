/** The tables that were there before the application and that it serves ⇄: read for a dump, made again by a load. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Runner } from '../database/database.ts'
import { type Asked, readTables, type Statement } from '../existing/schema.ts'
import { identitiesThere } from '../existing/schema-object.ts'
import type { Physical } from '../migration/inspect.ts'
import type { Table } from '../migration/table.ts'
import { type Counter, readCounters, refusal, setCounters } from './rows.ts'

/** The part of a dump about these tables, as JSON. */
export interface Existing {
  /** The tables that hold rows; partitions are made with their table. */
  readonly tables: readonly Table[]
  /** Parents of other tables: their rows are read without the rows of their children. */
  readonly parents: readonly string[]
  /** SQL: types, functions and tables, before the rows. */
  readonly before: readonly Statement[]
  /** SQL: defaults, keys, constraints, indexes, views, triggers and comments, after the rows. */
  readonly after: readonly Statement[]
  readonly counters: readonly Counter[]
  /** Extensions that the server must have. */
  readonly extensions: readonly string[]
  /** Objects that people make by hand before a load. */
  readonly asked: readonly Asked[]
  /** Objects of the schema that are not in the dump, for people. */
  readonly left: readonly string[]
}

/**
 * Whether the application serves existing tables: then their whole schema belongs to it, because SQL, keys and triggers
 * connect its tables.
 */
export function standsOnExisting({ resources }: Catalog): boolean {
  return [...resources.values()].some(({ existing }) => existing === true)
}

const READABLE = `select c.relname, exists (select 1 from pg_inherits i where i.inhparent = c.oid) and c.relkind = 'r'
  from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and has_table_privilege(c.oid, 'select') and not exists (
      select 1 from pg_depend x where x.classid = 'pg_class'::regclass and x.objid = c.oid and x.deptype = 'e') order by 1`

const PARTITIONS = `select relname from pg_class where relnamespace = current_schema()::regnamespace and relispartition`

const SEQUENCES = `select s.relname, quote_ident(s.relname) from pg_class s where s.relkind = 'S' and s.relnamespace = current_schema()::regnamespace
    and not exists (select 1 from pg_depend i where i.classid = 'pg_class'::regclass and i.objid = s.oid and i.deptype in ('e', 'i')) order by 1`

/** The existing tables of the schema, and the parents among them. */
export async function existingTables(
  runner: Runner,
  { all }: Pick<Physical, 'all'>,
  own: ReadonlySet<string>,
): Promise<Pick<Existing, 'tables' | 'parents'> & { readonly partitions: ReadonlySet<string> }> {
  const rows = (await runner.run({ text: READABLE }, [])).filter(([name]) => !own.has(name ?? ''))
  const names = new Set(rows.map(([name]) => name))
  return {
    tables: all.filter(({ name }) => names.has(name)),
    parents: rows.flatMap(([name, isParent]) => (isParent === 't' && name ? [name] : [])),
    partitions: new Set((await runner.run({ text: PARTITIONS }, [])).map(([name]) => name ?? '')),
  }
}

/** All existing tables with the objects that they need and those over them; `own` are tables of the application. */
export async function readExisting(
  runner: Runner,
  physical: Pick<Physical, 'all'>,
  own: ReadonlySet<string>,
): Promise<Existing> {
  const { tables, parents } = await existingTables(runner, physical, own)
  const names = tables.map(({ name }) => name)
  const { rest, left, extensions, asked, ...schema } = await readTables(runner, {
    tables: names,
    given: [...own],
    asks: true,
  })
  const isMade = (quoted: string | null | undefined) =>
    schema.tables.some(({ sql }) =>
      sql.replace(/^create unlogged /, 'create ').startsWith(`create sequence ${quoted} as `),
    )
  const made = (await runner.run({ text: SEQUENCES }, [])).filter(([, quoted]) => isMade(quoted))
  const identities = tables.flatMap(({ name: table, columns }) =>
    columns.filter(({ identity }) => identity).map(({ name: column }) => ({ table, column, name: undefined })),
  )
  const counters = await readCounters(runner, [
    ...identities,
    ...made.map(([name]) => ({ table: '', column: undefined, name: name ?? '' })),
  ])
  return { tables, parents, before: schema.tables, after: rest, counters, extensions, asked, left }
}

const EXTENSIONS = `select n from unnest($1::text[]) as u(n) where n not in (select extname from pg_extension union all select name from pg_available_extensions)`

/** Throws the list of all objects that have to be made by hand and are missing; returns those that are there. */
export async function requireAsked(runner: Runner, { asked, extensions }: Existing): Promise<ReadonlySet<string>> {
  const there = await identitiesThere(runner)
  const missing = [
    ...(await runner.run({ text: EXTENSIONS }, [extensions])).map(
      ([name]) => `extension ${name}, which the server does not have`,
    ),
    ...asked.filter(({ identity }) => !there.has(identity)).map(({ what }) => what),
  ]
  if (missing.length === 0) return there
  throw new Error(
    `The dumped tables need what no dump can make:\n${missing.map((one) => `  ${one}`).join('\n')}\nMake it in this database, with what it needs itself, and load again: what is there already is taken as it is.`,
  )
}

/** Makes the tables, empty and with nothing that acts on their rows; objects that are `there` are used. */
export async function createExisting(runner: Runner, { before }: Existing, there: ReadonlySet<string>): Promise<void> {
  // A function may name an object that is made after it.
  await runner.run({ text: 'set local check_function_bodies = off' }, [])
  await make(runner, before, there)
}

/** Makes the objects over the rows, and restores the state of sequences. */
export async function completeExisting(
  runner: Runner,
  { after, counters }: Existing,
  there: ReadonlySet<string>,
): Promise<void> {
  await make(runner, after, there)
  await setCounters(runner, counters)
}

async function make(runner: Runner, statements: readonly Statement[], there: ReadonlySet<string>): Promise<void> {
  for (const { sql, makes } of statements) {
    if (makes !== undefined && there.has(makes)) continue
    await runner.run({ text: sql }, []).catch((error: unknown) => {
      const byHand =
        makes === undefined ? '' : '\nHave it made by hand, and load again: what is there already is taken as it is.'
      throw new Error(`The database refuses a statement of the dump, ${refusal(error)}:\n${sql}${byHand}`)
    })
  }
}
