/** What a running application shares with the next one that replaces it: the database, the store, admission, streams and counts. ⇄ */
import { randomUUID } from 'node:crypto'
import { actCounts } from './acts.ts'
import type { App, Logged } from './boot/app.ts'
import { createServedKeeper, type ServedKeeper } from './boot/served-description.ts'
import { standings } from './breaker.ts'
import type { ListenerWorker } from './change/worker.ts'
import { connectOn } from './database/connect.ts'
import type { Database } from './database/database.ts'
import { type Disk, watchDisk } from './disk/disk-watch.ts'
import { type Admission, createAdmission } from './http/admission.ts'
import { createMetrics, type Metrics } from './http/metrics.ts'
import { applicationId } from './migration/own/facts.ts'
import type { Logger } from './observe.ts'
import type { Foundation } from './run/execution.ts'
import type { Settings } from './settings.ts'
import { openStore } from './store/open-store.ts'
import type { Store } from './store/store.ts'
import { createStreams, type Streams } from './stream/streams.ts'

export interface ProcessOptions {
  readonly settings: Settings
  readonly log: Logger
  readonly now?: () => Date
  /** Monotonic, in milliseconds: measures limits, and how long something is kept. */
  readonly clock?: () => number
  /** Instead of the database that the settings name; its opener closes it. */
  readonly database?: Database
  /** For commands: uses the embedded database of a running server through that server. */
  readonly joins?: boolean
}

/** The parts of a process before its tables exist. */
export interface Ground {
  readonly settings: Settings
  readonly log: Logger
  readonly now: () => Date
  readonly clock: () => number
  readonly database: Database
  readonly disk: Disk
}

/** The parts that outlive a change of the app. */
export interface Process extends Ground, Pick<Foundation, 'instance'> {
  readonly store: Store
  readonly metrics: Metrics
  readonly admission: Admission
  draining: boolean
  readonly streams: Streams
  readonly servedKeeper: ServedKeeper
  readonly logged: Logged
  /** The app that is served; undefined before the first. */
  readonly served: { app: App | undefined }
  /** The worker of listeners; undefined until the process listens, and in commands. */
  listeners: ListenerWorker | undefined
}

/** Opens the disk and the database. */
export async function openGround(options: ProcessOptions): Promise<Ground> {
  const { settings, log, now = () => new Date(), clock = performance.now.bind(performance), joins = false } = options
  const disk = await watchDisk(settings.dataDir, log)
  const database = options.database ?? (await connectOn(disk, settings, { log, joins }))
  return { settings, log, now, clock, database, disk }
}

/** Opens the rest, once the database holds the id of the application. */
export async function openProcess(ground: Ground): Promise<Process> {
  const { settings, log, database } = ground
  const instance = await applicationId(database, randomUUID)
  const store = await openStore(settings, log, `plinth:${instance}`)
  const admission = createAdmission({ waited: database.waited, log })
  const streams = createStreams({ store, random: Math.random }, () => process.served.app)
  const metrics = createMetrics(
    database.connections,
    admission.figures,
    () => standings(settings),
    async () => (await process.listeners?.states()) ?? [],
    streams.figures,
    () => actCounts(settings),
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
    servedKeeper: createServedKeeper(ground, () => process.served.app),
    draining: false,
    served: { app: undefined },
    listeners: undefined,
  }
  return process
}
