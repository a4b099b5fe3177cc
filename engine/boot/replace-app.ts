/** Replaces the application that is served ⇄: after files were saved, or by a rollout to all instances. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { pid } from 'node:process'
import { registerAutomations } from '../automation/timed.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { registerListeners } from '../change/register-listeners.ts'
import type { Database } from '../database/database.ts'
import type { Passage } from '../http/server.ts'
import { LIMITS } from '../limits.ts'
import type { Pause } from '../migration/apply.ts'
import { exclusively } from '../migration/exclusive.ts'
import { isServable, takeBackBegun } from '../migration/migrate.ts'
import { isBroughtTo, latestMigration } from '../migration/own/migrations.ts'
import type { Logger } from '../observe.ts'
import { type Follower, type FollowerParts, followRollouts } from '../rollout/follow.ts'
import { rollOut } from '../rollout/roll-out.ts'
import type { Settings } from '../settings.ts'
import type { Streams } from '../stream/streams.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { type Doing, inTurns } from '../turns.ts'
import type { App } from './app.ts'
import { type Boot, type BootOptions, readCatalog } from './boot.ts'
import { type SetupOptions, setUpDatabase } from './database-setup.ts'
import type { ServedKeeper } from './served-description.ts'

/** The ways to hold and to release requests, and to serve the next app. */
interface Pausing {
  hold(): Promise<void>
  open(): void
  serve(): Promise<void>
}

export interface OwnPause extends Pause {
  /** Serves the next app, unless it is served already. */
  serve(): Promise<void>
  /** Lets requests through, to whatever is served. */
  close(): void
}

/** Requests wait from `begin` until the next app is served, or the pause is given back or closed. */
export function pauseOf(parts: Pausing): OwnPause {
  let held: Promise<void> | undefined
  let serving: Promise<void> | undefined
  const open = (): void => {
    if (held !== undefined) parts.open()
    held = undefined
  }
  const serveOnce = async (): Promise<void> => {
    serving ??= parts.serve()
    await serving
    open()
  }
  return {
    begin() {
      held ??= parts.hold().catch((error) => {
        held = undefined
        throw error
      })
      return held
    },
    giveBack: async () => open(),
    // Without waiting requests, the next app is served when all of the migration is done.
    end: async () => (held === undefined ? undefined : serveOnce()),
    serve: serveOnce,
    close: open,
  }
}

/** The parts of the process that outlive an app and that a replacement needs. */
export interface Exchanging {
  readonly settings: Settings
  readonly log: Logger
  readonly now: () => Date
  readonly database: Database
  readonly streams: Pick<Streams, 'endAll'>
  readonly servedKeeper: ServedKeeper
  /** Composes the app of a catalog, without the database; the app is not served yet. */
  readonly compose: (boot: Boot) => App
  readonly serving: { app: App }
  readonly passage: Passage
}

/** Reads the files as they are now. */
type Read = (doing?: Doing) => Promise<Collected<Boot>>

/** Reads files again and again: what has not changed since the last time is not made again. */
function reader(settings: BootOptions, first: Pick<Boot, 'sources'>): Read {
  let known = first.sources
  return async (doing) => {
    const read = await readCatalog(settings, doing, known)
    known = read.value?.sources ?? known
    return read
  }
}

interface Replacing extends Exchanging {
  readonly read: Read
  /** What this process rolls out at present. */
  readonly rolling: { boot?: Boot | undefined }
}

export interface Exchange {
  /** Reads the sources again and replaces the app of this instance only; returns the mistakes. */
  reload(): Promise<readonly Diagnostic[]>
  /** Reads the sources again and makes every running instance serve them; returns their names. */
  rollOut(): Promise<Collected<readonly string[]>>
  /** Serves each version that is rolled out from now on; `version` is the first served one. */
  follow(version: string): Follower
}

export function createExchange(given: Exchanging & { readonly first: Boot }): Exchange {
  const parts: Replacing = { ...given, read: reader(given.settings, given.first), rolling: {} }
  const { servedKeeper } = given
  let reloading: Promise<unknown> = Promise.resolve()
  return {
    reload() {
      const ended = servedKeeper.during(() => reload(parts))
      reloading = ended.catch(() => {})
      return ended
    },
    rollOut: () => servedKeeper.during(() => rollOutFiles(parts)),
    follow: (version) => follow(parts, version, () => reloading),
  }
}

/** Brings the database to the catalog. */
export function setUpFor(
  { database, log, now, settings }: Pick<Exchanging, 'database' | 'log' | 'now' | 'settings'>,
  { catalog }: Boot,
  how: Pick<SetupOptions, 'edited' | 'begin' | 'asLeft' | 'pause'>,
) {
  return setUpDatabase(catalog, database, { log, now: now(), settings, ...how })
}

/** Registers the listeners and automations of an app in a database that fits its catalog. */
export async function register({ database }: Pick<Exchanging, 'database'>, { catalog }: Boot): Promise<void> {
  await registerListeners(database, catalog.listeners)
  await registerAutomations(database.adhoc, catalog)
}

/** Makes requests wait. Streams would be waited for, so they end first; their readers reconnect. */
async function hold({ streams, passage }: Exchanging): Promise<void> {
  await streams.endAll()
  await passage.hold(LIMITS.reloadWaitMs)
}

/** Serves another app from now on; it was composed before, because requests may wait for this. */
async function serve(parts: Exchanging, boot: Boot, next: App): Promise<void> {
  const { servedKeeper, streams, serving } = parts
  await register(parts, boot)
  servedKeeper.again(boot.version)
  await streams.endAll()
  serving.app = next
  // Streams that were opened meanwhile belong to the app before.
  await streams.endAll()
}

async function reload(parts: Replacing): Promise<readonly Diagnostic[]> {
  const { diagnostics, value } = await parts.read()
  if (value === undefined) return diagnostics
  const next = parts.compose(value)
  // Between the change of the tables and that of the app, neither app fits the tables.
  const pause = pauseOf({
    hold: () => hold(parts),
    open: parts.passage.open,
    serve: () => serve(parts, value, next),
  })
  try {
    const settled = await setUpFor(parts, value, { edited: true, pause })
    if (settled.value !== undefined) await pause.serve()
    return settled.diagnostics
  } finally {
    pause.close()
  }
}

async function rollOutFiles(parts: Replacing): Promise<Collected<readonly string[]>> {
  const { database, rolling } = parts
  const { diagnostics, value } = await parts.read(inTurns)
  if (value === undefined) return { diagnostics }
  rolling.boot = value
  const { value: done, diagnostics: found } = await rollOut({
    runner: database.adhoc,
    presence: database.presence,
    version: value.version,
    settle: (pause) => setUpFor(parts, value, { edited: true, pause }),
  }).finally(() => {
    rolling.boot = undefined
  })
  const all = [...diagnostics, ...found]
  return done === undefined ? { diagnostics: all } : { value: done.serving, diagnostics: all }
}

/**
 * Finishes what a process that is gone had begun in the database; false where the database still fits the served app.
 */
async function finish(parts: Exchanging, boot: Boot): Promise<boolean> {
  const { database, serving, log, now } = parts
  // Under the lock: nothing of a process that is gone is under way in the database by then.
  const there = await exclusively(database, (runner) => isBroughtTo(boot.catalog, runner))
  if (!there && (await isServable(serving.app.catalog, database, now()))) {
    await takeBackBegun(database, log)
    return false
  }
  const { value, diagnostics } = await setUpFor(parts, boot, { edited: true })
  if (value === undefined) log.error({ diagnostics }, 'what a process that is gone had begun could not be finished')
  return value !== undefined
}

/** Whether the database is as a catalog wants it. */
async function fits({ database, now }: Exchanging, catalog: Catalog): Promise<boolean> {
  return (await isBroughtTo(catalog, database.adhoc)) || isServable(catalog, database, now())
}

function follow(parts: Replacing, version: string, reloaded: () => Promise<unknown>): Follower {
  const { database, passage, compose, rolling, serving } = parts
  return followFiles(parts, version, {
    hasRead: (wanted) => (rolling.boot?.version === wanted ? rolling.boot : undefined),
    async alone(work) {
      await hold(parts)
      try {
        return await work()
      } finally {
        passage.open()
      }
    },
    compose,
    serve: (next, app) => serve(parts, next, app),
    finish: (next) => finish(parts, next),
    fits: ({ catalog }) => fits(parts, catalog),
    changed: () => latestMigration(database.adhoc),
    async fitsNow() {
      // A reload changes the tables before the app.
      await reloaded()
      return fits(parts, serving.app.catalog)
    },
  })
}

interface FollowParts {
  readonly database: Pick<Database, 'adhoc' | 'presence'>
  readonly log: Logger
  readonly read: Read
}

export interface Serves<T> extends Pick<FollowerParts, 'alone' | 'changed'> {
  /** What this process has read of the files of a version; absent: nothing. */
  readonly hasRead?: (version: string | undefined) => Boot | undefined
  /** Composes the app of a catalog, without the database; the app is not served yet. */
  readonly compose: (boot: Boot) => T
  /** Serves it from now on. */
  readonly serve: (boot: Boot, app: T) => Promise<void>
  /** Whether the database fits the catalog that was read. */
  readonly fits: (boot: Boot) => Promise<boolean>
  readonly finish: (boot: Boot) => Promise<boolean>
  /** Whether the database fits the served app. */
  readonly fitsNow: () => Promise<boolean>
}

/** `version` is that of the files which are served at first. */
export function followFiles<T>(
  { database, log, read }: FollowParts,
  version: string,
  { alone, changed, compose, serve, fits, finish, fitsNow, hasRead }: Serves<T>,
): Follower {
  let served = version
  return followRollouts({
    runner: database.adhoc,
    presence: database.presence,
    log,
    id: randomUUID(),
    name: `${hostname()}:${pid}`,
    version: () => served,
    alone,
    changed,
    fits: fitsNow,
    async read(wanted) {
      const known = hasRead?.(wanted)
      const { value, diagnostics } = known === undefined ? await read(inTurns) : { value: known, diagnostics: [] }
      if (value === undefined) return { diagnostics }
      // Here and not in `serve`, for which requests may wait.
      const app = compose(value)
      return {
        value: {
          version: value.version,
          async serve() {
            await serve(value, app)
            served = value.version
          },
          fits: () => fits(value),
          finish: () => finish(value),
        },
        diagnostics,
      }
    },
  })
}
