/** Brings back what was set aside, or destroys it for good when a person asks for that. ⇄ */
import type { Database, Runner } from '../database/database.ts'
import { atomically, exclusively } from './apply.ts'
import { inspect } from './inspect.ts'
import { quoteName as q } from './name.ts'
import type { Present, SetAside } from './table.ts'

async function count(runner: Runner, sql: string): Promise<number> {
  const [row] = await runner.run({ text: sql }, [])
  return Number(row?.[0] ?? 0)
}

/** What stands under the name that should come back; empty, it makes room, otherwise nobody's values are touched. */
async function makeRoom(runner: Runner, present: Present, table: string, column: string | undefined): Promise<void> {
  const there = present.tables.find((other) => other.name === table)
  if (column === undefined) {
    if (there === undefined) return
    const rows = await count(runner, `select count(*) from ${q(table)}`)
    if (rows > 0) throw new Error(`There is a table ${table} again, with ${rows} rows: it would be in the way.`)
    // Only references to the empty table go with it; the next start makes them again.
    await runner.run({ text: `drop table ${q(table)} cascade` }, [])
    return
  }
  const now = there?.columns.find((other) => other.name === column)
  if (now === undefined) return
  const other = now.default === undefined ? `${q(column)} is not null` : `${q(column)} is distinct from ${now.default}`
  const rows = await count(runner, `select count(*) from ${q(table)} where ${q(column)} is not null and ${other}`)
  if (rows > 0)
    throw new Error(
      `There is a column ${table}.${column} again, with values in ${rows} rows: they would be in the way.`,
    )
  await runner.run({ text: `alter table ${q(table)} drop column ${q(column)}` }, [])
}

function named(present: Present, table: string, column: string | undefined): readonly SetAside[] {
  return present.setAside.filter((old) => old.table === table && old.column === column)
}

/**
 * Gives the column (or, without one, the table) set aside last its name back, and says what was done.
 * The YAML must name it again before the next start. Throws a sentence when there is none, or when new values are in the way.
 */
export function restoreField(database: Database, table: string, column?: string): Promise<string> {
  return exclusively(database, async (runner) => {
    const present = await inspect(runner)
    const old = named(present, table, column).at(-1)
    const shown = column === undefined ? table : `${table}.${column}`
    if (old === undefined) throw new Error(`Nothing was set aside under the name ${shown}.`)
    await atomically(runner, async () => {
      await makeRoom(runner, present, table, column)
      const rename =
        column === undefined
          ? `alter table ${q(old.name)} rename to ${q(table)}`
          : `alter table ${q(table)} rename column ${q(old.name)} to ${q(column)}`
      await runner.run({ text: rename }, [])
    })
    return `${old.name} is ${shown} again: declare it in the YAML before the next start.`
  })
}

export interface Purged {
  /** `tickets.subject__removed_20260131` or `tickets__removed_20260131`. */
  readonly name: string
  /** Rows that held a value there. */
  readonly rows: number
}

/** What `purge` would destroy, with how many rows hold something in it; all that was set aside unless a name is given. */
export function purgeable(database: Database, table?: string, column?: string): Promise<readonly Purged[]> {
  return database.session(async (runner) => counted(runner, chosen(await inspect(runner), table, column)))
}

function chosen(present: Present, table: string | undefined, column: string | undefined): readonly SetAside[] {
  return table === undefined ? present.setAside : named(present, table, column)
}

async function counted(runner: Runner, all: readonly SetAside[]): Promise<readonly Purged[]> {
  const found: Purged[] = []
  for (const { table, column, name } of all) {
    const sql = column === undefined ? `select count(*) from ${q(name)}` : `select count(${q(name)}) from ${q(table)}`
    found.push({ name: column === undefined ? name : `${table}.${name}`, rows: await count(runner, sql) })
  }
  return found
}

/** Drops what was set aside, all of it or that of one name, in one transaction; returns what is gone. There is no way back. */
export function purge(database: Database, table?: string, column?: string): Promise<readonly Purged[]> {
  return exclusively(database, async (runner) => {
    const all = chosen(await inspect(runner), table, column)
    const gone = await counted(runner, all)
    await atomically(runner, async () => {
      for (const { table: owner, column: was, name } of all) {
        const drop =
          was === undefined ? `drop table ${q(name)} cascade` : `alter table ${q(owner)} drop column ${q(name)}`
        await runner.run({ text: drop }, [])
      }
    })
    return gone
  })
}
