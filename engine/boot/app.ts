/** The application that is served ⇄: one catalog with everything derived from it. */
import { randomUUID } from 'node:crypto'
import { isOwnHost } from '../address.ts'
import { type Acting, automationsOf } from '../automation/action.ts'
import { writeListeners } from '../automation/on-write.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { type Listeners, pluginListeners } from '../change/listener.ts'
import { pluginContext } from '../context/plugin-context.ts'
import type { Sources } from '../definition/read.ts'
import type { Disk } from '../disk/disk-watch.ts'
import type { Admission } from '../http/admission.ts'
import type { BoundRoute } from '../http/bound-route.ts'
import { catalogRoutes } from '../http/catalog-routes.ts'
import type { HttpApp, HttpParts } from '../http/http-app.ts'
import type { Metrics } from '../http/metrics.ts'
import { readiness } from '../http/probes.ts'
import { createHttp } from '../http/server.ts'
import { jobInlet } from '../job/queue.ts'
import { type Drift, watchDrift } from '../migration/drift.ts'
import type { OpenApiDocument } from '../openapi/openapi-document.ts'
import { allRoutes } from '../openapi/routes.ts'
import { createPlans } from '../plan/plan.ts'
import { accountFinder } from '../plugin/as-system.ts'
import type { Composition } from '../plugin/compose.ts'
import { thisProgram } from '../program.ts'
import { createCachedTables } from '../run/cached-tables.ts'
import { changeTeller } from '../run/changes.ts'
import type { Foundation } from '../run/execution.ts'
import { createStatements } from '../statement/compiled.ts'
import type { Store } from '../store/store.ts'
import type { Streams } from '../stream/streams.ts'
import type { Pieces } from '../turns.ts'
import type { Boot } from './boot.ts'

/** One catalog with everything derived from it; immutable, so that old requests finish on the old one. */
export interface App {
  readonly catalog: Catalog
  readonly composition: Composition
  /** The application's own files, from which it was made. */
  readonly files: Sources
  /** What it replaces of the application below. */
  readonly replaced: Boot['replaced']
  readonly lock: Boot['lock']
  readonly foundation: Foundation
  /** The listeners of plugins, and the automations after writes. */
  readonly listeners: Listeners
  readonly automations: readonly Acting[]
  readonly routes: readonly BoundRoute[]
  /** The OpenAPI document of these routes, made when it is first asked for. */
  readonly document: () => OpenApiDocument
  /** The same in pieces. */
  readonly documentPieces: () => Pieces<OpenApiDocument>
  readonly http: HttpApp
  /** undefined: no table is that of another program. */
  readonly drift: Drift | undefined
}

/** Callbacks after a commit that wrote rows of the log: for listeners only, or for streams too. */
export interface Logged {
  readonly toListeners: () => void
  readonly toStreams: () => void
}

/** The parts of the process that outlive an app and that an app is made of. */
interface Around extends Pick<Foundation, 'instance' | 'database' | 'settings' | 'log' | 'now'> {
  readonly store: Store
  readonly clock: () => number
  readonly metrics: Metrics
  readonly admission: Pick<Admission, 'largeAnswers'>
  readonly streams: Streams
  readonly draining: boolean
  readonly disk: Disk
  readonly logged: Logged
}

/** Builds the App of a catalog. `around` is read at each call, because it changes after this. */
export function composeApp(around: Around, { catalog, composition, files, routes: bound, replaced, lock }: Boot): App {
  const { store, settings, log, now, clock } = around
  const isFollowed = [...catalog.resources.values()].some(({ streamed }) => streamed)
  const logged = isFollowed ? around.logged.toStreams : around.logged.toListeners
  const foundation = foundationOf({ catalog, composition }, { ...around, logged })
  const own = catalogRoutes(catalog, foundation.hooks, around.streams.open)
  const given = isForDevelopers(settings) ? bound : bound.filter(({ developing }) => developing !== true)
  const { routes, ...documents } = allRoutes(given, own, catalog, composition)
  const isForeign = [...catalog.resources.values()].some(({ existing }) => existing)
  const drift = isForeign ? watchDrift({ catalog, runner: around.database.adhoc, log, clock }) : undefined
  const parts: HttpParts = {
    routes,
    catalog,
    settings,
    store,
    log,
    now,
    clock,
    newId: randomUUID,
    metrics: around.metrics,
    largeAnswers: around.admission.largeAnswers,
    readiness: async () => readiness(around, drift, await thisProgram()),
    drift,
    foundation,
    authenticate: composition.authenticate,
    identify: composition.identify,
  }
  const automations = automationsOf(catalog, composition.actions, around.metrics.ran)
  const listeners = new Map([...pluginListeners(composition.listeners), ...writeListeners(automations)])
  const http = createHttp(parts)
  const made = { catalog, composition, files, replaced, lock, foundation, listeners, automations, routes, http, drift }
  return Object.freeze({ ...made, ...documents })
}

/** Whether a process serves the person who edits the files, and nobody on another machine. */
function isForDevelopers({ host, production, watched }: Foundation['settings']): boolean {
  return watched === true && !production && isOwnHost(host)
}

/** `clock` is monotonic, in milliseconds; `logged` is called after a commit that wrote rows of the log of changes. */
interface Lasting extends Pick<Foundation, 'instance' | 'database' | 'settings' | 'log' | 'now' | 'logged'> {
  readonly store: Store
  readonly clock: () => number
}

/** The foundation of an app, for as long as its catalog is served. */
function foundationOf(boot: Pick<Boot, 'catalog' | 'composition'>, lasting: Lasting): Foundation {
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
