/** An application of YAML files in this process: its files change while it serves, it starts again, and plans are read. ⇄ */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Boot, readCatalog } from '../../../engine/boot/boot.ts'
import { setUpByPlan } from '../../../engine/boot/database-setup.ts'
import type { Database, Runner } from '../../../engine/database/database.ts'
import { createEngine, type Engine } from '../../../engine/engine.ts'
import { migrateTables, planFor } from '../../../engine/migration/migrate.ts'
import { ENGINE_TABLES } from '../../../engine/migration/own/engine-tables.ts'
import type { ShownPlan } from '../../../engine/migration/plan.ts'
import { renderPlan } from '../../../engine/migration/plan-text.ts'
import type { Logger } from '../../../engine/observe.ts'
import { rollOut } from '../../../engine/rollout/roll-out.ts'
import { rehearse } from '../../../engine/run/rehearse.ts'
import { readSettings, type Settings } from '../../../engine/settings.ts'
import type { Diagnostic } from '../../../engine/text/diagnostic.ts'
import { renderDiagnostics } from '../../../engine/text/render.ts'
import type { Answer } from '../../support/answer.ts'
import { send } from '../../support/application.ts'
import { SILENT } from '../../support/database.ts'
import { filledDatabase } from '../../support/filled.ts'
import type { Files } from './shape.ts'

/** What a plan says, or why there is none. */
export type Told = { readonly plan: ShownPlan; readonly text: string } | { readonly mistakes: string }

/** Where requests go. */
export interface Instance {
  send(method: string, path: string, body?: unknown): Promise<Answer>
  close(): Promise<void>
}

export interface Served extends Instance {
  readonly database: Database
  readonly url: string | undefined
  write(files: Files): Promise<void>
  plan(): Promise<Told>
  /** These give what is in the way, nothing where the files are served. */
  reload(): Promise<string>
  rollOut(): Promise<string>
  apply(hash: string): Promise<string>
  restart(): Promise<string>
  /** Starts on the files, and is gone before statement number `at` of the migration; whether it got so far. */
  killed(at: number): Promise<boolean>
  /** Another instance that serves the files beside this one; undefined on the embedded database. */
  beside(): Promise<Instance | undefined>
}

const errorsOf = (diagnostics: readonly Diagnostic[]): string =>
  renderDiagnostics(diagnostics.filter(({ severity }) => severity !== 'warning'))

export class Killed extends Error {}

/** A database whose process is gone before a statement of its sessions. */
function dying(database: Database, at: number): { readonly database: Database; readonly isDead: () => boolean } {
  let count = 0
  let dead = false
  const session: Database['session'] = (work) =>
    database.session(async (runner) => {
      const mortal: Runner = {
        run: async (statement, values) => {
          if (dead) throw new Killed('gone')
          count += 1
          if (count < at) return runner.run(statement, values)
          dead = true
          const end = database.kind === 'embedded' ? 'rollback' : 'select pg_terminate_backend(pg_backend_pid())'
          await runner.run({ text: end }, []).catch(() => undefined)
          throw new Killed('gone')
        },
      }
      return work(mortal)
    })
  return { database: { ...database, session }, isDead: () => dead }
}

async function settingsIn(folder: string): Promise<Settings> {
  const places = { DATA_DIR: join(folder, 'data'), RESOURCES_DIR: join(folder, 'resources') }
  await mkdir(places.RESOURCES_DIR)
  const env = { PORT: '0', ...places, RATE_LIMIT: '1000000' }
  const { value, diagnostics } = readSettings(env)
  if (value === undefined) throw new Error(renderDiagnostics(diagnostics))
  return value
}

async function another(settings: Settings, databaseUrl: string, log: Logger): Promise<Instance> {
  const { value, diagnostics } = await createEngine({ settings: { ...settings, databaseUrl }, log })
  if (value === undefined) throw new Error(errorsOf(diagnostics))
  const { url: address } = await value.listen()
  return { send: (method, path, body) => send(address, method, path, { body }), close: () => value.close() }
}

/** The engine's own tables, which every application has, are made once for all. */
const withOwnTables = (database: Database) => migrateTables(ENGINE_TABLES, database, { log: SILENT, now: new Date() })

export async function serve(first: Files, log: Logger = SILENT): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-machine-'))
  const { database, url, close } = await filledDatabase(withOwnTables)
  const settings = await settingsIn(folder)
  let written: Files = {}
  let engine: Engine | undefined
  let address = ''
  const write = async (files: Files): Promise<void> => {
    for (const name of Object.keys(written)) if (!(name in files)) await rm(join(settings.resourcesDir, name))
    for (const [name, text] of Object.entries(files)) await writeFile(join(settings.resourcesDir, name), text)
    written = files
  }
  const stop = async (): Promise<void> => {
    await engine?.close()
    engine = undefined
  }
  const start = async (on: Database): Promise<string> => {
    const { value, diagnostics } = await createEngine({ settings, log, database: on })
    if (value === undefined) return errorsOf(diagnostics)
    engine = value
    address = (await value.listen()).url
    return ''
  }
  const read = async (): Promise<Boot | string> => {
    const { value, diagnostics } = await readCatalog(settings)
    return value ?? errorsOf(diagnostics)
  }
  const served = (): Engine => {
    if (engine === undefined) throw new Error('nothing is served')
    return engine
  }
  await write(first)
  const wrong = await start(database)
  if (wrong !== '') throw new Error(wrong)
  return {
    ...{ database, url, write },
    async plan() {
      const boot = await read()
      if (typeof boot === 'string') return { mistakes: boot }
      const { catalog } = boot
      const { value, diagnostics } = await planFor(catalog, database, new Date(), (runner, fresh, tried) =>
        rehearse(catalog, runner, fresh, tried),
      )
      return diagnostics.length > 0
        ? { mistakes: renderDiagnostics(diagnostics) }
        : { plan: value, text: renderPlan(value) }
    },
    reload: async () => errorsOf(await served().reload()),
    rollOut: async () => errorsOf((await served().rollOut()).diagnostics),
    async apply(hash) {
      const boot = await read()
      if (typeof boot === 'string') return boot
      const { diagnostics } = await rollOut({
        runner: database.adhoc,
        presence: database.presence,
        version: boot.version,
        settle: (pause) =>
          setUpByPlan(hash, boot.catalog, database, { log, now: new Date(), settings, edited: true, pause }),
      })
      return errorsOf(diagnostics)
    },
    async restart() {
      await stop()
      return start(database)
    },
    async killed(at) {
      await stop()
      const mortal = dying(database, at)
      try {
        await start(mortal.database)
      } catch (error) {
        if (!mortal.isDead()) throw error
      }
      return mortal.isDead()
    },
    send: (method, path, body) => send(address, method, path, { body }),
    beside: async () => (url === undefined ? undefined : another(settings, url, log)),
    async close() {
      await stop()
      await close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
