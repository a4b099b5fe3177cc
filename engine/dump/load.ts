/** Fills an empty database from a dump ⇄: all of it or nothing, and every row is read back and compared. */

import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import type { Catalog } from '../catalog/catalog.ts'
import type { Database, Runner } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'
import { tables as tablesOf } from '../migration/catalog-tables.ts'
import { atomically, exclusively } from '../migration/exclusive.ts'
import { inspectAll } from '../migration/inspect.ts'
import { ENGINE_TABLES } from '../migration/own/engine-tables.ts'
import { refuseOlderProgram } from '../migration/own/facts.ts'
import { protectSecrets } from '../migration/own/secrets.ts'
import { plan } from '../migration/plan.ts'
import { riskOf, statementsOf } from '../migration/step.ts'
import type { Table } from '../migration/table.ts'
import { thisProgram } from '../program.ts'
import type { Settings } from '../settings.ts'
import { completeExisting, createExisting, requireAsked } from './existing-tables.ts'
import { type FileWriter, openFileWriter } from './file-writer.ts'
import { fingerprints, type Head, readHead, readNote, type Tally } from './format.ts'
import { createChecksum, createRowWriter, readLines, readPlaces } from './rows.ts'
import type { PluginFiles } from './stored-files.ts'
import {
  belonging,
  completeTables,
  createTables,
  presentIn,
  readingsOf,
  readStructure,
  type Structure,
} from './structure.ts'

/** The target of a load, and the differences that are accepted. */
export interface Target {
  readonly catalog: Catalog
  readonly database: Database
  readonly settings: Settings
  readonly files: readonly PluginFiles[]
  /** The tables become as dumped, even if the YAML differs; the next start changes them. */
  readonly asDumped: boolean
  /** Values that were sealed with another secret are given up. */
  readonly otherSecret: boolean
}

export interface Loaded extends Tally {
  /** The application and the database that were dumped, and when. */
  readonly head: Pick<Head, 'name' | 'from' | 'madeAt'>
  /** Whether anything of the dump was sealed with a secret that this application does not have. */
  readonly secretDiffers: boolean
  /** Objects of the dumped tables that are not in the dump. */
  readonly objects: readonly string[]
}

/** Rejects with a sentence for people where anything is in the way; then the database and the files are as before. */
export async function load(target: Target, file: string): Promise<Loaded> {
  const lines = linesOf(file)
  const files = await openFileWriter(target)
  try {
    const head = readHead((await lines.next()).value ?? '')
    requireTables(target, head)
    const secretDiffers = await differs(target, head)
    const tally = await exclusively(target.database, (runner) =>
      atomically(runner, () => fill(target, head, { runner, lines, files })),
    )
    await files.keep()
    return { ...tally, head, secretDiffers, objects: head.structure.existing?.left ?? [] }
  } catch (error) {
    await files.undo()
    throw error
  } finally {
    await lines.return()
    await files.end()
  }
}

/** Throws the list of changes that the YAML would make to the dumped tables. */
function requireTables({ catalog, database, asDumped }: Target, { structure }: Head): void {
  if (asDumped) return
  const circumstances = {
    present: presentIn(structure),
    day: '1970-01-01',
    concurrently: database.kind === 'postgresql',
  }
  const steps = plan(tablesOf(catalog), circumstances).steps.filter(
    (step) =>
      step.effect !== 'removes' &&
      step.work.kind !== 'faster' &&
      (statementsOf(step).length > 0 || riskOf(step) !== 'safe'),
  )
  if (steps.length === 0) return
  const told = steps.map(({ title }) => `  ${title}`).join('\n')
  throw new Error(
    `The YAML does not describe the dumped tables. It would:\n${told}\nLoad with the YAML of that time, or with --as-dumped: then \`plinth plan\` and \`plinth start\` bring the loaded tables to this YAML, as they do with any other.`,
  )
}

async function differs({ settings, otherSecret }: Target, { secrets }: Head): Promise<boolean> {
  const own = await fingerprints(settings)
  const same = secrets.every((secret) => own.includes(secret))
  if (same || otherSecret) return !same
  const which = own.length === 0 ? 'this application has none yet' : 'this application has another one'
  throw new Error(
    `The dumped application has a secret, and ${which}. Set APP_SECRET to that of the dumped one (where it was not set, it is the file \`secret\` in its DATA_DIR), or load with --other-secret: then everybody signs in again, and what was sealed with it, such as mails that wait and secrets of webhooks, cannot be read any more.`,
  )
}

interface Filling {
  readonly runner: Runner
  readonly lines: AsyncGenerator<string, void>
  readonly files: FileWriter
}

async function fill({ catalog, database, settings }: Target, { structure }: Head, filling: Filling): Promise<Tally> {
  const { runner, lines, files } = filling
  if (database.kind === 'postgresql')
    await runner.run({ text: 'set local idle_in_transaction_session_timeout = 0' }, [])
  const { existing } = structure
  const there = existing === undefined ? new Set<string>() : await requireAsked(runner, existing)
  await makeRoom(runner, structure)
  await createTables(runner, structure)
  // After the application's own tables: a function may take a row of one.
  if (existing !== undefined) await createExisting(runner, existing, there)
  const checksums = new Map<string, string>()
  const tally = { tables: 0, rows: 0, files: 0, missing: 0 }
  for await (const line of lines) {
    const note = readNote(line)
    if (typeof note.table === 'string') {
      const { rows, checksum } = await fillTable(filling, tableOf(structure, note.table, note.columns))
      checksums.set(note.table, checksum)
      tally.tables += 1
      tally.rows += rows
    } else if (typeof note.file === 'string') {
      if (note.missing === true) tally.missing += 1
      else {
        await files.write(note.file, String(note.of), lines)
        tally.files += 1
      }
    } else if (note.end === true) {
      const told = (['tables', 'rows', 'files', 'missing'] as const).every((key) => note[key] === tally[key])
      if (!told || tally.tables !== structure.tables.length + (existing?.tables.length ?? 0))
        throw new Error('The dump is damaged: it does not hold what it says.')
      if (existing !== undefined) await completeExisting(runner, existing, there)
      await completeTables(runner, structure)
      await compare(runner, structure, checksums)
      await refuseOlderProgram(runner, await thisProgram())
      // A dump of an earlier version may hold them as they were sent.
      await protectSecrets(catalog, settings, runner)
      return tally
    } else throw new Error('The dump is damaged: a line says what no dump says.')
  }
  throw new Error('The dump is cut off.')
}

function tableOf({ tables, existing }: Structure, name: string, columns: unknown): Table {
  const table = [...tables, ...(existing?.tables ?? [])].find((one) => one.name === name)
  const same = JSON.stringify(table?.columns.map((column) => column.name)) === JSON.stringify(columns)
  if (table === undefined || !same) throw new Error(`The dump is damaged: it does not describe the table ${name}.`)
  return table
}

/** Takes tables of the application away that hold nothing; throws which of them hold records. */
async function makeRoom(runner: Runner, { tables, existing }: Structure): Promise<void> {
  const physical = await inspectAll(runner)
  const engine = new Set(ENGINE_TABLES.map((table) => table.name))
  const own = belonging(physical)
  const held: string[] = []
  for (const { name } of physical.all) {
    if (!own.has(name)) {
      if ([...tables, ...(existing?.tables ?? [])].some((table) => table.name === name))
        throw new Error(`There is a table ${name} that is nobody's: give the dump a database of its own.`)
      continue
    }
    if (engine.has(name)) continue
    const [row] = await runner.run({ text: `select count(*) from ${q(name)}` }, [])
    if (Number(row?.[0]) > 0) held.push(`${name} (${row?.[0]})`)
  }
  if (held.length > 0)
    throw new Error(`The database holds records already, in ${held.join(', ')}: a dump is loaded into an empty one.`)
  if (own.size > 0) await runner.run({ text: `drop table ${[...own].map(q).join(', ')}` }, [])
}

async function fillTable(
  { runner, lines }: Filling,
  table: Table,
): Promise<{ readonly rows: number; readonly checksum: string }> {
  const writer = createRowWriter(runner, table)
  const checksum = createChecksum()
  for (;;) {
    const { value: line, done } = await lines.next()
    if (done === true) throw new Error('The dump is cut off.')
    if (line.startsWith('[')) {
      checksum.add(line)
      await writer.add(line)
      continue
    }
    await writer.end()
    const note = readNote(line)
    if (note.rows !== checksum.rows || note.checksum !== checksum.text())
      throw new Error(`The dump is damaged: the rows of ${table.name} are not those that were dumped.`)
    return { rows: checksum.rows, checksum: checksum.text() }
  }
}

/** Throws where a table or a row differs from the dump. */
async function compare(runner: Runner, structure: Structure, checksums: ReadonlyMap<string, string>): Promise<void> {
  const physical = await inspectAll(runner)
  const names = new Set(structure.tables.map((table) => table.name))
  const made = await readStructure(runner, physical, names)
  for (const { table, reading } of readingsOf(structure, await readPlaces(runner))) {
    if (names.has(table.name)) requireSame(table, made.tables)
    else requireSame(formOf(table), physical.all.map(formOf))
    const checksum = createChecksum()
    for await (const lines of readLines(runner, table, reading)) for (const line of lines) checksum.add(line)
    if (checksum.text() !== checksums.get(table.name))
      throw new Error(`The rows of ${table.name} did not become what they were.`)
  }
}

/** The parts of a table made by people that must be the same: not the text of defaults, nor the order of columns. */
function formOf({ name, columns, primaryKey }: Table): Table {
  const kept = columns
    .map(({ default: _, ...column }) => ({ ...column, default: undefined }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return { name, columns: kept, primaryKey, foreignKeys: [], indexes: [], sequences: [] }
}

function requireSame(was: Table, tables: readonly Table[]): void {
  const now = tables.find(({ name }) => name === was.name)
  if (JSON.stringify(now) === JSON.stringify(was)) return
  throw new Error(`The table ${was.name} did not become what it was: ${difference(was, now)}.`)
}

/** The first part of a table that is other than it was. */
function difference(was: Table, now: Table | undefined): string {
  const parts = [...was.columns, ...was.foreignKeys, ...was.indexes].map((part) => JSON.stringify(part))
  const there = new Set(
    [...(now?.columns ?? []), ...(now?.foreignKeys ?? []), ...(now?.indexes ?? [])].map((part) => JSON.stringify(part)),
  )
  return parts.find((part) => !there.has(part)) ?? 'it has more than it had'
}

/** Yields the lines; rejects with a sentence where the file is absent, no dump, damaged or cut off. */
async function* linesOf(file: string): AsyncGenerator<string, void> {
  const source = createReadStream(file)
  const text = createGunzip().setEncoding('utf8')
  source.once('error', (error) => text.destroy(error))
  source.pipe(text)
  let begun: string[] = []
  try {
    for await (const chunk of text as AsyncIterable<string>) {
      const parts = chunk.split('\n')
      for (const part of parts.slice(0, -1)) {
        yield begun.length === 0 ? part : [...begun, part].join('')
        begun = []
      }
      const rest = parts.at(-1) ?? ''
      if (rest !== '') begun.push(rest)
    }
  } catch (error) {
    throw toldOf(file, error)
  } finally {
    source.destroy()
  }
  if (begun.length > 0) throw new Error(`${file} is cut off.`)
}

function toldOf(file: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return new Error(`There is no file ${file}.`)
  if (code === 'Z_BUF_ERROR') return new Error(`${file} is cut off.`)
  if (code?.startsWith('Z_')) return new Error(`${file} is no dump of Plinth, or it is damaged: ${message}.`)
  return error
}
