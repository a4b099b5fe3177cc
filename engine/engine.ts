/** The only composer: sources, plugins and a database become a running app, which the next one can replace. ⇄ */
import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { createCachedTables } from './action/cached-tables.ts'
import { changeTeller, hearChanges } from './action/changes.ts'
import { executionOf, type Foundation, runLeft, type Work } from './action/execution.ts'
import { pluginContext } from './action/plugin-context.ts'
import { type Actor, SYSTEM } from './actor.ts'
import { type Boot, readCatalog } from './boot/boot.ts'
import { type SettleOptions, settle } from './boot/settle.ts'
import type { Catalog } from './catalog/catalog.ts'
import { connect } from './database/connect.ts'
import type { Database } from './database/database.ts'
import { keepPrivate } from './database/private.ts'
import { createMetrics, type Metrics } from './http/metrics.ts'
import type { BoundRoute, HttpApp, HttpParts } from './http/parts.ts'
import { resourceRoutes } from './http/resource-routes.ts'
import { addressOf, createHttp, createPassage, drain, httpServer } from './http/server.ts'
import { jobInlet } from './job/inlet.ts'
import { startJobs } from './job/start.ts'
import type { Worker } from './job/worker.ts'
import type { JsonObject } from './json.ts'
import { LIMITS } from './limits.ts'
import { exclusively } from './migration/apply.ts'
import { instanceOf } from './migration/instance.ts'
import type { Logger } from './observe.ts'
import type { OpenApiDocument } from './openapi/openapi-document.ts'
import { allRoutes } from './openapi/routes.ts'
import type { Composition } from './plugin/compose.ts'
import type { StartLine } from './plugin/plugin.ts'
import { saidOnce, startLines } from './plugin/start-lines.ts'
import { createStatements } from './query/compiled.ts'
import type { Settings } from './settings.ts'
import { openStore } from './store/index.ts'
import type { Store } from './store/store.ts'
import type { Collected, Diagnostic } from './text/diagnostic.ts'

export interface EngineOptions {
  readonly settings: Settings
  readonly log: Logger
  readonly now?: () => Date
  /** Instead of the database that the settings name; whoever opened it closes it. */
  readonly database?: Database
  /** false: the database is taken as it is, for a command that only looks; rejects where the YAML wants another. */
  readonly begin?: boolean
  /** For commands: an embedded database that a running server has open is used by way of that server. */
  readonly joins?: boolean
}

/** One catalog with everything derived from it; immutable, so that old requests finish on the old one. */
export interface App {
  readonly catalog: Catalog
  readonly composition: Composition
  readonly foundation: Foundation
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
  /** Starts listening; gives the address, and what a person who started it should read. Rejects when the port is taken. */
  listen(): Promise<{ readonly url: string; readonly lines: readonly string[] }>
  /** Runs a plugin's command as the system; gives its exit code. Rejects when no plugin has it. */
  command(name: string, args: readonly string[]): Promise<number>
  /** Reads the sources again and replaces the app; on mistakes nothing changes and the diagnostics say why. */
  reload(): Promise<readonly Diagnostic[]>
  /** Refuses new work (readyz 503), lets requests in flight finish, and closes everything. */
  close(): Promise<void>
}

/** The parts that outlive a change of the app. */
interface Process {
  readonly settings: Settings
  readonly log: Logger
  readonly now: () => Date
  readonly database: Database
  readonly store: Store
  readonly metrics: Metrics
  draining: boolean
}

/** Starts an application: reads, checks, migrates, seeds, composes. Diagnostics instead of an engine when anything is in the way. */
export async function createEngine(options: EngineOptions): Promise<Collected<Engine>> {
  const { settings, log, now = () => new Date(), begin = true, joins = false } = options
  const read = await readCatalog(settings)
  if (read.value === undefined) return { diagnostics: read.diagnostics }
  await keepPrivate(settings.dataDir, false)
  const database = options.database ?? (await connect(settings, { log, joins }))
  const store = await openStore(settings, log)
  const metrics = createMetrics(database.connections)
  const process: Process = { settings, log, now, database, store, metrics, draining: false }
  const closeAll = async (): Promise<void> => {
    await store.close()
    if (options.database === undefined) await database.close()
  }
  try {
    const ready = await prepare(process, read.value, { begin })
    if (ready.value === undefined) {
      await closeAll()
      return { diagnostics: [...read.diagnostics, ...ready.diagnostics] }
    }
    const lines = begin ? await startPlugins(process, ready.value) : []
    return { value: running(process, ready.value, lines, closeAll), diagnostics: read.diagnostics }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Brings the database to the catalog, unless it is to be there already, and composes the app. */
async function prepare(
  process: Process,
  { catalog, composition }: Pick<Boot, 'catalog' | 'composition'>,
  how: Pick<SettleOptions, 'edited' | 'begin'>,
): Promise<Collected<App>> {
  const { database, log, now } = process
  const settled = await settle(catalog, composition, database, { log, now: now(), ...how })
  if (settled.value === undefined) return { diagnostics: settled.diagnostics }
  const instance = await instanceOf(database, randomUUID)
  const app = compose(process, { catalog, composition, instance }, settled.value)
  return { value: app, diagnostics: settled.diagnostics }
}

/** What an app is made of, and the id that its database gave it. */
type Ready = Pick<App, 'catalog' | 'composition'> & Pick<Foundation, 'instance'>

/** What actions run with as long as this catalog is served. */
function foundationOf(
  { database, store, settings, log, now }: Process,
  { catalog, composition, instance }: Ready,
): Foundation {
  const cachedTables = createCachedTables(catalog, database.compiled, now)
  return {
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
    jobs: jobInlet(composition.jobs, store),
    contextOf: pluginContext,
  }
}

function compose(process: Process, ready: Ready, bound: readonly BoundRoute[]): App {
  const { database, store, settings, log, now } = process
  const { catalog, composition } = ready
  const foundation = foundationOf(process, ready)
  const { routes, document } = allRoutes(bound, resourceRoutes(catalog, foundation.hooks), catalog, composition)
  const parts: HttpParts = {
    routes,
    catalog,
    settings,
    store,
    database,
    log,
    now,
    newId: randomUUID,
    metrics: process.metrics,
    readiness: () => readiness(process),
    foundation,
    authenticate: composition.authenticate,
  }
  return Object.freeze({ catalog, composition, foundation, routes, document, http: createHttp(parts) })
}

async function readiness({ database, draining }: Process): Promise<{ ready: boolean; checks: Record<string, string> }> {
  if (draining) return { ready: false, checks: { process: 'stopping' } }
  try {
    await database.ping()
    return { ready: true, checks: { process: 'ok', database: 'ok' } }
  } catch (error) {
    return { ready: false, checks: { process: 'ok', database: error instanceof Error ? error.message : 'out' } }
  }
}

/** Runs the plugins' start functions, one instance at a time. */
async function startPlugins(process: Process, app: App): Promise<readonly StartLine[]> {
  const lines: StartLine[] = []
  await exclusively(process.database, async () => {
    for (const { plugin, value } of app.composition.start) {
      lines.push(...(await systemContext(app, plugin, value)))
    }
  })
  return lines
}

async function systemContext<T>(
  { foundation, catalog }: App,
  plugin: string,
  work: (context: ReturnType<typeof pluginContext>) => Promise<T>,
): Promise<T> {
  const left: Work[] = []
  const requestId = `plugin:${plugin}`
  const call = executionOf(foundation, { actor: SYSTEM, requestId, afterCommit: (later) => void left.push(later) })
  const options: JsonObject = catalog.pluginOptions.get(plugin) ?? {}
  const result = await work(pluginContext(call, options))
  await runLeft(call, left)
  return result
}

function running(process: Process, first: App, lines: readonly StartLine[], closeAll: () => Promise<void>): Engine {
  const serving = { app: first }
  hearChanges(process, () => ({ catalog: serving.app.catalog, cachedTables: serving.app.foundation.cachedTables }))
  const passage = createPassage()
  let server: Server | undefined
  let worker: Worker | undefined
  return {
    get app() {
      return serving.app
    },
    database: process.database,
    said: saidOnce(lines),
    listen() {
      const listening = httpServer(serving, passage)
      server = listening
      return new Promise((resolve, reject) => {
        listening.once('error', reject)
        listening.listen(process.settings.port, process.settings.host, () => {
          worker = startJobs(process.store, Math.random, () => currentJobs(serving.app))
          const url = addressOf(listening)
          const said = startLines(process.database, serving.app.catalog, url, lines)
          void admitCommands(process).then(() => resolve({ url, lines: said }))
        })
      })
    },
    command(name, args) {
      const found = serving.app.composition.commands.get(name)
      if (found === undefined) return Promise.reject(new Error(`No plugin has a command "${name}"`))
      return systemContext(serving.app, found.plugin, (context) => found.value.run(context, args))
    },
    async reload() {
      const read = await readCatalog(process.settings)
      if (read.value === undefined) return read.diagnostics
      const { value } = read
      // Between the change of the tables and that of the app, neither app fits the tables.
      return passage.alone(LIMITS.reloadWaitMs, async () => {
        const next = await prepare(process, value, { edited: true })
        if (next.value !== undefined) serving.app = next.value
        return next.diagnostics
      })
    },
    async close() {
      process.draining = true
      await Promise.all([server && drain(server), worker?.close(LIMITS.drainMs)])
      await closeAll()
    },
  }
}

/** A server that no command can reach still serves. */
async function admitCommands({ database, log }: Process): Promise<void> {
  await database.admitCommands?.().catch((err: unknown) => {
    log.warn({ err }, 'commands can not use the embedded database while this process runs: it can not listen for them')
  })
}

/** What jobs run with: the application as it is now, and the way from an id to an actor. */
function currentJobs({ composition, foundation }: App): ReturnType<Parameters<typeof startJobs>[2]> {
  const { identify, jobs } = composition
  const actorOf = async (id: number): Promise<Actor | null> => {
    const call = executionOf(foundation, { actor: SYSTEM, requestId: 'job', afterCommit: () => undefined })
    return identify === undefined ? null : identify.value(pluginContext(call, identify.options), String(id))
  }
  return { foundation, jobs, actorOf }
}
