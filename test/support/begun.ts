/**
 * ⇄ Databases that hold what a first start of the same files leaves, or the tables of the engine alone, made once for each
 * process instead of once for each application.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Boot, readCatalog } from '../../engine/boot/boot.ts'
import { setUpDatabase } from '../../engine/boot/database-setup.ts'
import type { Database } from '../../engine/database/database.ts'
import { copiedDatabase, type HeldDatabase, heldDatabase } from '../../engine/database/throwaway.ts'
import { readSettings } from '../../engine/settings.ts'
import { type Baseline, KEPT, keepBaseline } from '../../engine/testing/baseline.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { leftDatabases } from '../run/left-databases.ts'
import { SILENT, type TestDatabase, testDatabase } from './database.ts'

/**
 * An embedded database with the rows of its first start; `shape` names everything in it that is no row, and `next` is the
 * least object id of what comes later.
 */
interface Begun {
  readonly held: HeldDatabase
  readonly baseline: Baseline
  readonly shape: string
  readonly next: string
}

/** Embedded databases that nobody uses at present, by version; the last one was used last. */
const idle = new Map<string, Begun>()
/** Versions whose applications change more than rows, so that keeping a database for them is in vain. */
const altered = new Set<string>()
/** Each takes a quarter of a gigabyte. */
const MOST_IDLE = 3
const MOST_ROOTED = 2

const templates = new Map<string, Promise<string>>()

/** A database with the tables, calendars and seeds of an application, and nothing else. */
export async function begunDatabase(boot: Boot): Promise<TestDatabase> {
  const { version } = boot
  const server = process.env.TEST_DATABASE_URL
  if (!server) return (await restored(version)) ?? (altered.has(version) ? rootedDatabase() : made(boot))
  const template = templates.get(version) ?? templateFor(boot)
  templates.set(version, template)
  return copiedDatabase(server, await template, SILENT)
}

async function begin({ catalog }: Boot, database: Database): Promise<void> {
  const { value, diagnostics } = await setUpDatabase(catalog, database, {
    log: SILENT,
    now: new Date(),
    settings: readSettings({}).value!,
  })
  if (value === undefined) throw new Error(renderDiagnostics(diagnostics))
}

/** Nobody is connected to it, and the run removes it at its end. */
async function templateFor(boot: Boot): Promise<string> {
  const { database, url } = await testDatabase()
  await begin(boot, database)
  await database.close()
  const name = new URL(String(url)).pathname.slice(1)
  leftDatabases.push(name)
  return name
}

interface Beginning {
  readonly held: HeldDatabase
  readonly database: Database
}

async function beginning(): Promise<Beginning> {
  const held = await heldDatabase(SILENT)
  return { held, database: held.open() }
}

/** Begins an application on it, and keeps its rows; undefined where they cannot be put back. */
async function begunOn({ held, database }: Beginning, boot: Boot): Promise<Begun | undefined> {
  await begin(boot, database).catch(async (error: unknown) => {
    await database.close()
    await held.release()
    throw error
  })
  // Where keys between tables form a circle, there is no order in which rows could be put back.
  const baseline = await keepBaseline(database)
  return baseline && { held, baseline, shape: await shapeOf(database), next: await nextIn(database) }
}

async function made(boot: Boot): Promise<TestDatabase> {
  const { held, database } = await rootedGround()
  await database.adhoc.run({ text: `drop schema "${KEPT}" cascade` }, [])
  const begun = await begunOn({ held, database }, boot)
  return lent(database, () => (begun === undefined ? held.release() : keep(boot.version, begun)))
}

function lent(database: Database, closed: () => Promise<void>): TestDatabase {
  return {
    ...{ database, url: undefined },
    async close() {
      await database.close()
      await closed()
    },
  }
}

/** Keeps a database for the next application of its version, instead of the one that was used the longest time ago. */
async function keep(version: string, begun: Begun): Promise<void> {
  if (idle.has(version)) return begun.held.release()
  idle.set(version, begun)
  const [oldest] = idle.keys()
  if (idle.size <= MOST_IDLE || oldest === undefined) return
  const { held } = idle.get(oldest)!
  idle.delete(oldest)
  await held.release()
}

/** Undefined where none is kept, or the application before changed more than rows; that one is given up. */
async function restored(version: string): Promise<TestDatabase | undefined> {
  const begun = idle.get(version)
  if (begun === undefined) return undefined
  idle.delete(version)
  const database = await opened(begun)
  if (database === undefined) altered.add(version)
  return database && lent(database, () => keep(version, begun))
}

/** Opens it as it began; undefined where it was changed in more than rows, and is given up. */
async function opened({ baseline, held, shape }: Begun): Promise<Database | undefined> {
  const database = held.open()
  if ((await shapeOf(database)) !== shape) {
    await database.close()
    await held.release()
    return undefined
  }
  await baseline.restore(database)
  await database.adhoc.run({ text: 'delete from pg_statistic' }, [])
  return database
}

/** Databases with the tables of the engine that nobody uses at present. */
const rooted: Begun[] = []

/** An application without resources. */
async function nothing(): Promise<Boot> {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-nothing-'))
  try {
    await writeFile(join(folder, 'app.yaml'), 'name: Nothing\n')
    const { value, diagnostics } = await readCatalog(readSettings({ RESOURCES_DIR: folder }).value!)
    if (value === undefined) throw new Error(renderDiagnostics(diagnostics))
    return value
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

let nothingRead: Promise<Boot> | undefined

async function rootedGround(): Promise<Beginning & { readonly begun: Begun }> {
  const begun = rooted.pop()
  const database = begun && (await cleared(begun))
  if (begun !== undefined && database !== undefined) return { held: begun.held, database, begun }
  nothingRead ??= nothing()
  const fresh = await beginning()
  return { ...fresh, begun: (await begunOn(fresh, await nothingRead))! }
}

/**
 * A database that an application without resources was served from: the tables of the engine are there, as after a first
 * start. On a server it is an empty one.
 */
export async function rootedDatabase(): Promise<TestDatabase> {
  if (process.env.TEST_DATABASE_URL) return testDatabase()
  const { database, begun } = await rootedGround()
  return lent(database, () => keepRooted(begun))
}

async function keepRooted(begun: Begun): Promise<void> {
  if (rooted.length < MOST_ROOTED) rooted.push(begun)
  else await begun.held.release()
}

/** Opens it without what the application before has made; undefined where that is impossible, and it is given up. */
async function cleared(begun: Begun): Promise<Database | undefined> {
  const database = begun.held.open()
  const isClear = await database.adhoc.run({ text: clearing(begun.next) }, []).then(
    () => true,
    () => false,
  )
  await database.close()
  if (isClear) return opened(begun)
  await begun.held.release()
  return undefined
}

/** Drops everything with an object id from `next` on. */
const clearing = (next: string): string => `do $$ declare drops text; begin
  select string_agg(format('drop extension %I cascade', extname), ';') into drops from pg_extension where oid >= ${next};
  if drops is not null then execute drops; end if;
  select string_agg(format('drop schema %I cascade', nspname), ';') into drops from pg_namespace
    where oid >= ${next} and nspname not like 'pg\\_%';
  if drops is not null then execute drops; end if;
  select 'drop table ' || string_agg(oid::regclass::text, ',') || ' cascade' into drops from pg_class
    where oid >= ${next} and relkind in ('r', 'p') and relnamespace = 'public'::regnamespace;
  if drops is not null then execute drops; end if;
  select string_agg(format('drop %s %s cascade', case relkind when 'v' then 'view' when 'm' then 'materialized view' else 'sequence' end, oid::regclass), ';')
    into drops from pg_class c where oid >= ${next} and relkind in ('v', 'm', 'S') and relnamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i') and d.refobjid < ${next});
  if drops is not null then execute drops; end if;
  select string_agg(format('drop routine %s cascade', oid::regprocedure), ';') into drops from pg_proc
    where oid >= ${next} and pronamespace = 'public'::regnamespace;
  if drops is not null then execute drops; end if;
  select string_agg(format('drop type %s cascade', oid::regtype), ';') into drops from pg_type
    where oid >= ${next} and typtype in ('d', 'e', 'r') and typnamespace = 'public'::regnamespace;
  if drops is not null then execute drops; end if;
end $$`

const NEXT = `select greatest((select max(oid) from pg_class), (select max(oid) from pg_type), (select max(oid) from pg_proc),
  (select max(oid) from pg_namespace), (select max(oid) from pg_extension))::bigint + 1`

async function nextIn({ adhoc }: Database): Promise<string> {
  const [row] = await adhoc.run({ text: NEXT }, [])
  return String(row?.[0])
}

const SHAPE = `select md5(concat(
  (select string_agg(concat_ws(' ', c.oid, c.relname, c.relkind, c.reloptions), ',' order by c.oid) from pg_class c),
  (select string_agg(concat_ws(' ', a.attrelid, a.attnum, a.attname, a.atttypid, a.attnotnull, a.attstattarget), ',' order by a.attrelid, a.attnum)
    from pg_attribute a where a.attrelid >= 16384),
  (select string_agg(concat_ws(' ', d.oid, d.adbin), ',' order by d.oid) from pg_attrdef d),
  (select string_agg(concat_ws(' ', k.oid, k.conname, k.convalidated), ',' order by k.oid) from pg_constraint k),
  (select string_agg(concat_ws(' ', i.indexrelid, i.indisvalid), ',' order by i.indexrelid) from pg_index i),
  (select string_agg(concat_ws(' ', t.oid, t.tgenabled), ',' order by t.oid) from pg_trigger t),
  (select string_agg(concat_ws(' ', p.oid, p.prosrc), ',' order by p.oid) from pg_proc p where p.oid >= 16384),
  (select string_agg(concat_ws(' ', n.oid, n.nspname), ',' order by n.oid) from pg_namespace n)))`

/** Names everything in a database that is no row: tables, columns, constraints, indexes, triggers, functions, schemas. */
async function shapeOf({ adhoc }: Database): Promise<string> {
  const [row] = await adhoc.run({ text: SHAPE }, [])
  return String(row?.[0])
}
