/** Whether a database is as a catalog wants it, for those who serve it and change nothing. ⇄ */
import type { Catalog } from '../catalog/catalog.ts'
import type { Database, Runner } from '../database/database.ts'
import { MIGRATION_TABLE } from './engine-tables.ts'
import { catalogMark } from './mark.ts'
import { requireCurrent } from './migrate.ts'
import { tables } from './tables.ts'

const LATEST = `select id, catalog from ${MIGRATION_TABLE.name} order by id desc limit 1`

/** What changes whenever a database is brought to a catalog. */
export async function latestMigration(runner: Runner): Promise<string> {
  const [row] = await runner.run({ text: LATEST }, [])
  return row?.[0] ?? ''
}

/** Whether a database was brought to this catalog last. */
export async function isAt(catalog: Catalog, runner: Runner): Promise<boolean> {
  const [row] = await runner.run({ text: LATEST }, [])
  return row?.[1] === catalogMark(tables(catalog))
}

/** Whether the tables are as a catalog wants them, whoever brought them there; false also where that cannot be seen. */
export function isServable(catalog: Catalog, database: Database, now: Date): Promise<boolean> {
  return requireCurrent(catalog, database, now).then(
    () => true,
    () => false,
  )
}
