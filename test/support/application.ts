/** A whole application over real HTTP for tests: its own database, a free port, answers parsed. */
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { type Boot, readCatalog } from '../../engine/boot/boot.ts'
import type { Database } from '../../engine/database/database.ts'
import { createEngine, type Engine } from '../../engine/engine.ts'
import type { Logger } from '../../engine/observe.ts'
import { readSettings, type Settings } from '../../engine/settings.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import type { Source } from '../../engine/text/source.ts'
import { atOnce } from '../../engine/turns.ts'
import { type Answer, answerTo } from './answer.ts'
import { begunDatabase, rootedDatabase } from './begun.ts'
import { holdToContract } from './contract.ts'
import { SILENT, type TestDatabase, testDatabase } from './database.ts'

export type { Answer }

export interface Call {
  readonly token?: string | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Whose connections are used; the application's without it. */
  readonly agent?: Agent
}

export interface TestApplication {
  readonly engine: Engine
  readonly address: string
  /** Where the application's data, outbox and made secrets are. */
  readonly dataDir: string
  call(method: string, path: string, call?: Call): Promise<Answer>
  close(): Promise<void>
}

/** The folder of the support desk. */
const SHIPPED = 'resources'

/** What was read of it, by the folder of its plugins: nobody writes to it while tests run. */
const shipped = new Map<string, ReturnType<typeof readCatalog>>()

/** Versions that were opened in this process before. */
const opened = new Set<string>()

export interface ApplicationOptions {
  /** A folder of YAML, or its files by name. */
  readonly resources: string | Readonly<Record<string, string>>
  readonly plugins?: string
  /** Environment variables beside those that a test sets. */
  readonly env?: Readonly<Record<string, string>>
  readonly now?: () => Date
  /** SQL of what is there before the first start. */
  readonly before?: string
  /** Whether it is served as `start --watch` serves it; the test itself reloads. */
  readonly watched?: true
  /** A database of the test's own, which outlives the application. */
  readonly database?: Database
}

/** Starts an application on an empty database of its own; throws the rendered diagnostics when it does not start. */
export async function application(options: ApplicationOptions): Promise<TestApplication> {
  const { folder, dataDir, free } = await takePlace()
  const resourcesDir = typeof options.resources === 'string' ? options.resources : join(folder, 'resources')
  if (typeof options.resources !== 'string') await writeFiles(resourcesDir, options.resources)
  const env = {
    PORT: '0',
    DATA_DIR: dataDir,
    RESOURCES_DIR: resourcesDir,
    RATE_LIMIT: '100000',
    AUTH_RATE_LIMIT: '100000',
    BASE_URL: 'http://desk.example',
    REDIS_URL: process.env.TEST_REDIS_URL,
    ...(options.plugins === undefined ? {} : { PLUGINS_DIR: options.plugins }),
    ...options.env,
  }
  const settings = readSettings(env)
  if (settings.value === undefined) throw new Error(renderDiagnostics(settings.diagnostics))
  const read = await catalogOf(settings.value, options.resources)
  if (read.value === undefined) throw new Error(renderDiagnostics(read.diagnostics))
  const { database, close } = await databaseOf(read.value, options)
  const log = process.env.TEST_LOG === undefined ? SILENT : loud()
  const watched = options.watched === true ? { watched: true as const } : {}
  const made = await createEngine({
    ...{ settings: { ...settings.value, ...watched }, log, database, read },
    ...(options.now && { now: options.now }),
  })
  if (made.value === undefined) throw new Error(renderDiagnostics(made.diagnostics))
  const engine = made.value
  const { url: address } = await engine.listen()
  const agent = new Agent({ keepAlive: true })
  return {
    engine,
    address,
    dataDir,
    async call(method, path, call = {}) {
      const answer = await send(address, method, path, { agent, ...call })
      holdToContract(engine.app, method, path, answer, call.body)
      return answer
    },
    async close() {
      agent.destroy()
      await engine.close()
      await close()
      await free()
    },
  }
}

/** Where applications of this process have their folders: the same files at the same place are read once. */
let places: Promise<string> | undefined
const taken = new Set<number>()
let nth = 0

interface Place {
  readonly folder: string
  /** In the folder, and no other application had it. */
  readonly dataDir: string
  free(): Promise<void>
}

async function makePlaces(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-test-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function takePlace(): Promise<Place> {
  places ??= makePlaces()
  let at = 0
  while (taken.has(at)) at += 1
  taken.add(at)
  nth += 1
  const folder = join(await places, String(at))
  return {
    folder,
    dataDir: join(folder, `data-${nth}`),
    async free() {
      await rm(folder, { recursive: true, force: true })
      taken.delete(at)
    },
  }
}

/** Files of applications that were read, the last ones last, and the files that plugins bring. */
const known = new Map<string, Source>()
const brought = new Map<string, Source>()
const MOST_KNOWN = 400

const keyOf = ({ file, text }: Source): string => `${file}\n${text}`

/** Reads files of a test; what was made of files with the same text at the same place is not made again. */
async function readTestFiles(
  settings: Settings,
  files: Readonly<Record<string, string>>,
): Promise<Awaited<ReturnType<typeof readCatalog>>> {
  const place = relative(process.cwd(), settings.resourcesDir).split(sep).join('/')
  const own = new Set(Object.entries(files).map(([name, text]) => keyOf({ file: `${place}/${name}`, text })))
  const before = [...own].flatMap((key) => known.get(key) ?? [])
  const read = await readCatalog(settings, atOnce, [...before, ...brought.values()])
  for (const source of read.value?.sources ?? []) {
    const key = keyOf(source)
    known.delete(key)
    if (own.has(key)) known.set(key, source)
    else brought.set(source.file, source)
  }
  for (const [key] of [...known].slice(0, Math.max(0, known.size - MOST_KNOWN))) known.delete(key)
  return read
}

function catalogOf(settings: Settings, files: ApplicationOptions['resources']): ReturnType<typeof readCatalog> {
  const { pluginsDir, resourcesDir } = settings
  if (typeof files !== 'string') return readTestFiles(settings, files)
  if (resourcesDir !== SHIPPED) return readCatalog(settings)
  const read = shipped.get(pluginsDir) ?? readCatalog(settings)
  shipped.set(pluginsDir, read)
  return read
}

/** Keeping a database for others of the same files costs something, so that it begins with the second of them. */
async function databaseOf(
  boot: Boot,
  { resources, database, before, now }: ApplicationOptions,
): Promise<Pick<TestDatabase, 'database' | 'close'>> {
  if (database !== undefined) return { database, close: () => Promise.resolve() }
  const comesBack = resources === SHIPPED || opened.has(boot.version)
  opened.add(boot.version)
  if (comesBack && before === undefined && now === undefined) return begunDatabase(boot)
  if (before === undefined) return rootedDatabase()
  const empty = await testDatabase()
  await empty.database.knex.raw(before)
  return empty
}

/** Writes files by name into a folder. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
}

/** One request; `body` is sent as JSON unless it is text or bytes already. */
export function send(
  address: string,
  method: string,
  path: string,
  { token, body, headers, agent }: Call,
): Promise<Answer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array
  const payload = body === undefined ? undefined : raw ? body : JSON.stringify(body)
  const sent = {
    accept: 'application/json',
    ...(payload === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
  }
  const request = httpRequest(new URL(path, address), { method, headers: sent, agent: agent ?? false })
  request.end(payload)
  return answerTo(request)
}

function loud(): Logger {
  const print = (level: string) => (fields: object, message?: string) => console.error(level, message, fields)
  return { debug: print('debug'), info: print('info'), warn: print('warn'), error: print('error') }
}
