/**
 * The queue's table, statement by statement ⇄: jobs are added, taken by lease, kept alive, and brought to an end.
 *
 * Our own, in some 700 lines: a job is a row of the caller's transaction on both databases. pg-boss installs 6 MB in 18
 * packages and needs Node 22; graphile-worker and BullMQ do not run on the embedded database.
 */
import { randomUUID } from 'node:crypto'
import type { JobOrder } from '../action/execution.ts'
import type { Row, Runner } from '../database/database.ts'
import { deleteInBatches } from '../database/delete-in-batches.ts'
import { ApiError } from '../error.ts'
import type { Json, JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { Taken } from './job.ts'

/*
 * Moments are the database's: it is the one clock that instances share. A job belongs to whoever its owner and attempt
 * name, so that one who lost it can't bring it to an end.
 */
const MINE = `id = $1::uuid and owner = $2 and attempt = $3::int and status = 'running'`

const IN_MS = (parameter: string): string => `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`

/** A waiting job with the same key is locked until the transaction ends, so that it can't begin before its work is there. */
const ADD = `insert into plinth_job (id, name, payload, dedupe, due_at, attempts, actor_id, runs_as)
  values ($1::uuid, $2, $3::jsonb, $4, coalesce($5::timestamptz, now()), $6::int, $7::int, $8)
  on conflict (name, dedupe) where dedupe is not null
  do update set due_at = least(plinth_job.due_at, excluded.due_at)
  returning id`

const TAKE = `with due as (
    select id from plinth_job
    where finished_at is null and due_at <= clock_timestamp() and name = any($1::text[])
    order by due_at limit $2::int for update skip locked)
  update plinth_job j set
    status = case when j.attempt < j.attempts then 'running' else 'failed' end,
    finished_at = case when j.attempt < j.attempts then null else clock_timestamp() end,
    error = case when j.attempt < j.attempts then j.error else 'the process that ran it was lost' end,
    attempt = least(j.attempt + 1, j.attempts), owner = $3, dedupe = null, due_at = ${IN_MS('$4')}
  from due where j.id = due.id
  returning j.id, j.name, j.payload, j.attempt, j.attempts, j.actor_id, j.runs_as, j.status`

const KEEP = `update plinth_job set due_at = ${IN_MS('$2')}
  where owner = $1 and status = 'running' and id = any($3::uuid[]) returning id`

const PROGRESS = `update plinth_job set progress = $4::int where ${MINE} returning id`

/** The payload of what is done is of no more use, and may be what somebody should not find. */
const COMPLETE = `update plinth_job set status = 'completed', progress = 100, result = $4::jsonb, payload = '{}',
  error = null, reason = null, finished_at = clock_timestamp() where ${MINE} returning id`

const RETRY = `update plinth_job set status = 'pending', owner = null, error = $4, reason = $5,
  due_at = ${IN_MS('$6')} where ${MINE} returning id`

const FAIL = `update plinth_job set status = 'failed', error = $4, reason = $5, finished_at = clock_timestamp()
  where ${MINE} returning id`

const GIVE_UP = `update plinth_job set status = 'pending', owner = null, attempt = attempt - 1, due_at = clock_timestamp()
  where owner = $1 and status = 'running'`

const NEXT = `select ceil(extract(epoch from min(due_at) - clock_timestamp()) * 1000) from plinth_job
  where finished_at is null and name = any($1::text[])`

/** Adds a job and gives its id, or that of the waiting one with its key; throws when the payload is too large. */
export async function addJob(runner: Runner, order: JobOrder, attempts: number): Promise<string> {
  const payload = JSON.stringify(order.payload)
  if (Buffer.byteLength(payload) > LIMITS.jobBytes) throw new Error(`the payload of a job ${order.name} is too large`)
  const runsAs = order.as === 'actor' && order.actor.kind !== 'system' ? 'actor' : 'system'
  const runAt = order.runAt?.toISOString() ?? null
  const values = [
    order.id ?? randomUUID(),
    order.name,
    payload,
    order.dedupe ?? null,
    runAt,
    attempts,
    order.actor.id,
    runsAs,
  ]
  const [row] = await runner.run({ text: ADD, name: 'plinth job add' }, values)
  return row?.[0] ?? ''
}

/** What a take gave: jobs to run, and names of those that were given up because their process was lost too often. */
export interface Take {
  readonly taken: readonly Taken[]
  readonly lost: readonly string[]
}

/** Takes at most `most` jobs that are due, as `owner`, for `leaseMs`. */
export async function takeJobs(
  runner: Runner,
  names: readonly string[],
  most: number,
  owner: string,
  leaseMs: number,
): Promise<Take> {
  const rows = await runner.run({ text: TAKE }, [names, most, owner, leaseMs])
  const lost = rows.filter((row) => row[7] !== 'running').map((row) => row[1] ?? '')
  return { taken: rows.filter((row) => row[7] === 'running').map(takenOf), lost }
}

function takenOf([id, name, payload, attempt, attempts, actorId, runsAs]: Row): Taken {
  return {
    id: id ?? '',
    name: name ?? '',
    payload: JSON.parse(payload ?? '{}') as JsonObject,
    attempt: Number(attempt),
    attempts: Number(attempts),
    actorId: actorId === null || actorId === undefined ? null : Number(actorId),
    runsAs: runsAs === 'actor' ? 'actor' : 'system',
  }
}

/** Renews the lease of jobs; gives the ids of those that are still the owner's. */
export async function keepJobs(
  runner: Runner,
  owner: string,
  leaseMs: number,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await runner.run({ text: KEEP }, [owner, leaseMs, ids])
  return new Set(rows.map((row) => row[0] ?? ''))
}

/** Ends or notes what is `owner`'s; each gives false when the job is somebody else's by now. */
export const ownJob = {
  progress: (runner: Runner, owner: string, { id, attempt }: Taken, percent: number) =>
    mine(runner, PROGRESS, [id, owner, attempt, percent]),
  complete: (runner: Runner, owner: string, { id, attempt }: Taken, result: Json | undefined) =>
    mine(runner, COMPLETE, [id, owner, attempt, result === undefined ? null : JSON.stringify(result)]),
  retry: (runner: Runner, owner: string, { id, attempt }: Taken, error: unknown, inMs: number) =>
    mine(runner, RETRY, [id, owner, attempt, ...told(error), inMs]),
  fail: (runner: Runner, owner: string, { id, attempt }: Taken, error: unknown) =>
    mine(runner, FAIL, [id, owner, attempt, ...told(error)]),
} as const

async function mine(runner: Runner, text: string, values: readonly unknown[]): Promise<boolean> {
  return (await runner.run({ text }, values)).length > 0
}

const ERROR_LENGTH = 500

/** What went wrong, and the part of it that callers may read. */
function told(error: unknown): readonly [string, string | null] {
  const text = (error instanceof Error ? error.message : String(error)).replaceAll('\0', '').slice(0, ERROR_LENGTH)
  return [text, error instanceof ApiError && error.status < 500 ? text : null]
}

/** Gives everything of an owner back, as if it had not been tried. */
export async function giveUpJobs(runner: Runner, owner: string): Promise<void> {
  await runner.run({ text: GIVE_UP }, [owner])
}

/** Milliseconds until the next job is due, below zero when one is; undefined when none waits. */
export async function nextJobIn(runner: Runner, names: readonly string[]): Promise<number | undefined> {
  const [row] = await runner.run({ text: NEXT }, [names])
  return row?.[0] === null || row?.[0] === undefined ? undefined : Number(row[0])
}

/** Deletes what came to its end before `now` by more than the time that such jobs are kept; gives how many. */
export async function deleteOldJobs(
  runner: Runner,
  now: Date,
  keep: { readonly completedMs: number; readonly failedMs: number },
  signal?: AbortSignal,
): Promise<number> {
  const ended = (status: string, ms: number) => ({
    table: 'plinth_job',
    where: 'status = $1 and finished_at < $2::timestamptz',
    values: [status, new Date(now.getTime() - ms).toISOString()],
  })
  const completed = await deleteInBatches(runner, ended('completed', keep.completedMs), signal)
  return completed + (await deleteInBatches(runner, ended('failed', keep.failedMs), signal))
}
