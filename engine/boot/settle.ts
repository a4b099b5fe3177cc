/** ⇄ Before an application is served: its database is brought to its catalog, its statements are tried, its seeds are there. */
import { rehearse } from '../action/rehearse.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Database } from '../database/database.ts'
import { altersTables, type MigrationOptions, migrate, requireCurrent } from '../migration/migrate.ts'
import { seed } from '../migration/seed.ts'
import { fillCalendars } from '../migration/working-time.ts'
import type { Collected } from '../text/diagnostic.ts'

export interface SettleOptions extends MigrationOptions {
  /** false: the database must be as the YAML says already; nothing is changed there. */
  readonly begin?: boolean
  /** With `begin: false`: nobody looks whether it is. */
  readonly asLeft?: boolean
}

/**
 * Gives the titles of what was done so that the application can be served on the database; nothing has changed there when
 * it can't be.
 */
export async function settle(
  catalog: Catalog,
  database: Database,
  options: SettleOptions,
): Promise<Collected<readonly string[]>> {
  if (options.begin === false) {
    if (options.asLeft !== true) await requireCurrent(catalog, database, options.now)
    return { value: [], diagnostics: [] }
  }
  const alone = await aloneOn(database, options.alone, () => altersTables(catalog, database, options.now))
  const migrated = await migrate(catalog, database, {
    ...options,
    alone,
    rehearse: (runner, fresh, whole) => rehearse(catalog, runner, fresh, whole),
  })
  if (migrated.value === undefined) return { diagnostics: migrated.diagnostics }
  await fillCalendars(catalog, database, options.now)
  const seeded = await seed(catalog, database, options.now)
  return seeded.value === undefined
    ? { diagnostics: seeded.diagnostics }
    : { value: migrated.value.applied, diagnostics: [] }
}

/**
 * What a migration calls before it alters what is served. The one connection of an embedded database is the migration's
 * own while it runs, so that nobody could answer then: there it is called at once where anything is `altered`.
 */
export async function aloneOn(
  database: Database,
  alone: MigrationOptions['alone'],
  altered: () => Promise<boolean>,
): Promise<MigrationOptions['alone']> {
  if (alone === undefined || database.kind !== 'embedded') return alone
  if (await altered()) await alone()
  return undefined
}
