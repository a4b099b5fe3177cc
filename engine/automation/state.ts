/** The state of the automations, for operators ⇄: when each acts next, how its runs ended, and which were given up. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Runner } from '../database/database.ts'

export interface AutomationState {
  /** `<resource>.<name>`. */
  readonly name: string
  /** When a schedule comes next, as PostgreSQL writes it, UTC; null for the others. */
  readonly nextAt: string | null
  /** When it acted last, or was to; null: it has not yet. */
  readonly lastAt: string | null
  /** Outcome → how many of its runs ended so, of those that are kept. */
  readonly outcomes: Readonly<Record<string, number>>
}

/** A run that was given up. */
export interface FailedRun {
  readonly automation: string
  readonly recordId: number
  /** The moment. */
  readonly cause: string
  readonly attempts: number
  readonly error: string
  /** As PostgreSQL writes it, UTC. */
  readonly at: string
}

const STATE = `select n.name, a.next_at, r.last, r.outcomes from unnest($1::text[]) with ordinality n(name, at)
  left join plinth_automation a on a.name = n.name
  left join lateral (select max(o.last) as last, jsonb_object_agg(o.outcome, o.runs) as outcomes from (
    select outcome, count(*) as runs, max(at) as last from plinth_automation_run where automation = n.name group by outcome
  ) o) r on true order by n.at`

/** The state of each automation of an application. */
export async function automationStates(runner: Runner, { resources }: Catalog): Promise<readonly AutomationState[]> {
  const names = [...resources.values()].flatMap(({ automations, name }) =>
    [...automations.keys()].map((automation) => `${name}.${automation}`),
  )
  const rows = await runner.run({ text: STATE }, [names])
  return rows.map(([name, nextAt = null, lastAt = null, outcomes]) => ({
    name: name ?? '',
    nextAt,
    lastAt,
    outcomes: JSON.parse(outcomes ?? '{}') as Record<string, number>,
  }))
}

const FAILED = `select automation, record_id, cause, attempt, what ->> 0, at from plinth_automation_run
  where outcome = 'failed' order by at desc limit $1::int`

/** At most `most` runs that were given up, the latest first. */
export async function failedRuns(runner: Runner, most: number): Promise<readonly FailedRun[]> {
  const rows = await runner.run({ text: FAILED }, [most])
  return rows.map(([automation, recordId, cause, attempts, error, at]) => ({
    automation: automation ?? '',
    recordId: Number(recordId),
    cause: cause ?? '',
    attempts: Number(attempts),
    error: error ?? '',
    at: at ?? '',
  }))
}

const AGAIN = `update plinth_automation_run set outcome = 'retry', attempt = 0, due_at = clock_timestamp()
  where outcome = 'failed' and ($1::text = 'all' or automation = $1::text) returning 1`

/** Lets runs that were given up, those of one automation or `all`, be tried again; gives how many there are. */
export async function retryRuns(runner: Runner, which: string): Promise<number> {
  return (await runner.run({ text: AGAIN }, [which])).length
}
