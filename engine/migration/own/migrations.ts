/**
 * The rows of `plinth_migration` ⇄: which catalogs the database was brought to, and which tables and columns the engine
 * made for them.
 */
import { createHash } from 'node:crypto'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Database, Runner } from '../../database/database.ts'
import { memo } from '../../memo.ts'
import { tables } from '../catalog-tables.ts'
import { namesAfter } from '../names/kept-names.ts'
import { riskOf, type Step } from '../step.ts'
import { type CatalogAge, catalogHash, type Names, NO_HISTORY, type Present, type Table } from '../table.ts'
import { MIGRATION_TABLE } from './engine-tables.ts'
import { forgetPending } from './facts.ts'

/** The content of a row: the columns that the engine made, the catalog, the words of its enums, and names. */
export interface Entry {
  readonly owned: Readonly<Record<string, readonly string[]>>
  readonly catalog: string | undefined
  readonly words: Readonly<Record<string, readonly string[]>>
  readonly names: Names
}

const LATEST = `select id, catalog from ${MIGRATION_TABLE.name} order by id desc limit 1`

/** The id of the last row: it changes whenever the database is brought to a catalog. */
export async function latestMigration(runner: Runner): Promise<string> {
  const [row] = await runner.run({ text: LATEST }, [])
  return row?.[0] ?? ''
}

/** Whether a database was brought to this catalog last. */
export async function isBroughtTo(catalog: Catalog, runner: Runner): Promise<boolean> {
  const [row] = await runner.run({ text: LATEST }, [])
  return row?.[1] === catalogHash(tables(catalog))
}

/** Tables with their meanings, which the hash of a catalog leaves out: another relation may take the table of one. */
const wholeText = memo((wanted: readonly Table[]): string =>
  createHash('sha256').update(JSON.stringify(wanted)).digest('hex'),
)

/** What this process found a database to be, with nothing to do: the tables, and the last row of its record then. */
const settledOf = memo((_: Database): { tables?: string; migration?: string } => ({}))

/** Notes that the tables are as they are wanted. Those of others may change, and an older version may write former words. */
export async function noteSettled(wanted: readonly Table[], database: Database, runner: Runner): Promise<void> {
  if (wanted.some(({ existing, columns }) => existing || columns.some(({ becomes }) => becomes !== undefined))) return
  Object.assign(settledOf(database), { tables: wholeText(wanted), migration: await latestMigration(runner) })
}

/** Whether a database is as this process found it, with these tables: there is nothing to compare then. */
export async function isSettled(wanted: readonly Table[], database: Database, runner: Runner): Promise<boolean> {
  const { tables: known, migration } = settledOf(database)
  return known === wholeText(wanted) && migration === (await latestMigration(runner))
}

/** The part of a database's state that comes from these rows. */
export type Made = Pick<Present, 'owned' | 'history' | 'names'>

/** The columns of a row, as SQL; null for one that the table, which may be older, does not have yet. */
function columnsSql({ columns }: Table, names: readonly string[]): string {
  const there = new Set(columns.map(({ name }) => name))
  return names.map((name) => (there.has(name) ? name : 'null')).join(', ')
}

export async function readRecord(runner: Runner, tables: readonly Table[]): Promise<Made> {
  const own = tables.find(({ name }) => name === MIGRATION_TABLE.name)
  if (own === undefined) return { owned: new Map(), history: NO_HISTORY, names: undefined }
  const from = `from ${MIGRATION_TABLE.name}`
  const record = `select ${columnsSql(own, ['owned', 'catalog', 'words', 'names'])} ${from} order by id desc limit 1`
  const [row] = await runner.run({ text: record }, [])
  const catalogs = await runner.run({ text: `select distinct ${columnsSql(own, ['catalog'])} ${from}` }, [])
  const recorded: Record<string, readonly string[]> = JSON.parse(row?.[0] ?? '{}')
  return {
    owned: new Map(Object.entries(recorded).map(([table, columns]) => [table, new Set(columns)])),
    history: {
      latest: row?.[1] ?? undefined,
      known: new Set(catalogs.flatMap(([catalog]) => catalog ?? [])),
      words: JSON.parse(row?.[2] ?? '{}'),
    },
    names: typeof row?.[3] === 'string' ? (JSON.parse(row[3]) as Names) : undefined,
  }
}

/**
 * Moves the records of a renamed table or column to its present name, when a killed start had renamed it before it
 * could write that down.
 */
export function underPresentNames(wanted: readonly Table[], present: Present): Present {
  const tables = new Set<string | undefined>(present.tables.map(({ name }) => name))
  const has = (name: string | undefined) => tables.has(name)
  const owned = new Map(present.owned)
  const words = { ...present.history.words }
  for (const { columns, name, renamedFrom } of wanted) {
    const before = present.owned.get(renamedFrom ?? '')
    const isMoved = before !== undefined && has(name) && !has(renamedFrom)
    if (isMoved) owned.set(name, new Set([...before, ...(owned.get(name) ?? [])]))
    const earlier = isMoved || !has(name) ? renamedFrom : name
    for (const column of columns) {
      // It has its name already.
      if (earlier === name && column.renamedFrom === undefined) continue
      const there = has(name) ? `${name}.${column.name}` : undefined
      const known = [column.name, column.renamedFrom].map((one) => present.history.words[`${earlier}.${one}`])
      const last = known.find((one) => one !== undefined)
      if (there !== undefined && words[there] === undefined && last !== undefined) words[there] = last
    }
  }
  return { ...present, owned, history: { ...present.history, words } }
}

function ownedOf(wanted: readonly Table[]): Entry['owned'] {
  const own = wanted.filter(({ existing }) => existing !== true)
  return Object.fromEntries(own.map((table) => [table.name, table.columns.map((column) => column.name)]))
}

function wordsOf(wanted: readonly Table[]): Entry['words'] {
  return Object.fromEntries(
    wanted.flatMap((table) =>
      table.columns.flatMap(({ name, words }) => (words === undefined ? [] : [[`${table.name}.${name}`, words]])),
    ),
  )
}

/** The sources of an entry. */
interface TakenSteps {
  readonly wanted: readonly Table[]
  readonly present: Present
  /** The steps that were taken. */
  readonly steps: readonly Step[]
  readonly now: Date
}

function namesOf({ wanted, present, steps, now }: TakenSteps): Names {
  const all = [...present.tables, ...present.setAside.flatMap(asTable)]
  return namesAfter(wanted, all, present.names, steps, now)
}

/** A thing set aside as a table of its own, so that its names are kept. */
function asTable({ column, content, name, table }: Present['setAside'][number]): readonly Table[] {
  if (column === undefined) return 'columns' in content ? [content] : []
  const bare = { primaryKey: [], foreignKeys: [], indexes: [], sequences: [] }
  return 'type' in content ? [{ name: table, columns: [{ ...content, name }], ...bare }] : []
}

/** The entry after everything of a plan was carried out. */
export function entryAfterApply(done: TakenSteps): Entry {
  const { wanted } = done
  return { owned: ownedOf(wanted), catalog: catalogHash(wanted), words: wordsOf(wanted), names: namesOf(done) }
}

/** The columns of each table that the engine made, under their names when the steps have been taken. */
function ownedAfter({ tables, owned }: Present, steps: readonly Step[]): Map<string, Set<string>> {
  const later = new Map<string, Set<string>>()
  for (const { name, columns } of tables) {
    const known = owned.get(name)
    if (known !== undefined) later.set(name, new Set(columns.map((one) => one.name).filter((one) => known.has(one))))
  }
  for (const { table, column, to, removed } of steps.flatMap(({ renames = [] }) => renames)) {
    const own = later.get(table)
    if (own === undefined) continue
    if (column === undefined) later.delete(table)
    else own.delete(column)
    if (removed) continue
    if (column === undefined) later.set(to, own)
    else own.add(to)
  }
  return later
}

/** The entry after a start, which leaves the columns of other catalogs where they are, and remembers whose they are. */
export function entryAfterStart(done: TakenSteps, age: CatalogAge): Entry {
  const { present, steps } = done
  const { history } = present
  const mine = entryAfterApply(done)
  const later = ownedAfter(present, steps)
  const owned = Object.fromEntries(
    [...new Set([...Object.keys(mine.owned), ...later.keys()])].map((table) => [
      table,
      [...new Set([...(mine.owned[table] ?? []), ...(later.get(table) ?? [])])],
    ]),
  )
  if (age !== 'older') return { ...mine, owned }
  return { ...mine, owned, catalog: history.latest, words: { ...mine.words, ...history.words } }
}

const WRITE_DOWN = `insert into plinth_migration (hash, steps, owned, catalog, words, names)
    select $1, $2::jsonb, $3::jsonb, $4::text, $5::jsonb, $6::jsonb
    where $7 or not exists (select 1 from plinth_migration where id = (select max(id) from plinth_migration)
      and owned = $3::jsonb and catalog = $4::text and words = $5::jsonb and names = $6::jsonb)`

export async function writeDown(
  { hash, steps: all }: { readonly hash: string; readonly steps: readonly Step[] },
  entry: Entry,
  runner: Runner,
): Promise<void> {
  const steps = JSON.stringify(all.map((step) => ({ title: step.title, risk: riskOf(step), rows: step.answer?.rows })))
  const { owned, catalog = null, words, names } = entry
  const values = [
    hash,
    steps,
    JSON.stringify(owned),
    catalog,
    JSON.stringify(words),
    JSON.stringify(names),
    all.length > 0,
  ]
  await runner.run({ text: WRITE_DOWN }, values)
  await forgetPending(runner)
}
