/** Statements that are taken beside others ⇄: a lock is asked for and not waited for, and rows are changed in batches. */
import { setTimeout } from 'node:timers/promises'
import type { Runner } from '../database/database.ts'
import type { Logger } from '../observe.ts'
import { inBatches } from './batches.ts'
import { atomically } from './exclusive.ts'
import type { History } from './history.ts'
import { holdersOf, isInTheWay, Locked, snapshots } from './in-the-way.ts'
import type { Command, Step } from './step.ts'

/** A step waits this long for a lock, which every request to the table waits for then; it lets them through, and tries again. */
export const LOCK_MS = 500
const POLL_MS = 200
const LONGEST_PAUSE_MS = 1_000
/** For so long in all a change waits for locks of others before it is given up. */
export const PATIENCE_MS = 60_000

/** What the steps of a plan are taken with. */
export interface Taking {
  readonly runner: Runner
  /** Others use the tables at the same time, so that a lock is asked for and not waited for. */
  readonly limited: boolean
  readonly log: Logger
  readonly history: History
  readonly patience: { left: number }
}

/** Lets some of the patience go; throws what was in the way when none is left. */
export async function rest({ patience, runner }: Taking, attempt: number, what: string, tables: readonly string[]) {
  const pause = Math.min(POLL_MS * attempt, LONGEST_PAUSE_MS)
  patience.left -= pause + LOCK_MS
  if (patience.left <= 0) throw new Locked(what, await holdersOf(runner, tables))
  await setTimeout(pause)
}

export const CHANGED_NOTHING = 'Nothing was changed, because the lock of a table could not be had'

/** Does `work` again while others are in the way. */
async function patiently<T>(taking: Taking, tables: readonly string[], work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isInTheWay(error)) throw error
      await rest(taking, attempt, CHANGED_NOTHING, tables)
    }
  }
}

export async function limitLocks({ runner, limited }: Taking, ms: number): Promise<void> {
  if (limited) await runner.run({ text: `set lock_timeout = ${ms}` }, [])
}

/** Makes or drops an index beside others, for whose snapshots it waits. */
async function concurrently(text: string, taking: Taking): Promise<void> {
  await limitLocks(taking, Math.max(1, taking.patience.left))
  try {
    await taking.runner.run({ text }, [])
  } catch (error) {
    if (!isInTheWay(error)) throw error
    throw new Locked(
      'Nothing was changed, because an index waits for the transactions of others',
      await snapshots(taking.runner),
    )
  }
}

export async function takeOnline(command: Command, step: Pick<Step, 'title' | 'rows' | 'locks'>, taking: Taking) {
  const { runner, log } = taking
  const tables = step.locks ?? []
  if (typeof command === 'string') {
    // What it leaves half-built is dropped at the next attempt.
    if (command.includes(' concurrently ')) return concurrently(command, taking)
    await limitLocks(taking, LOCK_MS)
    await patiently(taking, tables, () => runner.run({ text: command }, []))
  } else if ('together' in command) {
    await patiently(taking, tables, () => atomically(runner, () => runAll(command.together, taking)))
  } else {
    await limitLocks(taking, LOCK_MS)
    const tell = (rows: number) => log.info({ step: step.title, rows, of: step.rows }, 'migration progress')
    const run = (text: string, values: readonly unknown[]) =>
      patiently(taking, tables, () => runner.run({ text }, values))
    await inBatches(command.batches, run, tell)
  }
}

async function runAll(texts: readonly string[], { limited, runner }: Taking): Promise<void> {
  if (limited) await runner.run({ text: `set local lock_timeout = ${LOCK_MS}` }, [])
  for (const text of texts) await runner.run({ text }, [])
}

/** What the driver said, without the values of rows that it adds. */
export function reasonOf(error: unknown): string {
  const { cause } = Object(error) as { readonly cause?: unknown }
  return String((Object(cause ?? error) as { readonly message?: unknown }).message ?? error)
}
