/** ⇄ Before an application is served: its database is brought to its catalog, its statements are tried, its seeds are there. */
import { rehearse } from '../action/rehearse.ts'
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
import { takeOverSecrets } from '../migration/own/secrets.ts'
import { seedBy } from '../migration/own/seeds.ts'
import { fillCalendars } from '../migration/own/working-time.ts'
import type { Logger } from '../observe.ts'
import { instances } from '../rollout/state.ts'
import type { Settings } from '../settings.ts'
import type { Collected } from '../text/diagnostic.ts'

export interface SettleOptions extends Pick<MigrationOptions, 'log' | 'now' | 'edited' | 'pause'> {
  readonly settings: Settings
  /** false: the database must be as the YAML says already; nothing is changed there. */
  readonly begin?: boolean
  /** With `begin: false`: nobody looks whether it is. */
  readonly asLeft?: boolean
  /** false: whoever settles tells people of what is left, so that the log need not. */
  readonly logsLeft?: boolean
}

/** Titles of the steps of a migration. */
export interface Settled {
  readonly applied: readonly string[]
  /** Those that wait for a person's word. */
  readonly left: readonly string[]
}

/**
 * Gives what was done so that the application can be served on the database; nothing has changed there when
 * it cannot be.
 */
export async function settle(
  catalog: Catalog,
  database: Database,
  options: SettleOptions,
): Promise<Collected<Settled>> {
  if (options.begin === false) {
    if (options.asLeft !== true) await requireCurrent(catalog, database, options.now)
    return { value: { applied: [], left: [] }, diagnostics: [] }
  }
  const pause = await pauseOn(database, options.pause, () => altersTables(catalog, database, options.now))
  const settled = await migrate(catalog, database, { ...settling(catalog, database, options), pause })
  if (settled.value !== undefined && options.logsLeft !== false) logLeft(database, settled.value, options.log)
  return settled
}

/** What the log was told last of what is left in a database: while files are edited, each save would tell it again. */
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
export async function settleByPlan(
  hash: string,
  catalog: Catalog,
  database: Database,
  options: SettleOptions,
): Promise<Collected<Settled>> {
  const pause = await pauseOn(database, options.pause, async () => true)
  return applyPlan(catalog, database, hash, { ...settling(catalog, database, options), pause })
}

/** What stands beside the tables before they are altered, and what comes behind them. */
function settling(catalog: Catalog, { presence }: Database, options: SettleOptions): MigrationOptions {
  return {
    ...options,
    rehearse: (runner, fresh, whole) => rehearse(catalog, runner, fresh, whole),
    isServed: async (runner) => (await instances({ runner, presence }, '')).length > 0,
    async complete(runner) {
      await fillCalendars(catalog, runner, options.now)
      const { diagnostics } = await seedBy(runner, catalog, options.now)
      const sealed = await takeOverSecrets(catalog, options.settings, runner)
      if (sealed > 0) options.log.info({ values: sealed }, 'secrets that stood open were sealed or hashed')
      return diagnostics
    },
  }
}

/**
 * The pause of a migration. The one connection of an embedded database is the migration's own while it runs, so that
 * nobody could answer then: there it begins at once where anything is `altered`, and whoever settles ends it behind all.
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
