/** Placeholder for a minute. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Database } from '../database/database.ts'
export async function seed(_catalog: Catalog, _database: Database, _now: Date): Promise<void> {}
