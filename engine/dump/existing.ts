/** ⇄ The tables that were there before the application and that it serves: read for a dump, made again by a load. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Runner } from '../database/database.ts'
import { readTables } from '../existing/schema.ts'
import { quoted as q } from '../filter/sql.ts'
import type { Physical } from '../migration/inspect.ts'
import type { Table } from '../migration/table.ts'
import { type Counter, readCounters, setCounters } from './counters.ts'

/** What a dump says of them, as JSON. */
export interface Existing {
  /** Those that hold rows; partitions are made with their table. */
  readonly tables: readonly Table[]
  /** Tables of which others inherit, and whose rows are therefore read without theirs. */
  readonly parents: readonly string[]
  /** SQL: types, functions and tables, before the rows. */
  readonly before: readonly string[]
  /** SQL: defaults, keys, constraints, indexes, views, triggers and comments, behind them. */
  readonly after: readonly string[]
  readonly counters: readonly Counter[]
  /** What of the schema is not in the dump, for people. */
  readonly left: readonly string[]
}

/** Whether the application serves tables that were there: then all of their schema belong to it, because SQL, keys and triggers lead from one to another. */
export function standsOnExisting({ resources }: Catalog): boolean {
  return [...resources.values()].some(({ existing }) => existing === true)
}

const READABLE = `select c.relname, exists (select 1 from pg_inherits i where i.inhparent = c.oid) and c.relkind = 'r'
  from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and has_table_privilege(c.oid, 'select') and not exists (
      select 1 from pg_depend x where x.classid = 'pg_class'::regclass and x.objid = c.oid and x.deptype = 'e') order by 1`

const PARTITIONS = `select relname from pg_class where relnamespace = current_schema()::regnamespace and relispartition`

const SEQUENCES = `select s.relname from pg_class s where s.relkind = 'S' and s.relnamespace = current_schema()::regnamespace
    and not exists (select 1 from pg_depend i where i.classid = 'pg_class'::regclass and i.objid = s.oid and i.deptype in ('e', 'i')) order by 1`

/** The tables that were there among those of the schema, and which of them others inherit. */
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

/** All of them with what they need and what stands over them; tables of the application itself are `own`. */
export async function readExisting(
  runner: Runner,
  physical: Pick<Physical, 'all'>,
  own: ReadonlySet<string>,
): Promise<Existing> {
  const { tables, parents } = await existingTables(runner, physical, own)
  const schema = await readTables(
    runner,
    tables.map(({ name }) => name),
    [...own],
  )
  const sequences = (await runner.run({ text: SEQUENCES }, [])).map(([name]) => name ?? '')
  const made = sequences.filter((name) => schema.tables.some((sql) => sql.startsWith(`create sequence ${q(name)} `)))
  const identities = tables.flatMap(({ name: table, columns }) =>
    columns.filter(({ identity }) => identity).map(({ name: column }) => ({ table, column, name: undefined })),
  )
  const counters = await readCounters(runner, [
    ...identities,
    ...made.map((name) => ({ table: '', column: undefined, name })),
  ])
  return { tables, parents, before: schema.tables, after: schema.rest, counters, left: schema.left }
}

/** Makes the tables, empty and with nothing that acts on their rows. */
export async function createExisting(runner: Runner, { before }: Existing): Promise<void> {
  // A function may name what comes behind it.
  await runner.run({ text: 'set local check_function_bodies = off' }, [])
  for (const text of before) await runner.run({ text }, [])
}

/** Makes what stands over the rows, and brings the sequences to where they stood. */
export async function completeExisting(runner: Runner, { after, counters }: Existing): Promise<void> {
  for (const text of after) await runner.run({ text }, [])
  await setCounters(runner, counters)
}
