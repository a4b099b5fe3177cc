/** What takes back a change that was begun and is not whole yet ⇄, kept in the database, so that a process that is killed leaves nothing behind. */
import type { Runner } from '../database/database.ts'
import { ifThere } from '../database/failure.ts'
import { quoted as q } from '../filter/sql.ts'
import { FACT_TABLE } from './engine-tables.ts'
import type { Command } from './step.ts'

/** A change on its way. */
export interface Pending {
  /** Of the catalog to which it leads. */
  readonly catalog: string
  /** What takes it back, in this order; each may run more than once. */
  readonly undo: readonly Command[]
}

const TABLE = q(FACT_TABLE.name)
const READ = `select value from ${TABLE} where name = 'change'`
const KEEP = `insert into ${TABLE} (name, value) values ('change', $1)
  on conflict (name) do update set value = excluded.value, created_at = now()`
const FORGET = `delete from ${TABLE} where name = 'change'`

/** The change that was begun last and not ended. */
export async function pendingChange(runner: Runner): Promise<Pending | undefined> {
  const rows = await ifThere(runner.run({ text: READ }, []))
  const value = rows?.[0]?.[0]
  return value === undefined || value === null ? undefined : (JSON.parse(value) as Pending)
}

/** Keeps it; nothing where the database has no table of facts yet. */
export async function keepPending(runner: Runner, pending: Pending): Promise<void> {
  await ifThere(runner.run({ text: KEEP }, [JSON.stringify(pending)]))
}

/** Nothing is left to take back. */
export async function forgetPending(runner: Runner): Promise<void> {
  await ifThere(runner.run({ text: FORGET }, []))
}
