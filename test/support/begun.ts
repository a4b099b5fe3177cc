/** ⇄ Databases that hold what a first start of the same files leaves, made once for each process instead of once for each test file. */
import type { Boot } from '../../engine/boot/boot.ts'
import { setUpDatabase } from '../../engine/boot/database-setup.ts'
import type { Database } from '../../engine/database/database.ts'
import { copiedDatabase, type HeldDatabase, heldDatabase } from '../../engine/database/throwaway.ts'
import { readSettings } from '../../engine/settings.ts'
import { type Baseline, keepBaseline } from '../../engine/testing/baseline.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { leftDatabases } from '../run/left-databases.ts'
import { SILENT, type TestDatabase, testDatabase } from './database.ts'

/** An embedded database that nobody uses at present; `shape` names everything in it that is no row. */
interface Idle {
  readonly held: HeldDatabase
  readonly baseline: Baseline
  readonly shape: string
}

const idle = new Map<string, Idle>()
const templates = new Map<string, Promise<string>>()

/** A database with the tables, calendars and seeds of an application whose files have this version, and nothing else. */
export async function begunDatabase(boot: Boot, version: string): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL
  if (!server) return (await restored(version)) ?? made(boot, version)
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

async function made(boot: Boot, version: string): Promise<TestDatabase> {
  const held = await heldDatabase(SILENT)
  const database = held.open()
  await begin(boot, database)
  const baseline = await keepBaseline(database)
  if (baseline === undefined)
    throw new Error('The keys between the tables of the shipped application go round in a circle')
  return lent(version, database, { held, baseline, shape: await shapeOf(database) })
}

/** Closing it keeps it for the next file, unless another one is kept already. */
function lent(version: string, database: Database, one: Idle): TestDatabase {
  return {
    ...{ database, url: undefined },
    async close() {
      await database.close()
      if (idle.has(version)) return one.held.release()
      idle.set(version, one)
    },
  }
}

/** Undefined where none is kept, or the file before changed more than rows; that one is given up. */
async function restored(version: string): Promise<TestDatabase | undefined> {
  const one = idle.get(version)
  if (one === undefined) return undefined
  idle.delete(version)
  const database = one.held.open()
  if ((await shapeOf(database)) !== one.shape) {
    await database.close()
    await one.held.release()
    return undefined
  }
  await one.baseline.restore(database)
  await database.adhoc.run({ text: 'delete from pg_statistic' }, [])
  return lent(version, database, one)
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
