/** The state of the automations, for operators ⇄: when each acts next, how its runs ended, and which were given up. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Runner } from '../database/database.ts'
import { retryJobs } from '../job/state.ts'

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
  /** The moment, or the id of the change. */
  readonly cause: string
  readonly attempts: number
  readonly error: string
  /** As PostgreSQL writes it, UTC. */
  readonly at: string
}

/** The runs with how they ended in truth, `runs`: one whose job was given up has failed, whatever it did itself. */
export const RUNS_AS_THEY_ARE = `lost as materialized (
    select distinct on (1, 2, 3) r ->> 0 as automation, (r ->> 1)::int as record_id, r ->> 2 as cause, j.error
    from plinth_job j cross join lateral jsonb_array_elements(
      case jsonb_typeof(j.payload -> 'runs') when 'array' then j.payload -> 'runs' else '[]' end) r
    where j.status = 'failed'),
  runs as (
    select r.automation, r.record_id, r.cause, r.at, r.attempt, case when l.error is null then r.outcome else 'failed' end as outcome,
      case when l.error is null then r.what else jsonb_build_array(l.error) end as what
    from plinth_automation_run r left join lost l using (automation, record_id, cause))`

const STATE = `with ${RUNS_AS_THEY_ARE} select n.name, a.next_at, r.last, r.outcomes from unnest($1::text[]) with ordinality n(name, at)
  left join plinth_automation a on a.name = n.name
  left join lateral (select max(o.last) as last, jsonb_object_agg(o.outcome, o.runs) as outcomes from (
    select outcome, count(*) as runs, max(at) as last from runs where automation = n.name group by outcome
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

const FAILED = `with ${RUNS_AS_THEY_ARE} select automation, record_id, cause, attempt, what ->> 0, at from runs
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

const COUNT = `with ${RUNS_AS_THEY_ARE} select count(*) from runs where outcome = 'failed'`

/** How many runs failed, of those that are kept. */
export async function countFailedRuns(runner: Runner): Promise<number> {
  return Number((await runner.run({ text: COUNT }, []))[0]?.[0])
}

const AGAIN = `update plinth_automation_run set outcome = 'retry', attempt = 0, due_at = clock_timestamp()
  where outcome = 'failed' and ($1::text = 'all' or automation = $1::text) returning 1`

const JOBS_OF = `select id from plinth_job j where status = 'failed' and jsonb_typeof(payload -> 'runs') = 'array'
  and ($1::text = 'all' or exists (select 1 from jsonb_array_elements(payload -> 'runs') r where r ->> 0 = $1::text))`

/** Lets runs that failed, those of one automation or `all`, be tried again, and the jobs of such runs; gives how many there are. */
export async function retryRuns(runner: Runner, which: string): Promise<number> {
  const again = (await runner.run({ text: AGAIN }, [which])).length
  const jobs = await runner.run({ text: JOBS_OF }, [which])
  for (const [id] of jobs) await retryJobs(runner, id ?? '')
  return again + jobs.length
}
