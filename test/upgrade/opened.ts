/** The data of a version, opened by the present program. */
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Boot, readCatalog } from '../../engine/boot/boot.ts'
import { createEngine, type Engine } from '../../engine/engine.ts'
import { readSettings, type Settings } from '../../engine/settings.ts'
import type { Collected } from '../../engine/text/diagnostic.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { SILENT, testDatabase } from '../support/database.ts'
import { unpacked, unpackFolder } from './archive.ts'
import type { Midway } from './midway.ts'
import type { Answers } from './questions.ts'
import type { Sown } from './sow.ts'

const SETS = join(import.meta.dirname, 'sets')
const SERVER = process.env.TEST_DATABASE_URL
const KIND = SERVER ? 'postgres' : 'embedded'

/** The versions whose data is kept. */
export const versions = (): Promise<readonly string[]> => readdir(SETS)

export interface Kept {
  readonly commit: string
  /** When its answers were given. */
  readonly at: string
  readonly sown: Sown
  readonly answers: Answers
}

export interface Opened extends Kept {
  readonly engine: Engine
  readonly address: string
  /** Ends the program and starts it again. */
  again(): Promise<void>
  close(): Promise<void>
}

/** Writes the desk's YAML of a version into a folder. */
export async function yamlOf(version: string, folder: string): Promise<void> {
  await unpackFolder(await readFile(join(SETS, version, 'yaml.br')), folder)
}

/** The data of a version that was left in the middle of its work; rejects where it has none. */
export async function midwayOf(version: string): Promise<Midway> {
  const file = await readFile(join(SETS, version, `${KIND}.midway.json.br`))
  return JSON.parse(String(await unpacked(file))) as Midway
}

interface OpenOptions {
  /** Another folder of YAML than that of the desk. */
  readonly resources?: string
  /** The data that was left in the middle of its work. */
  readonly midway?: Midway
  readonly env?: Readonly<Record<string, string>>
  /** Is called before the start, with the environment in which a command finds the data. */
  readonly before?: (place: Readonly<Record<string, string | undefined>>) => Promise<void>
}

/** What was read of the desk's own files, to which nobody writes while tests run. */
let shipped: Collected<Boot> | undefined

async function read(settings: Settings): Promise<Collected<Boot>> {
  if (settings.resourcesDir !== 'resources') return readCatalog(settings)
  shipped = shipped ?? (await readCatalog(settings))
  return shipped
}

/**
 * Starts a desk, the shipped one or that of a folder, over the data of a version, at the time at which that was left.
 * Work that was left is due by the clock of the database, so a desk that ends it has the present time.
 */
export async function open(
  version: string,
  { resources = 'resources', midway, env, before }: OpenOptions = {},
): Promise<Opened> {
  const bytes = (name: string): Promise<Buffer> => readFile(join(SETS, version, name))
  const part = midway === undefined ? '' : '.midway'
  const kept = JSON.parse(String(await unpacked(await bytes(`${KIND}.json.br`)))) as Kept
  const folder = await mkdtemp(join(tmpdir(), 'plinth-opened-'))
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  const data = await bytes(`${KIND}.data.br`)
  if (midway === undefined) await unpackFolder(data, dataDir)
  else await unpackFolder(await bytes(`${KIND}.midway.data.br`), dataDir, data)
  const server = SERVER ? await loaded(String(await unpacked(await bytes(`postgres${part}.sql.br`)))) : undefined
  const place = { DATA_DIR: dataDir, DATABASE_URL: server?.url, RESOURCES_DIR: resources }
  await before?.(place)
  const settings = readSettings({
    PORT: '0',
    ...place,
    RATE_LIMIT: '1000000',
    AUTH_RATE_LIMIT: '1000000',
    BASE_URL: 'https://desk.example',
    ...env,
  }).value!
  const behind = midway === undefined ? Date.now() - Date.parse(kept.at) : 0
  const now = (): Date => new Date(Date.now() - behind)
  const start = async (): Promise<Pick<Opened, 'engine' | 'address'>> => {
    const made = await createEngine({ settings, log: SILENT, now, read: await read(settings) })
    if (made.value === undefined) throw new Error(renderDiagnostics(made.diagnostics))
    return { engine: made.value, address: (await made.value.listen()).url }
  }
  const opened: Opened = {
    ...kept,
    ...(await start()),
    async again() {
      await opened.engine.close()
      Object.assign(opened, await start())
    },
    async close() {
      await opened.engine.close()
      await server?.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return opened
}

/** A database of the server of tests with what a dump holds. */
async function loaded(sql: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { database, url, close } = await testDatabase()
  await database.knex.raw('drop extension if exists pg_trgm cascade')
  const client = new pg.Client({ connectionString: String(url) })
  await client.connect()
  try {
    // Commands of psql, by which newer versions of pg_dump begin and end a dump.
    await client.query(sql.replaceAll(/^\\(un)?restrict .*$/gm, ''))
  } finally {
    await client.end()
  }
  return { url: String(url), close }
}
