/**
 * Writes a whole application into one file ⇄: one consistent state of its database, and the files that its rows name.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Catalog } from '../catalog/catalog.ts'
import { protectedFields } from '../catalog/stored.ts'
import type { Database, Runner } from '../database/database.ts'
import { flush, isStorageKey } from '../disk/files.ts'
import { quoted as q } from '../filter/sql.ts'
import { tables as tablesOf } from '../migration/catalog-tables.ts'
import { inspectAll, type Physical } from '../migration/inspect.ts'
import { pairsOf, presentColumn } from '../migration/pair.ts'
import type { Column } from '../migration/table.ts'
import { type Protection, protectedAnew } from '../seal.ts'
import { secretsOf } from '../secret.ts'
import type { Settings } from '../settings.ts'
import { type Existing, existingTables, readExisting, standsOnExisting } from './existing-tables.ts'
import { fingerprints, type Head, type Tally, VERSION } from './format.ts'
import { createChecksum, type Leaving, readLines, readPlaces } from './rows.ts'
import type { PluginFiles } from './stored-files.ts'
import { belonging, presentIn, readingsOf, readStructure, type Structure } from './structure.ts'

/** The content of a dump, and what it leaves out. */
export interface Source {
  readonly catalog: Catalog
  readonly database: Database
  readonly settings: Settings
  readonly files: readonly PluginFiles[]
  readonly now: Date
}

export interface Dumped extends Tally {
  readonly bytes: number
  /** Tables that do not belong to the application and are not in the dump. */
  readonly left: readonly string[]
  /** Other objects of the existing tables that are not in the dump. */
  readonly objects: readonly string[]
  /** Objects that the existing tables need and no dump can make. */
  readonly asked: readonly string[]
  /** The extensions that they need. */
  readonly extensions: readonly string[]
}

/** Bytes of a file in one line. */
const PART_BYTES = 196_608

/**
 * Writes `file`, readable by its user alone, whole or not at all; it must not be there yet. The database is read in
 * one transaction that sees one moment, and the files after it; missing parts are reported before that. Rejects with a
 * sentence for people.
 */
export async function dump(source: Source, file: string, tell: (left: Left) => void = () => {}): Promise<Dumped> {
  if ((await stat(file).catch(() => undefined)) !== undefined)
    throw new Error(`${file} is there already: a dump overwrites nothing.`)
  if ((await stat(dirname(file)).catch(() => undefined))?.isDirectory() !== true)
    throw new Error(`${file} cannot be written: there is no folder ${dirname(file)}.`)
  const half = `${file}.part`
  const keys = `${file}.keys`
  const tally = { tables: 0, rows: 0, files: 0, missing: 0 }
  let left: Left = { left: [], objects: [], asked: [], extensions: [] }
  try {
    const lines = linesOf(source, keys, tally, (found) => {
      left = found
      tell(found)
    })
    await pipeline(Readable.from(lines), createGzip(), createWriteStream(half, { mode: 0o600 }))
    await flush(half)
    await rename(half, file)
    await flush(dirname(file))
  } finally {
    await rm(half, { force: true })
    await rm(keys, { force: true })
  }
  return { ...tally, bytes: (await stat(file)).size, ...left }
}

export type Left = Pick<Dumped, 'left' | 'objects' | 'asked' | 'extensions'>
type Counting = { -readonly [K in keyof Tally]: Tally[K] }

async function* linesOf(
  source: Source,
  keys: string,
  tally: Counting,
  leave: (found: Left) => void,
): AsyncGenerator<string, void> {
  yield* inSession(source.database, (runner) => databaseLines(source, runner, keys, tally, leave))
  yield* fileLines(source, keys, tally)
  yield `${JSON.stringify({ end: true, ...tally })}\n`
}

/** The values of a generator that holds one connection. */
async function* inSession(
  database: Database,
  give: (runner: Runner) => AsyncGenerator<string, void>,
): AsyncGenerator<string, void> {
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  let session: Promise<void> = Promise.resolve()
  const runner = await new Promise<Runner>((resolve, reject) => {
    session = database.session((lent) => {
      resolve(lent)
      return ended
    })
    session.catch(reject)
  })
  try {
    yield* give(runner)
  } finally {
    end()
    await session
  }
}

async function* databaseLines(
  source: Source,
  runner: Runner,
  keys: string,
  tally: Counting,
  leave: (found: Left) => void,
): AsyncGenerator<string, void> {
  const { catalog, database, settings, now } = source
  const withExisting = standsOnExisting(catalog)
  const physical = await holdTables(runner, database.kind, withExisting)
  let end = 'rollback'
  try {
    const names = belonging(physical)
    const existing = withExisting ? await readExisting(runner, physical, names) : undefined
    const { left: objects = [], asked = [], extensions = [] } = existing ?? {}
    const left = await leftOf(runner, physical, names, existing)
    leave({ left, objects, asked: asked.map(({ what }) => what), extensions })
    const own = await readStructure(runner, physical, names)
    const structure: Structure = { ...own, ...(existing === undefined ? {} : { existing }) }
    const leaving = leavingRows(catalog, settings, structure)
    // Before its fingerprint is asked for: the first secret is made when something is sealed.
    if (leaving.size > 0) await secretsOf(settings)
    const head: Head = {
      plinth: 'dump',
      version: VERSION,
      name: catalog.name,
      from: database.description,
      madeAt: now.toISOString(),
      secrets: await fingerprints(settings),
      structure,
    }
    yield `${JSON.stringify(head)}\n`
    yield* tableLines(runner, structure, leaving, tally)
    await noteKeys(runner, source, keys)
    end = 'commit'
  } finally {
    // Also where the reader of the lines has gone away.
    await runner.run({ text: end }, []).catch(() => {})
  }
}

/** The names of the tables whose rows are in no dump, without partitions of other tables. */
async function leftOf(
  runner: Runner,
  physical: Physical,
  names: ReadonlySet<string>,
  existing: Existing | undefined,
): Promise<readonly string[]> {
  const { partitions } = await existingTables(runner, physical, names)
  const dumped = new Set([...names, ...(existing === undefined ? [] : partitions)])
  for (const { name } of existing?.tables ?? []) dumped.add(name)
  return physical.all.map((table) => table.name).filter((name) => !dumped.has(name))
}

/** Every table that is dumped, by its name. */
async function namesOf(runner: Runner, physical: Physical, withExisting: boolean): Promise<readonly string[]> {
  const own = belonging(physical)
  const { tables } = withExisting ? await existingTables(runner, physical, own) : { tables: [] }
  return [...own, ...tables.map(({ name }) => name)].sort()
}

/** Opens the transaction, in which no table changes its form any more. */
async function holdTables(runner: Runner, kind: Database['kind'], withExisting: boolean): Promise<Physical> {
  const run = (text: string) => runner.run({ text }, [])
  const before = await namesOf(runner, await inspectAll(runner), withExisting)
  if (!before.includes('plinth_migration'))
    throw new Error('There is no application in this database yet: `plinth start` makes it.')
  await run('begin isolation level repeatable read read only')
  try {
    // Rows that a policy hides would be missing; so their table refuses to be read.
    await run('set local row_security = off')
    if (kind === 'postgresql') await run('set local idle_in_transaction_session_timeout = 0')
    // The next statement takes the snapshot, so that nothing is seen half changed.
    await run(`lock table ${before.map(q).join(', ')} in access share mode`)
    const physical = await inspectAll(runner)
    const now = await namesOf(runner, physical, withExisting)
    if (now.join() !== before.join()) throw new Error('The tables were changed just now: try again.')
    return physical
  } catch (error) {
    await run('rollback').catch(() => {})
    throw error
  }
}

async function* tableLines(
  runner: Runner,
  structure: Structure,
  leaving: ReadonlyMap<string, Leaving>,
  tally: Counting,
): AsyncGenerator<string, void> {
  const places = await readPlaces(runner)
  const kept = (name: string) => {
    const own = leaving.get(name)
    return own === undefined ? {} : { leaving: own }
  }
  for (const { table, reading } of readingsOf(structure, places)) {
    const checksum = createChecksum()
    yield `${JSON.stringify({ table: table.name, columns: table.columns.map(({ name }) => name) })}\n`
    for await (const lines of readLines(runner, table, { ...reading, ...kept(table.name) })) {
      for (const line of lines) checksum.add(line)
      yield `${lines.join('\n')}\n`
    }
    yield `${JSON.stringify({ rows: checksum.rows, checksum: checksum.text() })}\n`
    tally.tables += 1
    tally.rows += checksum.rows
  }
}

/** Notes on the disk which files the rows name, because there may be many: the plugin, and the key. */
async function noteKeys(runner: Runner, { catalog, files }: Source, keys: string): Promise<void> {
  const file = await open(keys, 'w', 0o600)
  try {
    for (const { plugin, keys: statementOf } of files) {
      const statement = statementOf(catalog)
      if (statement === undefined) continue
      await runner.run({ text: `declare plinth_keys no scroll cursor for ${statement}` }, [])
      for (;;) {
        const rows = await runner.run({ text: 'fetch forward 5000 from plinth_keys' }, [])
        if (rows.length === 0) break
        await file.appendFile(rows.map(([key]) => `${JSON.stringify([plugin, key])}\n`).join(''))
      }
      await runner.run({ text: 'close plinth_keys' }, [])
    }
  } finally {
    await file.close()
  }
}

async function* fileLines({ files, settings }: Source, keys: string, tally: Counting): AsyncGenerator<string, void> {
  const stores = new Map(files.map(({ plugin, store }) => [plugin, store(settings)]))
  for await (const line of createInterface({ input: createReadStream(keys), crlfDelay: Number.POSITIVE_INFINITY })) {
    const [of, key] = JSON.parse(line) as [string, string | null]
    if (key === null) continue
    const content = isStorageKey(key) ? await stores.get(of)?.read(key) : undefined
    if (content === undefined) {
      tally.missing += 1
      yield `${JSON.stringify({ file: key, of, missing: true })}\n`
      continue
    }
    tally.files += 1
    yield `${JSON.stringify({ file: key, of })}\n`
    yield* partLines(content)
  }
}

async function* partLines(content: Readable): AsyncGenerator<string, void> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of content) {
    const data = Buffer.from(chunk)
    hash.update(data)
    bytes += data.length
    for (let at = 0; at < data.length; at += PART_BYTES)
      yield `${JSON.stringify({ part: data.subarray(at, at + PART_BYTES).toString('base64') })}\n`
  }
  yield `${JSON.stringify({ bytes, sha256: hash.digest('hex') })}\n`
}

/**
 * The functions that seal open secrets in rows on their way out, by table; throws a sentence where a column has no room
 * for a sealed one.
 */
function leavingRows(catalog: Catalog, settings: Settings, structure: Structure): ReadonlyMap<string, Leaving> {
  const pairs = pairsOf(tablesOf(catalog), presentIn(structure))
  const found = new Map<string, Map<number, Protection>>()
  for (const resource of catalog.resources.values()) {
    if (resource.owner !== resource.name) continue
    const pair = pairs.get(resource.table)
    if (pair === undefined) continue
    const { actual, wanted } = pair
    for (const { field, how } of protectedFields(catalog, resource)) {
      const column = wanted.columns.find(({ name }) => name === field.column)
      const present = column === undefined ? undefined : presentColumn(pair, column)
      if (present === undefined) continue
      requireRoom(actual.name, present)
      const own = found.get(actual.name) ?? new Map<number, Protection>()
      found.set(actual.name, own.set(actual.columns.indexOf(present), how))
    }
  }
  return new Map([...found].map(([table, columns]) => [table, sealed(settings, columns)]))
}

function requireRoom(table: string, { name, type, base = type }: Column): void {
  if (base === 'text' || base === 'character varying') return
  throw new Error(
    `The column ${table}.${name} holds secrets as they were sent, and a sealed one does not fit into ${type}: \`plinth start\` changes the column and seals them, and then they can be dumped.`,
  )
}

function sealed(settings: Settings, columns: ReadonlyMap<number, Protection>): Leaving {
  return (row) =>
    Promise.all(
      row.map(async (value, at) => {
        const how = columns.get(at)
        return how === undefined || value === null ? value : ((await protectedAnew(settings, how, value)) ?? value)
      }),
    )
}
