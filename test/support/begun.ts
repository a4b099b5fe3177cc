/** ⇄ Databases that hold what a first start of the same files leaves, made once for each process instead of once for each application. */
import type { Boot } from '../../engine/boot/boot.ts'
import { setUpDatabase } from '../../engine/boot/database-setup.ts'
import type { Database } from '../../engine/database/database.ts'
import { copiedDatabase, type HeldDatabase, heldDatabase } from '../../engine/database/throwaway.ts'
import { readSettings } from '../../engine/settings.ts'
import { type Baseline, keepBaseline } from '../../engine/testing/baseline.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { leftDatabases } from '../run/left-databases.ts'
import { SILENT, type TestDatabase, testDatabase } from './database.ts'

/** An embedded database with the rows of its first start; `shape` names everything in it that is no row. */
interface Begun {
  readonly held: HeldDatabase
  readonly baseline: Baseline
  readonly shape: string
}

/** Embedded databases that nobody uses at present, by version; the last one was used last. */
const idle = new Map<string, Begun>()
/** Each takes a quarter of a gigabyte. */
const MOST_IDLE = 3

const templates = new Map<string, Promise<string>>()

/** A database with the tables, calendars and seeds of an application, and nothing else. */
export async function begunDatabase(boot: Boot): Promise<TestDatabase> {
  const { version } = boot
  const server = process.env.TEST_DATABASE_URL
  if (!server) return (await restored(version)) ?? made(boot)
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

async function made(boot: Boot): Promise<TestDatabase> {
  const held = await heldDatabase(SILENT)
  const database = held.open()
  await begin(boot, database).catch(async (error: unknown) => {
    await database.close()
    await held.release()
    throw error
  })
  const baseline = await keepBaseline(database)
  // Where keys between tables form a circle, there is no order in which rows could be put back.
  if (baseline === undefined) return lent(database, () => held.release())
  const begun = { held, baseline, shape: await shapeOf(database) }
  return lent(database, () => keep(boot.version, begun))
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
  const { baseline, held, shape } = begun
  const database = held.open()
  if ((await shapeOf(database)) !== shape) {
    await database.close()
    await held.release()
    return undefined
  }
  await baseline.restore(database)
  await database.adhoc.run({ text: 'delete from pg_statistic' }, [])
  return lent(database, () => keep(version, begun))
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
