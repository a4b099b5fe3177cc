/** ⇄ Puts another application in the place of the one that is served: of files that were saved, or rolled out. */
import { registerAutomations } from '../automation/timed.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { registerListeners } from '../change/register.ts'
import type { Database } from '../database/database.ts'
import type { Passage } from '../http/server.ts'
import { LIMITS } from '../limits.ts'
import { exclusively } from '../migration/exclusive.ts'
import { isServable, takeBackBegun } from '../migration/migrate.ts'
import { isAt, latestMigration } from '../migration/own/migrations.ts'
import type { Logger } from '../observe.ts'
import type { Follower } from '../rollout/follow.ts'
import { rollOut } from '../rollout/roll-out.ts'
import type { Settings } from '../settings.ts'
import type { Streams } from '../stream/streams.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { inTurns } from '../turns.ts'
import type { App } from './app.ts'
import { type Boot, readCatalog } from './boot.ts'
import { followFiles } from './follow-files.ts'
import { pauseOf } from './pause.ts'
import type { Remembering } from './remember.ts'
import { type SettleOptions, settle } from './settle.ts'

/** What outlives a change of the app, as far as one needs it. */
export interface Exchanging {
  readonly settings: Settings
  readonly log: Logger
  readonly now: () => Date
  readonly database: Database
  readonly streams: Pick<Streams, 'endAll'>
  readonly remembering: Remembering
  /** Makes of what was read all that is made without the database; nothing of it is served yet. */
  readonly compose: (boot: Boot) => App
  readonly serving: { app: App }
  readonly passage: Passage
}

export interface Exchange {
  /** Reads the sources again and replaces the app of this instance alone; gives the mistakes. */
  reload(): Promise<readonly Diagnostic[]>
  /** Reads the sources again and has every running instance serve them; gives their names. */
  rollOut(): Promise<Collected<readonly string[]>>
  /** Serves what is rolled out from now on; `version` is that of the files which are served at first. */
  follow(version: string): Follower
}

export function createExchange(parts: Exchanging): Exchange {
  let reloading: Promise<unknown> = Promise.resolve()
  return {
    reload() {
      const ended = reload(parts)
      reloading = ended.catch(() => {})
      return ended
    },
    rollOut: () => rollOutFiles(parts),
    follow: (version) => follow(parts, version, () => reloading),
  }
}

/** Brings the database to the catalog. */
export function settleOn(
  { database, log, now, settings }: Pick<Exchanging, 'database' | 'log' | 'now' | 'settings'>,
  { catalog }: Boot,
  how: Pick<SettleOptions, 'edited' | 'begin' | 'asLeft' | 'pause'>,
) {
  return settle(catalog, database, { log, now: now(), settings, ...how })
}

/** Gives what an app works by itself its places in the database, which is brought to its catalog. */
export async function register({ database }: Pick<Exchanging, 'database'>, { catalog }: Boot): Promise<void> {
  await registerListeners(database, catalog.listeners)
  await registerAutomations(database.adhoc, catalog)
}

/** Has requests wait. Streams would be waited for, so they end first; their readers come back. */
async function hold({ streams, passage }: Exchanging): Promise<void> {
  await streams.endAll()
  await passage.hold(LIMITS.reloadWaitMs)
}

/** Serves another app from now on; it is composed before, because requests may wait for this. */
async function serve(parts: Exchanging, boot: Boot, next: App): Promise<void> {
  const { remembering, streams, serving } = parts
  await register(parts, boot)
  remembering.again(boot.version)
  await streams.endAll()
  serving.app = next
  // Those that were opened meanwhile are for the app before.
  await streams.endAll()
}

async function reload(parts: Exchanging): Promise<readonly Diagnostic[]> {
  const { diagnostics, value } = await readCatalog(parts.settings)
  if (value === undefined) return diagnostics
  const next = parts.compose(value)
  // Between the change of the tables and that of the app, neither app fits the tables.
  const pause = pauseOf({
    hold: () => hold(parts),
    open: parts.passage.open,
    serve: () => serve(parts, value, next),
  })
  try {
    const settled = await settleOn(parts, value, { edited: true, pause })
    if (settled.value !== undefined) await pause.serve()
    return settled.diagnostics
  } finally {
    pause.close()
  }
}

async function rollOutFiles(parts: Exchanging): Promise<Collected<readonly string[]>> {
  const { database, settings } = parts
  const { diagnostics, value } = await readCatalog(settings, inTurns)
  if (value === undefined) return { diagnostics }
  const { value: done, diagnostics: found } = await rollOut({
    runner: database.adhoc,
    presence: database.presence,
    version: value.version,
    settle: (pause) => settleOn(parts, value, { edited: true, pause }),
  })
  const all = [...diagnostics, ...found]
  return done === undefined ? { diagnostics: all } : { value: done.serving, diagnostics: all }
}

/** Whether the database has come to what was read, which is finished then; not where it fits what is served. */
async function finish(parts: Exchanging, boot: Boot): Promise<boolean> {
  const { database, serving, log, now } = parts
  // In turn: what a process that is gone had under way in the database has ended by then.
  const there = await exclusively(database, (runner) => isAt(boot.catalog, runner))
  if (!there && (await isServable(serving.app.catalog, database, now()))) {
    await takeBackBegun(database, log)
    return false
  }
  const { value, diagnostics } = await settleOn(parts, boot, { edited: true })
  if (value === undefined) log.error({ diagnostics }, 'what a process that is gone had begun could not be finished')
  return value !== undefined
}

/** Whether the database is as a catalog wants it. */
async function fits({ database, now }: Exchanging, catalog: Catalog): Promise<boolean> {
  return (await isAt(catalog, database.adhoc)) || isServable(catalog, database, now())
}

function follow(parts: Exchanging, version: string, reloaded: () => Promise<unknown>): Follower {
  const { database, passage, compose, serving } = parts
  return followFiles(parts, version, {
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
      // Whoever reloads changes the tables before the app.
      await reloaded()
      return fits(parts, serving.app.catalog)
    },
  })
}
