/** ⇄ Before an application is served: its routes are bound, its database is brought to its catalog, its statements are tried, its seeds are there. */
import { rehearse } from '../action/rehearse.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Database } from '../database/database.ts'
import type { BoundRoute } from '../http/parts.ts'
import { type MigrationOptions, migrate, requireCurrent } from '../migration/migrate.ts'
import { seed } from '../migration/seed.ts'
import type { Composition } from '../plugin/compose.ts'
import type { Collected } from '../text/diagnostic.ts'
import { bindRoutes } from './bind-routes.ts'

export interface SettleOptions extends MigrationOptions {
  /** false: the database must be as the YAML says already; nothing is changed there. */
  readonly begin?: boolean
}

/** The bound routes of an application that can be served on the database; nothing has changed there when it can't be. */
export async function settle(
  catalog: Catalog,
  composition: Composition,
  database: Database,
  options: SettleOptions,
): Promise<Collected<readonly BoundRoute[]>> {
  const bound = bindRoutes(composition, catalog)
  if (bound.diagnostics.length > 0) return { diagnostics: bound.diagnostics }
  if (options.begin === false) {
    await requireCurrent(catalog, database, options.now)
    return bound
  }
  const migrated = await migrate(catalog, database, {
    ...options,
    rehearse: (runner, fresh, whole) => rehearse(catalog, runner, fresh, whole),
  })
  if (migrated.value === undefined) return { diagnostics: migrated.diagnostics }
  const seeded = await seed(catalog, database, options.now)
  return seeded.value === undefined ? { diagnostics: seeded.diagnostics } : bound
}
