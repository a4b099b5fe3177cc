/** What every action of an app runs with, from its catalog and from what outlives the app. */
import { createCachedTables } from '../action/cached-tables.ts'
import { changeTeller } from '../action/changes.ts'
import type { Foundation } from '../action/execution.ts'
import { pluginContext } from '../action/plugin-context.ts'
import { jobInlet } from '../job/inlet.ts'
import { createPlans } from '../plan/plan.ts'
import { accountFinder } from '../plugin/account.ts'
import { createStatements } from '../query/compiled.ts'
import type { Store } from '../store/store.ts'
import type { Boot } from './boot.ts'

/** `clock` is monotonic, in milliseconds; `logged` is called after a commit that wrote rows of the log of changes. */
interface Lasting extends Pick<Foundation, 'instance' | 'database' | 'settings' | 'log' | 'now' | 'logged'> {
  readonly store: Store
  readonly clock: () => number
}

/** The foundation of an app, for as long as its catalog is served. */
export function foundationOf(boot: Pick<Boot, 'catalog' | 'composition'>, lasting: Lasting): Foundation {
  const { catalog, composition } = boot
  const { instance, database, store, settings, log, now, clock, logged } = lasting
  const cachedTables = createCachedTables(catalog, database.compiled, clock)
  const foundation: Foundation = {
    catalog,
    database,
    plans: createPlans(catalog),
    statements: createStatements(),
    cachedTables,
    hooks: composition.hooks,
    settings,
    instance,
    log,
    now,
    changed: changeTeller({ store, log }, cachedTables),
    logged,
    jobs: jobInlet(composition.jobs, store),
    actorOf: accountFinder(composition, () => foundation),
    actorsOf: async (runner, accounts) =>
      composition.actors?.value({ catalog, options: composition.actors.options, runner }, accounts) ?? [],
    contextOf: pluginContext,
  }
  return foundation
}
