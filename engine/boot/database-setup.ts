/**
 * Sets the database up for an application ⇄: its tables fit the catalog, calendars are filled, seeds are there, secrets
 * are protected.
 */

import type { Catalog } from '../catalog/catalog.ts'
import type { Database } from '../database/database.ts'
import { memo } from '../memo.ts'
import type { Pause } from '../migration/apply.ts'
import {
  altersTables,
  applyPlan,
  type MigrationOptions,
  type MigrationResult,
  migrate,
  requireCurrent,
} from '../migration/migrate.ts'
import { keepProgram, refuseOlderProgram } from '../migration/own/facts.ts'
import { protectSecrets } from '../migration/own/secrets.ts'
import { seedBy } from '../migration/own/seeds.ts'
import { fillCalendars } from '../migration/own/working-time.ts'
import type { Logger } from '../observe.ts'
import { instances } from '../rollout/state.ts'
import { rehearse } from '../run/rehearse.ts'
import type { Settings } from '../settings.ts'
import type { Collected } from '../text/diagnostic.ts'
import { thisProgram } from '../program.ts'

export interface SetupOptions extends Pick<MigrationOptions, 'log' | 'now' | 'edited' | 'pause'> {
  readonly settings: Settings
  /** false: the database must match the YAML already; nothing is changed there. */
  readonly begin?: boolean
  /** With `begin: false`: whether it matches is not checked. */
  readonly asLeft?: boolean
  /** false: the caller reports the steps that are left, so that the log need not. */
  readonly logsLeft?: boolean
}

/** Titles of the steps of a migration. */
export interface DatabaseSetup {
  readonly applied: readonly string[]
  /** The steps that wait for a person. */
  readonly left: readonly string[]
}

/**
 * Sets the database up and returns the steps; with diagnostics instead, nothing has changed there. Rejects with a sentence
 * where a newer version of the program wrote to it that this one is too old for.
 */
export async function setUpDatabase(
  catalog: Catalog,
  database: Database,
  options: SetupOptions,
): Promise<Collected<DatabaseSetup>> {
  await refuseOlderProgram(database.adhoc, await thisProgram())
  if (options.begin === false) {
    if (options.asLeft !== true) await requireCurrent(catalog, database, options.now)
    return { value: { applied: [], left: [] }, diagnostics: [] }
  }
  const pause = await pauseOn(database, options.pause, () => altersTables(catalog, database, options.now))
  const settled = await migrate(catalog, database, { ...migrationOptions(catalog, database, options), pause })
  if (settled.value !== undefined && options.logsLeft !== false) logLeft(database, settled.value, options.log)
  return settled
}

/** The last log line about the steps that are left: while files are edited, each save would repeat it. */
const lastLogged = memo((_: Database): { told?: string } => ({}))

function logLeft(database: Database, { left, older, rules = [] }: MigrationResult, log: Logger): void {
  const told = JSON.stringify([left, older])
  const last = lastLogged(database)
  if (last.told === told) return
  last.told = told
  if (older) {
    const sentence =
      'the database was brought to a newer YAML since this one last started: what this one knows is served'
    log.warn({ left }, `${sentence}; \`plinth plan\` shows the difference`)
    return
  }
  const gone = left.filter((title) => !rules.includes(title))
  if (gone.length > 0)
    log.warn({ left: gone }, 'what the YAML no longer names stays in the database until `plinth apply` removes it')
  if (rules.length > 0)
    log.warn({ left: rules }, 'rows stand in the way of what the YAML says; `plinth plan` names them')
}

/** The same by the steps of a plan that a person has seen, the unsafe ones too. */
export async function setUpByPlan(
  hash: string,
  catalog: Catalog,
  database: Database,
  options: SetupOptions,
): Promise<Collected<DatabaseSetup>> {
  await refuseOlderProgram(database.adhoc, await thisProgram())
  const pause = await pauseOn(database, options.pause, async () => true)
  return applyPlan(catalog, database, hash, { ...migrationOptions(catalog, database, options), pause })
}

/** The work around the change of the tables: the rehearsal before it, calendars, seeds and secrets after it. */
function migrationOptions(catalog: Catalog, { presence }: Database, options: SetupOptions): MigrationOptions {
  return {
    ...options,
    rehearse: (runner, fresh, tried) => rehearse(catalog, runner, fresh, tried),
    isServed: async (runner) => (await instances({ runner, presence }, '')).length > 0,
    async complete(runner) {
      await fillCalendars(catalog, runner, options.now)
      const { diagnostics } = await seedBy(runner, catalog, options.now)
      await keepProgram(runner, await thisProgram())
      const sealed = await protectSecrets(catalog, options.settings, runner)
      if (sealed > 0) options.log.info({ values: sealed }, 'secrets that stood open were sealed or hashed')
      return diagnostics
    },
  }
}

/**
 * The pause of a migration. On an embedded database the migration holds the only connection, so requests cannot be
 * answered then: there the pause begins at once where the tables are `altered`, and the caller ends it after all.
 */
async function pauseOn(
  database: Database,
  pause: Pause | undefined,
  altered: () => Promise<boolean>,
): Promise<Pause | undefined> {
  if (pause === undefined || database.kind !== 'embedded') return pause
  if (await altered()) await pause.begin()
  return undefined
}
