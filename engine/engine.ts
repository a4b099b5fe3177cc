/** The only composer: sources, plugins and a database become a running app, which the next one can replace. ⇄ */

import { type App, composeApp } from './boot/app.ts'
import { type Boot, readCatalog } from './boot/boot.ts'
import { createExchange, register, setUpFor } from './boot/replace-app.ts'
import { logBreakers } from './breaker.ts'
import { admitCommands } from './database/connect.ts'
import type { Database } from './database/database.ts'
import { keepPrivate } from './disk/data-dir-access.ts'
import { type Listening, listen } from './http/listen.ts'
import { createPassage } from './http/server.ts'
import { LIMITS } from './limits.ts'
import { asSystem, saidOnce, startLines, startPlugins } from './plugin/as-system.ts'
import { type BackgroundWork, beginWork } from './plugin/background-work.ts'
import type { StartLine } from './plugin/plugin.ts'
import { openGround, openProcess, type Process, type ProcessOptions } from './process.ts'
import type { Follower } from './rollout/follow.ts'
import { hearChanges } from './run/changes.ts'
import { checkSecret } from './secret.ts'
import type { Collected, Diagnostic } from './text/diagnostic.ts'

export type { App }

export interface EngineOptions extends ProcessOptions {
  /** The catalog, where it was read already; without it the sources of the settings are read. */
  readonly read?: Collected<Boot>
  /** false: takes the database as it is, for a command that only looks; rejects where the YAML describes another. */
  readonly begin?: boolean
  /**
   * With `begin: false`: does not inspect the database, which an application with the same tables has left, and does not
   * write down there what is served.
   */
  readonly asLeft?: boolean
  /** Aborted when the process is told to stop: the start then ends as soon as it can, and rejects. */
  readonly stop?: AbortSignal
}

export interface Engine {
  readonly app: App
  readonly database: Database
  /** Lines of plugins that only this start prints, such as the first admin's password. */
  readonly said: readonly string[]
  /** Resolves with the reason when this process has lost DATA_DIR, and should end. */
  readonly lost: Promise<Error>
  /** Starts listening; returns the address, and lines for the person who started it. Rejects when the port is taken. */
  listen(): Promise<{ readonly url: string; readonly lines: readonly string[] }>
  /** Runs a plugin's command as the system; returns its exit code. Rejects when no plugin has it. */
  command(name: string, args: readonly string[]): Promise<number>
  /** Reads the sources again and replaces the app; on mistakes nothing changes and the diagnostics say why. */
  reload(): Promise<readonly Diagnostic[]>
  /**
   * Reads the sources again and makes every running instance serve them, including this one; returns their names. On
   * mistakes, or where one instance cannot, nothing changes and the diagnostics say why.
   */
  rollOut(): Promise<Collected<readonly string[]>>
  /** Turns /readyz to 503, serves for another `delayMs`, lets open work finish, and closes everything. */
  close(delayMs?: number): Promise<void>
}

/** Starts an application: reads, checks, migrates, seeds, composes. Returns diagnostics instead of an engine on mistakes. */
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
    if (begin) await app.drift?.look()
    stop?.throwIfAborted()
    const lines = begin ? await startPlugins(app) : []
    return { value: running(process, read.value, app, { lines, closeAll, asLeft }), diagnostics: read.diagnostics }
  } catch (error) {
    await closeAll()
    throw error
  } finally {
    stop?.removeEventListener('abort', database.interrupt)
  }
}

interface RunningOptions extends Required<Pick<EngineOptions, 'asLeft'>> {
  readonly lines: readonly StartLine[]
  readonly closeAll: () => Promise<void>
}

function running(process: Process, boot: Boot, first: App, { lines, closeAll, asLeft }: RunningOptions): Engine {
  const serving = Object.assign(process.served, { app: first })
  hearChanges(process, () => ({ catalog: serving.app.catalog, cachedTables: serving.app.foundation.cachedTables }))
  const passage = createPassage()
  const compose = (next: Boot): App => composeApp(process, next)
  const exchange = createExchange({ ...process, compose, serving, passage, first: boot })
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
      if (!asLeft) process.servedKeeper.begin(boot.version)
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
      // While requests are answered, a new version still concerns them.
      await follower?.close()
      await work?.closeOthers(LIMITS.drainMs)
      await closeAll()
    },
  }
}
