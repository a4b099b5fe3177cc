/** Examines growth ⇄: tables without `keep`, removals that do not run, and jobs that wait for long. */
import { countFailedRuns } from '../automation/state.ts'
import type { Catalog, Resource } from '../catalog/catalog.ts'
import { listenerStates } from '../change/state.ts'
import type { Database, Runner } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'
import { placeOf } from '../text/source.ts'
import { type Finding, ok, problem, type Thresholds, warning } from './finding.ts'

/** How many rows tables have, as the server's statistics say, or counted to `most` where it has none yet. */
export async function rowsOf(
  runner: Runner,
  names: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, number>> {
  const text = `select relname, reltuples from pg_class where relnamespace = current_schema()::regnamespace
    and relkind in ('r', 'p') and relname = any($1::text[])`
  const found = await runner.run({ text }, [names])
  const rows = new Map<string, number>()
  for (const [name, estimate] of found) {
    if (typeof name !== 'string') continue
    if (Number(estimate) > 0) {
      rows.set(name, Number(estimate))
      continue
    }
    const [counted] = await runner.run({ text: `select count(*) from (select 1 from ${q(name)} limit ${most}) c` }, [])
    rows.set(name, Number(counted?.[0]))
  }
  return rows
}

function owners({ resources }: Catalog): readonly Resource[] {
  return [...resources.values()].filter((resource) => resource.owner === resource.name)
}

export async function lookAtGrowth(
  { adhoc }: Database,
  catalog: Catalog,
  { grownRows, keeperMs }: Thresholds,
): Promise<readonly Finding[]> {
  const all = owners(catalog)
  const rows = await rowsOf(
    adhoc,
    all.map(({ table }) => table),
    grownRows,
  )
  const found: Finding[] = []
  for (const resource of all) {
    const count = rows.get(resource.table)
    if (count === undefined) continue
    const late = resource.keep === undefined ? false : await isLate(adhoc, resource, keeperMs)
    if (late)
      found.push(
        problem(
          `${resource.name}: records are there that are older than its keep says`,
          'have an instance run, and see `plinth jobs` for plinth.keep',
          placeOf(resource.span),
        ),
      )
    else if (resource.keep === undefined && count >= grownRows)
      found.push(
        warning(
          `${resource.name} has ${count.toLocaleString('en')} rows, and nothing ever removes one`,
          'if they need not stay for ever, say so by `keep`',
          placeOf(resource.span),
        ),
      )
  }
  found.push(...(await lookAtHousekeeping(adhoc, keeperMs)))
  return found.length > 0 ? found : [ok('everything that grows has a keeper, and the keepers come')]
}

async function isLate(runner: Runner, { keep, table }: Resource, keeperMs: number): Promise<boolean> {
  const text = `select exists (select 1 from ${q(table)}
    where ${q(keep?.field.column ?? '')} < now() - $1::interval - $2::float8 * interval '1 millisecond')`
  const [row] = await runner.run({ text }, [keep?.span, keeperMs])
  return row?.[0] === 't'
}

/** Answers kept for repeated requests live for a day: older ones show that housekeeping does not run. */
async function lookAtHousekeeping(runner: Runner, keeperMs: number): Promise<readonly Finding[]> {
  const text = `select exists (select 1 from plinth_idempotency
    where created_at < now() - interval '1 day' - $1::float8 * interval '1 millisecond')`
  const [row] = await runner.run({ text }, [keeperMs])
  if (row?.[0] !== 't') return []
  return [
    problem(
      'housekeeping does not run: answers of past days are still kept',
      'have an instance run, and see `plinth jobs`',
    ),
  ]
}

const LATE = `select count(*) filter (where status = 'failed'),
    count(*) filter (where status = 'pending' and due_at < now() - $1::float8 * interval '1 millisecond')
  from plinth_job where finished_at is null or status = 'failed'`

/** Jobs that wait, and jobs that were given up. */
export async function lookAtWork(
  { adhoc }: Database,
  catalog: Catalog,
  now: Date,
  { lateMs }: Pick<Thresholds, 'lateMs'>,
): Promise<readonly Finding[]> {
  const [row] = await adhoc.run({ text: LATE }, [lateMs])
  const [failed, late] = (row ?? []).map(Number)
  const states = await listenerStates(adhoc, catalog, now)
  const found: Finding[] = []
  if ((failed ?? 0) > 0) found.push(warning(`${failed} jobs were given up`, 'see `plinth jobs`'))
  const runs = await countFailedRuns(adhoc)
  if (runs > 0) found.push(warning(`${runs} runs of automations failed`, 'see `plinth automations`'))
  if ((late ?? 0) > 0) found.push(problem(`${late} jobs wait for longer than they should`, 'have an instance run'))
  for (const { name, lag, failed: aside } of states) {
    if (aside > 0) found.push(warning(`${name} has set ${aside} changes aside`, 'see `plinth listeners`'))
    if (lag * 1_000 > lateMs)
      found.push(
        problem(
          `${name} is ${Math.round(lag / 60)} minutes behind the writes`,
          'have an instance run; see `plinth listeners`',
        ),
      )
  }
  return found.length > 0 ? found : [ok('no work waits, and none was given up')]
}
