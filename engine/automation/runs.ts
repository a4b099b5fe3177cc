/** The runs of automations, statement by statement ⇄: noted, tried again, given up, reported, and deleted when they are old. */
import type { Runner } from '../database/database.ts'
import { deleteInBatches } from '../database/delete-in-batches.ts'
import type { Within } from '../run/execution.ts'
import type { Acting, Outcome, Taken } from './action.ts'

/** A run with how it ended. */
export interface Ended {
  readonly taken: Taken
  readonly outcome: Outcome
  /** What was done, or why it was not, each in a few words. */
  readonly what: readonly string[]
}

const BEGIN = `insert into plinth_automation_run (automation, record_id, cause, outcome)
  select $1, d.id, d.cause, 'done' from unnest($2::int[], $3::text[]) d(id, cause)
  on conflict do nothing returning record_id, cause`

/** Notes runs that begin, in the transaction of their work; returns those that had not begun. */
export async function beginRuns(runner: Runner, name: string, taken: readonly Taken[]): Promise<readonly Taken[]> {
  if (taken.length === 0) return []
  const values = [name, taken.map(({ id }) => id), taken.map(({ cause }) => cause)]
  const rows = await runner.run({ text: BEGIN, name: 'plinth automation begin' }, values)
  const begun = new Set(rows.map(([id, cause]) => `${id} ${cause}`))
  return taken.filter(({ id, cause }) => begun.has(`${id} ${cause}`))
}

const END = `update plinth_automation_run r set outcome = d.outcome, what = d.what, at = clock_timestamp(), due_at = null
  from unnest($2::int[], $3::text[], $4::text[], $5::jsonb[]) d(id, cause, outcome, what)
  where r.automation = $1 and r.record_id = d.id and r.cause = d.cause`

/** Notes how runs ended. */
export async function endRuns(runner: Runner, name: string, runs: readonly Ended[]): Promise<void> {
  if (runs.length === 0) return
  const values = [
    name,
    runs.map(({ taken }) => taken.id),
    runs.map(({ taken }) => taken.cause),
    runs.map(({ outcome }) => outcome),
    runs.map(({ what }) => JSON.stringify(what)),
  ]
  await runner.run({ text: END, name: 'plinth automation end' }, values)
}

/** Counts runs once they are committed, and logs those that failed. */
export function tellRuns(within: Within, { name, ran }: Acting, runs: readonly Ended[]): void {
  within.afterCommit(() => {
    for (const { outcome, taken, what } of runs) {
      ran(name, outcome)
      if (outcome !== 'failed') continue
      const told = { automation: name, record: taken.id, cause: taken.cause, reason: what[0] }
      within.log.error(told, 'an automation failed for a record')
    }
  })
}

const WAITING = `select distinct automation from plinth_automation_run where due_at <= clock_timestamp()`

/** The automations with runs that are to be tried again by now. */
export async function namesDueAgain(runner: Runner): Promise<ReadonlySet<string>> {
  return new Set(
    (await runner.run({ text: WAITING, name: 'plinth automations again' }, [])).map(([name]) => name ?? ''),
  )
}

const AGAIN = `select record_id, cause, attempt from plinth_automation_run
  where automation = $1 and due_at <= clock_timestamp() order by due_at limit 1 for update skip locked`

/** A run that is to be tried again by now, held by the open transaction. */
export async function dueAgain(
  runner: Runner,
  name: string,
): Promise<{ readonly taken: Taken; readonly attempt: number } | undefined> {
  const [row] = await runner.run({ text: AGAIN, name: 'plinth automation again' }, [name])
  if (row === undefined) return undefined
  return { taken: { id: Number(row[0]), cause: row[1] ?? '' }, attempt: Number(row[2]) }
}

const FAIL = `insert into plinth_automation_run as r (automation, record_id, cause, outcome, what, attempt, due_at)
  values ($1, $2::int, $3, $4, $5::jsonb, $6::int, clock_timestamp() + $7::float8 * interval '1 millisecond')
  on conflict (automation, record_id, cause) do update set outcome = excluded.outcome, what = excluded.what,
    at = clock_timestamp(), attempt = excluded.attempt, due_at = excluded.due_at where r.outcome = 'retry'`

/** Notes that a run failed: to be tried again after so many milliseconds, or given up where there are none. */
export async function failRun(
  runner: Runner,
  name: string,
  { id, cause }: Taken,
  { attempt, error, inMs }: { readonly attempt: number; readonly error: string; readonly inMs: number | null },
): Promise<void> {
  const outcome: Outcome = inMs === null ? 'failed' : 'retry'
  await runner.run({ text: FAIL }, [name, id, cause, outcome, JSON.stringify([error]), attempt, inMs])
}

const OLD = `at < case when outcome = 'unmet' then $2::timestamptz else $1::timestamptz end`

/** Deletes runs that are older than they are kept; those that did nothing go earlier. Gives how many went. */
export async function deleteOldRuns(
  runner: Runner,
  now: Date,
  { runMs, unmetMs }: { readonly runMs: number; readonly unmetMs: number },
  signal?: AbortSignal,
): Promise<number> {
  const before = (ms: number): string => new Date(now.getTime() - ms).toISOString()
  const values = [before(runMs), before(unmetMs)]
  return deleteInBatches(runner, { table: 'plinth_automation_run', where: OLD, values }, signal)
}
