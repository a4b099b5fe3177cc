/** The only composer: sources, plugins and a database become a running app, which the next one can replace. ⇄ */
import { randomUUID } from 'node:crypto'
import { createCachedTables } from './action/cached-tables.ts'
import { changeTeller, hearChanges } from './action/changes.ts'
import type { Foundation } from './action/execution.ts'
import { pluginContext } from './action/plugin-context.ts'
import { type Acting, automationsOf } from './automation/acting.ts'
import { writeListeners } from './automation/on-write.ts'
import { registerAutomations } from './automation/register.ts'
import { type Boot, readCatalog } from './boot/boot.ts'
import { type SettleOptions, settle } from './boot/settle.ts'
import { logBreakers, standings } from './breaker.ts'
import type { Catalog } from './catalog/catalog.ts'
import { type Listeners, pluginListeners } from './change/listener.ts'
import { registerListeners } from './change/register.ts'
import type { ListenerWorker } from './change/worker.ts'
import { admitCommands, connectOn } from './database/connect.ts'
import type { Database } from './database/database.ts'
import { keepPrivate } from './database/private.ts'
import { type Disk, watchDisk } from './disk/watch.ts'
import { type Admission, createAdmission } from './http/admission.ts'
import { type Listening, listen } from './http/listen.ts'
import { createMetrics, type Metrics } from './http/metrics.ts'
import type { BoundRoute, HttpApp, HttpParts } from './http/parts.ts'
import { readiness } from './http/readiness.ts'
import { resourceRoutes } from './http/resource-routes.ts'
import { createHttp, createPassage } from './http/server.ts'
import { streamRoutes } from './http/stream-route.ts'
import { jobInlet } from './job/inlet.ts'
import { LIMITS } from './limits.ts'
import { instanceOf } from './migration/instance.ts'
import type { Logger } from './observe.ts'
import type { OpenApiDocument } from './openapi/openapi-document.ts'
import { allRoutes } from './openapi/routes.ts'
import { accountFinder } from './plugin/account.ts'
import { asSystem, startPlugins } from './plugin/as-system.ts'
import { beginWork, type Work } from './plugin/begin-work.ts'
import type { Composition } from './plugin/compose.ts'
import type { StartLine } from './plugin/plugin.ts'
import { saidOnce, startLines } from './plugin/start-lines.ts'
import { createStatements } from './query/compiled.ts'
import { checkSecret } from './secret.ts'
import type { Settings } from './settings.ts'
import { openStore } from './store/index.ts'
import type { Store } from './store/store.ts'
import { createStreams, type Streams } from './stream/streams.ts'
import type { Collected, Diagnostic } from './text/diagnostic.ts'

export interface EngineOptions {
  readonly settings: Settings
  readonly log: Logger
  readonly now?: () => Date
  /** Monotonic, in milliseconds; limits and what is kept for a while are measured by it. */
  readonly clock?: () => number
  /** What was read already; without it the sources of the settings are read. */
  readonly read?: Collected<Boot>
  /** Instead of the database that the settings name; whoever opened it closes it. */
  readonly database?: Database
  /** false: the database is taken as it is, for a command that only looks; rejects where the YAML wants another. */
  readonly begin?: boolean
  /** Aborted when the process is told to stop: the start ends as soon as it can, and rejects. */
  readonly stop?: AbortSignal
  /** For commands: an embedded database that a running server has open is used by way of that server. */
  readonly joins?: boolean
}

/** One catalog with everything derived from it; immutable, so that old requests finish on the old one. */
export interface App {
  readonly catalog: Catalog
  readonly composition: Composition
  readonly foundation: Foundation
  /** Those of plugins, and the automations that writes set off. */
  readonly listeners: Listeners
  readonly automations: readonly Acting[]
  readonly routes: readonly BoundRoute[]
  /** The OpenAPI document of these routes, made when it is first asked for. */
  readonly document: () => OpenApiDocument
  readonly http: HttpApp
}

export interface Engine {
  readonly app: App
  readonly database: Database
  /** What plugins said at the start and never say again, such as the first admin's password. */
  readonly said: readonly string[]
  /** Resolves when DATA_DIR is lost to this process, which should end then, and tells why. */
  readonly lost: Promise<Error>
  /** Starts listening; gives the address, and what a person who started it should read. Rejects when the port is taken. */
  listen(): Promise<{ readonly url: string; readonly lines: readonly string[] }>
  /** Runs a plugin's command as the system; gives its exit code. Rejects when no plugin has it. */
  command(name: string, args: readonly string[]): Promise<number>
  /** Reads the sources again and replaces the app; on mistakes nothing changes and the diagnostics say why. */
  reload(): Promise<readonly Diagnostic[]>
  /** Turns /readyz to 503, serves on for `delayMs`, lets what is under way finish, and closes everything. */
  close(delayMs?: number): Promise<void>
}

/** The parts that outlive a change of the app. */
interface Process {
  readonly settings: Settings
  readonly log: Logger
  readonly now: () => Date
  readonly clock: () => number
  readonly database: Database
  readonly store: Store
  readonly metrics: Metrics
  readonly disk: Disk
  readonly admission: Admission
  draining: boolean
  readonly streams: Streams
  /** The app that is served, once there is one. */
  serving: () => App | undefined
  /** Works what follows from writes; absent until the process listens, and in commands. */
  listeners: ListenerWorker | undefined
}

/** Opens what an application stands on. */
async function openProcess(options: EngineOptions): Promise<Process> {
  const { settings, log, now = () => new Date(), clock = performance.now.bind(performance), joins = false } = options
  const disk = await watchDisk(settings.dataDir, log)
  const database = options.database ?? (await connectOn(disk, settings, { log, joins }))
  const store = await openStore(settings, log)
  const admission = createAdmission({ waited: database.waited, log })
  const streams = createStreams({ store, random: Math.random }, () => process.serving())
  const metrics = createMetrics(
    database.connections,
    admission.figures,
    () => standings(settings),
    async () => (await process.listeners?.states()) ?? [],
    streams.figures,
  )
  const process: Process = {
    ...{ settings, log, now, clock, database, store, metrics, admission, disk, streams },
    draining: false,
    serving: () => undefined,
    listeners: undefined,
  }
  return process
}

/** Starts an application: reads, checks, migrates, seeds, composes. Diagnostics instead of an engine when anything is in the way. */
export async function createEngine(options: EngineOptions): Promise<Collected<Engine>> {
  const { settings, begin = true, stop } = options
  const read = options.read ?? (await readCatalog(settings))
  if (read.value === undefined) return { diagnostics: read.diagnostics }
  await keepPrivate(settings.dataDir, false)
  if (begin) await checkSecret(settings)
  const process = await openProcess(options)
  const { database, disk, store } = process
  logBreakers(settings, options.log)
  const closeAll = async (): Promise<void> => {
    await store.close()
    if (options.database === undefined) await database.close()
    disk.stop()
  }
  stop?.addEventListener('abort', database.interrupt)
  try {
    stop?.throwIfAborted()
    const ready = await prepare(process, read.value, { begin })
    if (ready.value === undefined) {
      await closeAll()
      return { diagnostics: [...read.diagnostics, ...ready.diagnostics] }
    }
    stop?.throwIfAborted()
    const lines = begin ? await startPlugins(ready.value) : []
    return { value: running(process, ready.value, lines, closeAll), diagnostics: read.diagnostics }
  } catch (error) {
    await closeAll()
    throw error
  } finally {
    stop?.removeEventListener('abort', database.interrupt)
  }
}

/** Brings the database to the catalog, unless it is to be there already, and composes the app. */
async function prepare(
  process: Process,
  { catalog, composition, routes }: Boot,
  how: Pick<SettleOptions, 'edited' | 'begin'>,
): Promise<Collected<App>> {
  const { database, log, now } = process
  const settled = await settle(catalog, database, { log, now: now(), ...how })
  if (settled.value === undefined) return { diagnostics: settled.diagnostics }
  const instance = await instanceOf(database, randomUUID)
  if (how.begin !== false) {
    await registerListeners(database, catalog.listeners)
    await registerAutomations(database.adhoc, catalog)
  }
  const app = compose(process, { catalog, composition, instance }, routes)
  return { value: app, diagnostics: settled.diagnostics }
}

/** What an app is made of, and the id that its database gave it. */
type Ready = Pick<App, 'catalog' | 'composition'> & Pick<Foundation, 'instance'>

/** What actions run with as long as this catalog is served. */
function foundationOf(process: Process, { catalog, composition, instance }: Ready): Foundation {
  const { database, store, settings, log, now, clock } = process
  const cachedTables = createCachedTables(catalog, database.compiled, clock)
  const isFollowed = [...catalog.resources.values()].some(({ streamed }) => streamed)
  const foundation: Foundation = {
    catalog,
    database,
    statements: createStatements(),
    cachedTables,
    hooks: composition.hooks,
    settings,
    instance,
    log,
    now,
    changed: changeTeller({ store, log }, cachedTables),
    logged: () => {
      process.listeners?.wake()
      if (isFollowed) process.streams.wrote()
    },
    jobs: jobInlet(composition.jobs, store),
    actorOf: accountFinder(composition, () => foundation),
    actorsOf: async (runner, accounts) =>
      composition.actors?.value({ catalog, options: composition.actors.options, runner }, accounts) ?? [],
    contextOf: pluginContext,
  }
  return foundation
}

function compose(process: Process, ready: Ready, bound: readonly BoundRoute[]): App {
  const { store, settings, log, now, clock } = process
  const { catalog, composition } = ready
  const foundation = foundationOf(process, ready)
  const own = [...resourceRoutes(catalog, foundation.hooks), ...streamRoutes(catalog, process.streams.open)]
  const { routes, document } = allRoutes(bound, own, catalog, composition)
  const parts: HttpParts = {
    routes,
    catalog,
    settings,
    store,
    log,
    now,
    clock,
    newId: randomUUID,
    metrics: process.metrics,
    largeAnswers: process.admission.largeAnswers,
    readiness: () => readiness(process),
    foundation,
    authenticate: composition.authenticate,
  }
  const automations = automationsOf(catalog, composition.actions, process.metrics.ran)
  const listeners = new Map([...pluginListeners(composition.listeners), ...writeListeners(automations)])
  const http = createHttp(parts)
  return Object.freeze({ catalog, composition, foundation, listeners, automations, routes, document, http })
}

function running(process: Process, first: App, lines: readonly StartLine[], closeAll: () => Promise<void>): Engine {
  const serving = { app: first }
  process.serving = () => serving.app
  hearChanges(process, () => ({ catalog: serving.app.catalog, cachedTables: serving.app.foundation.cachedTables }))
  const passage = createPassage()
  let listening: Listening | undefined
  let work: Work | undefined
  return {
    get app() {
      return serving.app
    },
    database: process.database,
    said: saidOnce(lines),
    lost: process.disk.lost,
    async listen() {
      const { settings, log, streams } = process
      const gate = { passage, admission: process.admission }
      listening = await listen(serving, gate, { settings, log, ending: streams.close })
      work = beginWork(process, serving)
      process.listeners = work.listeners
      await admitCommands(process.database, log)
      return { url: listening.url, lines: startLines(process.database, serving.app.catalog, listening.url, lines) }
    },
    command(name, args) {
      const found = serving.app.composition.commands.get(name)
      if (found === undefined) return Promise.reject(new Error(`No plugin has a command "${name}"`))
      return asSystem(serving.app, found.plugin, (context) => found.value.run(context, args))
    },
    async reload() {
      const { diagnostics, value } = await readCatalog(process.settings)
      if (value === undefined) return diagnostics
      await process.streams.endAll()
      // Between the change of the tables and that of the app, neither app fits the tables.
      return passage.alone(LIMITS.reloadWaitMs, async () => {
        const next = await prepare(process, value, { edited: true })
        if (next.value !== undefined) serving.app = next.value
        // Those that came too late to wait were opened for the app before.
        await process.streams.endAll()
        return next.diagnostics
      })
    },
    async close(delayMs = 0) {
      process.draining = true
      await Promise.all([listening?.stop(delayMs), work?.closeJobs(LIMITS.drainMs)])
      await work?.closeOthers(LIMITS.drainMs)
      await closeAll()
    },
  }
}
