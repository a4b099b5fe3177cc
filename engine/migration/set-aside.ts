/** Restores tables and columns that were set aside, or drops them for good ⇄. */
import type { Database, Runner } from '../database/database.ts'
import { failureCode } from '../database/failure.ts'
import { quoted as q } from '../filter/sql.ts'
import { atomically, exclusively } from './exclusive.ts'
import { inspect } from './inspect.ts'
import type { Column, Present, SetAside } from './table.ts'
import { typeChange } from './type-change.ts'

async function count(runner: Runner, sql: string): Promise<number> {
  const [row] = await runner.run({ text: sql }, [])
  return Number(row?.[0] ?? 0)
}

const REFERENCES = `select c.relname, k.conname from pg_constraint k join pg_class c on c.oid = k.conrelid
  where k.contype = 'f' and k.confrelid = $1::regclass and k.conrelid <> k.confrelid and c.relnamespace = current_schema()::regnamespace`

/** Drops a table with the references to it; throws a sentence where a view of others or the like reads it. */
async function dropTable(runner: Runner, name: string): Promise<void> {
  for (const [table, constraint] of await runner.run({ text: REFERENCES }, [q(name)]))
    await runner.run({ text: `alter table ${q(table ?? '')} drop constraint ${q(constraint ?? '')}` }, [])
  await dropped(runner, name, `drop table ${q(name)}`)
}

/** Drops a table or column; throws a sentence where something that others made depends on it. */
async function dropped(runner: Runner, name: string, drop: string): Promise<void> {
  try {
    await runner.run({ text: drop }, [])
  } catch (error) {
    if (failureCode(error) !== '2BP01') throw error
    const { detail } = Object(error) as { readonly detail?: unknown }
    const what = typeof detail === 'string' ? `: ${detail.split('\n').join('; ')}` : ''
    throw new Error(`${name} cannot be dropped while something that others made depends on it${what}`, {
      cause: error,
    })
  }
}

/** Drops an empty table of the name to make room for the old one; throws a sentence where it has rows. */
async function makeRoom(runner: Runner, present: Present, table: string): Promise<void> {
  if (!present.tables.some((other) => other.name === table)) return
  const rows = await count(runner, `select count(*) from ${q(table)}`)
  if (rows > 0) throw new Error(`There is a table ${table} again, with ${rows} rows: it would be in the way.`)
  // Only references to the empty table go with it; the next start makes them again.
  await dropTable(runner, table)
}

/** SQL of the rows with a value in `old` and none in `now`; a default counts as none. */
function mergeable(old: Column, now: Column): string {
  const empty = `t.${q(now.name)} is null`
  const unset = now.default === undefined ? empty : `(${empty} or t.${q(now.name)} = ${now.default}::${now.type})`
  return `t.${q(old.name)} is not null and ${unset}`
}

/**
 * Copies the old values into the column of the same name where that is empty. The old column is dropped when all its
 * values are copied; otherwise it stays.
 */
async function merge(runner: Runner, table: string, old: Column, now: Column): Promise<string> {
  if (now.generated !== undefined)
    throw new Error(`The values of ${old.name} cannot come back: ${table}.${now.name} is computed now.`)
  const change = old.type === now.type ? undefined : typeChange(old.name, old.type, now.type)
  const value = change === undefined ? `t.${q(old.name)}` : change.kind === 'free' ? `t.${change.using}` : undefined
  if (value === undefined) {
    const reason = `it was ${old.type}, and ${table}.${now.name} is ${now.type} now`
    throw new Error(`The values of ${old.name} cannot come back: ${reason}. They stay where they are.`)
  }
  const moved = await runner.run(
    { text: `update ${q(table)} t set ${q(now.name)} = ${value} where ${mergeable(old, now)} returning 1` },
    [],
  )
  const same = `t.${q(now.name)} is not distinct from ${value}`
  const kept = await count(runner, `select count(t.${q(old.name)}) from ${q(table)} t where not (${same})`)
  if (kept === 0) await runner.run({ text: `alter table ${q(table)} drop column ${q(old.name)}` }, [])
  const rest = kept === 0 ? '' : `; ${rowsOf(kept)} kept a newer value, and the older one is in ${old.name}`
  return `${rowsOf(moved.length)} of ${table}.${now.name} got the value of ${old.name} back${rest}.`
}

function rowsOf(number: number): string {
  return `${number} ${number === 1 ? 'row' : 'rows'}`
}

function named(present: Present, table: string, column: string | undefined): readonly SetAside[] {
  return present.setAside.filter((old) => old.table === table && old.column === column)
}

/**
 * Gives the column (or, without one, the table) that was set aside last its name back, and returns a sentence about it.
 * Where the column is there again, its empty rows get their old values. Throws a sentence where this is impossible.
 */
export function restoreField(database: Database, table: string, column?: string): Promise<string> {
  return exclusively(database, async (runner) => {
    const present = await inspect(runner)
    const old = named(present, table, column).at(-1)
    const shown = column === undefined ? table : `${table}.${column}`
    if (old === undefined) throw new Error(`Nothing was set aside under the name ${shown}.`)
    const there = present.tables.find((other) => other.name === table)
    const now = there?.columns.find((other) => other.name === column)
    return atomically(runner, async () => {
      if (now !== undefined && 'type' in old.content) return merge(runner, table, old.content, now)
      if (column === undefined) await makeRoom(runner, present, table)
      const rename =
        column === undefined
          ? `alter table ${q(old.name)} rename to ${q(table)}`
          : `alter table ${q(table)} rename column ${q(old.name)} to ${q(column)}`
      await runner.run({ text: rename }, [])
      return `${old.name} is ${shown} again: declare it in the YAML, or \`plinth apply\` sets it aside another time.`
    })
  })
}

export interface Purged {
  /** `tickets.subject__removed_20260131` or `tickets__removed_20260131`. */
  readonly name: string
  /** Rows that held a value there. */
  readonly rows: number
}

/**
 * The things that `purge` would drop, with the count of rows that have a value there; all of them unless a name is
 * given.
 */
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

/** Drops all things set aside, or those of one name, in one transaction; returns them. There is no way back. */
export function purge(database: Database, table?: string, column?: string): Promise<readonly Purged[]> {
  return exclusively(database, async (runner) => {
    const all = chosen(await inspect(runner), table, column)
    const gone = await counted(runner, all)
    await atomically(runner, async () => {
      for (const { table: owner, column: was, name } of all) {
        if (was === undefined) await dropTable(runner, name)
        else await dropped(runner, `${owner}.${name}`, `alter table ${q(owner)} drop column ${q(name)}`)
      }
    })
    return gone
  })
}
