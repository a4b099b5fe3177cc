/**
 * ⇄ The rows of a database at one moment, kept next to the tables, so that a test can begin again without a migration.
 */
import type { Database, Runner } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'

/** The schema of the kept rows. */
export const KEPT = 'plinth_baseline'

/** A table with what is needed to keep its rows. */
interface KeptTable {
  readonly name: string
  /** Its columns without computed ones, as SQL. */
  readonly columns: string
  /** A checksum of its rows; undefined without rows. */
  readonly sum: string | undefined
}

interface Kept {
  /** In an order in which rows can be inserted: the targets of keys come first. */
  readonly tables: readonly KeptTable[]
  /** The tables with rows that refer to this one, perhaps itself. */
  readonly referencing: ReadonlyMap<string, readonly string[]>
}

/** The rows of a database at one moment. */
export interface Baseline {
  /** Restores every table and sequence to that moment; nobody else may use the database meanwhile. */
  restore(database: Pick<Database, 'adhoc'>): Promise<void>
}

const TABLES = `select c.relname, string_agg(quote_ident(a.attname), ',' order by a.attnum)
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' group by c.relname order by c.relname`

const KEYS = `select distinct f.relname, t.relname from pg_constraint k join pg_class f on f.oid = k.conrelid
  join pg_class t on t.oid = k.confrelid where k.contype = 'f' and k.connamespace = 'public'::regnamespace`

const SEQUENCES = `select sequencename, last_value, start_value from pg_sequences where schemaname = 'public'`

/** Keeps the rows of every table of the schema; undefined where keys between tables form a circle. */
export async function keepBaseline({ adhoc }: Pick<Database, 'adhoc'>): Promise<Baseline | undefined> {
  const columns = await rows(adhoc, TABLES)
  const keys = await rows(adhoc, KEYS)
  const names = columns.map(([name]) => name)
  const order = inserted(names, keys)
  if (order === undefined) return undefined
  await run(adhoc, `create schema ${q(KEPT)}`)
  const filled = await filledOf(adhoc, names)
  for (const name of filled) await run(adhoc, `create table ${kept(name)} as table ${live(name)}`)
  const sums = await sumsOf(adhoc, filled)
  const byName = new Map(
    columns.map(([name, list = '']) => [name, { name, columns: list, sum: sums.get(name) }] as const),
  )
  const tables = order.map((name) => byName.get(name)!)
  const referencing = referencingOf(names, keys)
  const sequences = new Map((await rows(adhoc, SEQUENCES)).map((row) => [row[0], row.join()]))
  return { restore: (database) => restore(database.adhoc, { tables, referencing }, sequences) }
}

async function restore(
  adhoc: Runner,
  { tables, referencing }: Kept,
  before: ReadonlyMap<string, string>,
): Promise<void> {
  const changed = await changedOf(adhoc, tables)
  const emptied = new Set([...changed].flatMap((name) => referencing.get(name)!))
  const steps: string[] = []
  if (emptied.size > 0) steps.push(`truncate ${[...emptied].map(live).join()}`)
  for (const { name, columns, sum } of tables) {
    if (sum === undefined || !emptied.has(name)) continue
    steps.push(`insert into ${live(name)} (${columns}) overriding system value select ${columns} from ${kept(name)}`)
  }
  for (const row of await rows(adhoc, SEQUENCES)) {
    const [name] = row
    const [, value, start] = before.get(name)!.split(',')
    if (before.get(name) === row.join()) continue
    const unused = value === ''
    steps.push(`select setval('public.${q(name)}', ${unused ? start : value}, ${!unused})`)
  }
  for (const step of steps) await run(adhoc, step)
}

/** The tables that differ from their kept rows. */
async function changedOf(adhoc: Runner, tables: readonly KeptTable[]): Promise<ReadonlySet<string>> {
  const filled = tables.filter((table) => table.sum !== undefined)
  const others = tables.filter((table) => table.sum === undefined).map(({ name }) => name)
  const sums = await sumsOf(adhoc, new Set(filled.map(({ name }) => name)))
  const found = filled.filter(({ name, sum }) => sums.get(name) !== sum)
  return new Set([...found.map(({ name }) => name), ...(await filledOf(adhoc, others))])
}

async function sumsOf(adhoc: Runner, names: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  if (names.size === 0) return new Map()
  const asked = [...names].map(
    (name) => `select '${name}', md5(string_agg((t.*)::text, '' order by (t.*)::text)) from ${live(name)} t`,
  )
  return new Map((await rows(adhoc, asked.join(' union all '))).map(([name, sum = '']) => [name, sum]))
}

async function filledOf(adhoc: Runner, names: readonly string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set()
  const asked = names.map((name) => `select '${name}' where exists (select 1 from ${live(name)})`)
  return new Set((await rows(adhoc, asked.join(' union all '))).map(([name]) => name))
}

/** Orders the names so that each table is after those to which its keys refer; undefined where that is impossible. */
function inserted(names: readonly string[], keys: readonly (readonly string[])[]): readonly string[] | undefined {
  const open = new Set(names)
  const ordered: string[] = []
  while (open.size > 0) {
    const ready = [...open].filter((name) => !keys.some(([from, to]) => from === name && to !== name && open.has(to!)))
    if (ready.length === 0) return undefined
    for (const name of ready) {
      open.delete(name)
      ordered.push(name)
    }
  }
  return ordered
}

function referencingOf(
  names: readonly string[],
  keys: readonly (readonly string[])[],
): ReadonlyMap<string, readonly string[]> {
  const found = (name: string, seen: Set<string>): Set<string> => {
    if (seen.has(name)) return seen
    seen.add(name)
    for (const [from, to] of keys) if (to === name) found(from!, seen)
    return seen
  }
  return new Map(names.map((name) => [name, [...found(name, new Set())]]))
}

function live(name: string): string {
  return `public.${q(name)}`
}

function kept(name: string): string {
  return `${q(KEPT)}.${q(name)}`
}

async function rows(adhoc: Runner, text: string): Promise<readonly (readonly [string, ...string[]])[]> {
  const found = await adhoc.run({ text }, [])
  return found.map((row) => row.map((value) => value ?? '') as [string, ...string[]])
}

async function run(adhoc: Runner, text: string): Promise<void> {
  await adhoc.run({ text }, [])
}
