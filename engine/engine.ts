/** The only composer: sources, plugins and a database become a running app, which the next one can replace. ⇄ */
import { randomUUID } from 'node:crypto'
import { hearChanges } from './action/changes.ts'
import type { Foundation } from './action/execution.ts'
import { type App, composeApp, type Logged } from './boot/app.ts'
import { type Boot, readCatalog } from './boot/boot.ts'
import { createExchange, register, setUpFor } from './boot/replace-app.ts'
import { createServedKeeper, type ServedKeeper } from './boot/served-description.ts'
import { logBreakers, standings } from './breaker.ts'
import type { ListenerWorker } from './change/worker.ts'
import { admitCommands, connectOn } from './database/connect.ts'
import type { Database } from './database/database.ts'
import { keepPrivate } from './disk/data-dir-access.ts'
import { type Disk, watchDisk } from './disk/disk-watch.ts'
import { type Admission, createAdmission } from './http/admission.ts'
import { type Listening, listen } from './http/listen.ts'
import { createMetrics, type Metrics } from './http/metrics.ts'
import { createPassage } from './http/server.ts'
import { LIMITS } from './limits.ts'
import { applicationId } from './migration/own/facts.ts'
import type { Logger } from './observe.ts'
import { asSystem, startPlugins } from './plugin/as-system.ts'
import { type BackgroundWork, beginWork } from './plugin/begin-work.ts'
import type { StartLine } from './plugin/plugin.ts'
import { saidOnce, startLines } from './plugin/start-lines.ts'
import type { Follower } from './rollout/follow.ts'
import { checkSecret } from './secret.ts'
import type { Settings } from './settings.ts'
import { openStore } from './store/open-store.ts'
import type { Store } from './store/store.ts'
import { createStreams, type Streams } from './stream/streams.ts'
import type { Collected, Diagnostic } from './text/diagnostic.ts'

export type { App }

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
  /** With `begin: false`: the database is as an application with the same tables left it, and is not looked at. */
  readonly asLeft?: boolean
  /** Aborted when the process is told to stop: the start ends as soon as it can, and rejects. */
  readonly stop?: AbortSignal
  /** For commands: an embedded database that a running server has open is used by way of that server. */
  readonly joins?: boolean
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
  /**
   * Reads the sources again and has every running instance serve them, this one included; gives their names. On mistakes,
   * or where one cannot, all serve on what they have and the diagnostics say why.
   */
  rollOut(): Promise<Collected<readonly string[]>>
  /** Turns /readyz to 503, serves on for `delayMs`, lets what is under way finish, and closes everything. */
  close(delayMs?: number): Promise<void>
}

/** What an application needs before its tables are there. */
interface Ground {
  readonly settings: Settings
  readonly log: Logger
  readonly now: () => Date
  readonly clock: () => number
  readonly database: Database
  readonly disk: Disk
}

/** The parts that outlive a change of the app. */
interface Process extends Ground, Pick<Foundation, 'instance'> {
  readonly store: Store
  readonly metrics: Metrics
  readonly admission: Admission
  draining: boolean
  readonly streams: Streams
  readonly servedKeeper: ServedKeeper
  readonly logged: Logged
  /** The app that is served, once there is one. */
  serving: () => App | undefined
  /** Works what follows from writes; absent until the process listens, and in commands. */
  listeners: ListenerWorker | undefined
}

async function openGround(options: EngineOptions): Promise<Ground> {
  const { settings, log, now = () => new Date(), clock = performance.now.bind(performance), joins = false } = options
  const disk = await watchDisk(settings.dataDir, log)
  const database = options.database ?? (await connectOn(disk, settings, { log, joins }))
  return { settings, log, now, clock, database, disk }
}

/** Opens what an application shares with its other instances, once its database says which application it is. */
async function openProcess(ground: Ground): Promise<Process> {
  const { settings, log, database } = ground
  const instance = await applicationId(database, randomUUID)
  const store = await openStore(settings, log, `plinth:${instance}`)
  const admission = createAdmission({ waited: database.waited, log })
  const streams = createStreams({ store, random: Math.random }, () => process.serving())
  const metrics = createMetrics(
    database.connections,
    admission.figures,
    () => standings(settings),
    async () => (await process.listeners?.states()) ?? [],
    streams.figures,
  )
  const wake = (): void => process.listeners?.wake()
  const logged = {
    toListeners: wake,
    toStreams: () => {
      wake()
      streams.wrote()
    },
  }
  const process: Process = {
    ...ground,
    ...{ instance, store, metrics, admission, streams, logged },
    servedKeeper: createServedKeeper(ground, () => process.serving()),
    draining: false,
    serving: () => undefined,
    listeners: undefined,
  }
  return process
}

/** Starts an application: reads, checks, migrates, seeds, composes. Diagnostics instead of an engine when anything is in the way. */
export async function createEngine(options: EngineOptions): Promise<Collected<Engine>> {
  const { settings, begin = true, asLeft = false, stop } = options
  const read = options.read ?? (await readCatalog(settings))
  if (read.value === undefined) return { diagnostics: read.diagnostics }
  await keepPrivate(settings.dataDir, false)
  if (begin) await checkSecret(settings)
  const ground = await openGround(options)
  const { database, disk } = ground
  logBreakers(settings, options.log)
  let process: Process | undefined
  const closeAll = async (): Promise<void> => {
    await process?.servedKeeper.end()
    await process?.store.close()
    if (options.database === undefined) await database.close()
    disk.stop()
  }
  stop?.addEventListener('abort', database.interrupt)
  try {
    stop?.throwIfAborted()
    const settled = await setUpFor(ground, read.value, { begin, asLeft })
    if (settled.value === undefined) {
      await closeAll()
      return { diagnostics: [...read.diagnostics, ...settled.diagnostics] }
    }
    process = await openProcess(ground)
    if (begin) await register(process, read.value)
    const app = composeApp(process, read.value)
    stop?.throwIfAborted()
    const lines = begin ? await startPlugins(app) : []
    return { value: running(process, read.value, app, lines, closeAll), diagnostics: read.diagnostics }
  } catch (error) {
    await closeAll()
    throw error
  } finally {
    stop?.removeEventListener('abort', database.interrupt)
  }
}

function running(
  process: Process,
  boot: Boot,
  first: App,
  lines: readonly StartLine[],
  closeAll: () => Promise<void>,
): Engine {
  const serving = { app: first }
  process.serving = () => serving.app
  hearChanges(process, () => ({ catalog: serving.app.catalog, cachedTables: serving.app.foundation.cachedTables }))
  const passage = createPassage()
  const exchange = createExchange({ ...process, compose: (next) => composeApp(process, next), serving, passage })
  let listening: Listening | undefined
  let work: BackgroundWork | undefined
  let follower: Follower | undefined
  return {
    get app() {
      return serving.app
    },
    database: process.database,
    said: saidOnce(lines),
    lost: process.disk.lost,
    async listen() {
      const gate = { passage, admission: process.admission }
      listening = await listen(serving, gate, { ...process, ending: process.streams.close })
      work = beginWork(process, serving)
      process.listeners = work.listeners
      await admitCommands(process.database, process.log)
      process.servedKeeper.begin(boot.version)
      follower = exchange.follow(boot.version)
      return { url: listening.url, lines: startLines(process.database, serving.app.catalog, listening.url, lines) }
    },
    command(name, args) {
      const found = serving.app.composition.commands.get(name)
      if (found === undefined) return Promise.reject(new Error(`No plugin has a command "${name}"`))
      return asSystem(serving.app, found.plugin, (context) => found.value.run(context, args))
    },
    reload: exchange.reload,
    rollOut: exchange.rollOut,
    async close(delayMs = 0) {
      process.draining = true
      await Promise.all([listening?.stop(delayMs), work?.closeJobs(LIMITS.drainMs)])
      // As long as requests are answered, another version concerns them.
      await follower?.close()
      await work?.closeOthers(LIMITS.drainMs)
      await closeAll()
    },
  }
}
