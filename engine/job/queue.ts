/**
 * The queue's table, statement by statement ⇄: jobs are added, taken by lease, kept alive, and brought to an end.
 *
 * Our own, in some 700 lines: a job is a row of the caller's transaction on both databases. pg-boss installs 6 MB in 18
 * packages and needs Node 22; graphile-worker and BullMQ do not run on the embedded database.
 */
import { randomUUID } from 'node:crypto'
import type { Row, Runner } from '../database/database.ts'
import { deleteInBatches } from '../database/delete-in-batches.ts'
import { ApiError } from '../error.ts'
import type { Json, JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { JobInlet, JobOrder, JobOrders } from '../run/execution.ts'
import type { Store } from '../store/store.ts'
import type { Jobs, Taken } from './job.ts'

/*
 * Times are those of the database: it is the clock that instances share. Owner and attempt identify the holder of a job,
 * so that a process that lost it cannot end it.
 */
const MINE = `id = $1::uuid and owner = $2 and attempt = $3::int and status = 'running'`

const IN_MS = (parameter: string): string => `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`

/**
 * A waiting job with the same key is locked until the transaction ends, so that it cannot begin before its work is
 * there.
 */
const ADD = `insert into plinth_job (id, name, payload, dedupe, due_at, attempts, actor_id, runs_as)
  values ($1::uuid, $2, $3::jsonb, $4, coalesce($5::timestamptz, now()), $6::int, $7::int, $8)
  on conflict (name, dedupe) where dedupe is not null
  do update set due_at = least(plinth_job.due_at, excluded.due_at)
  returning id`

/** The same for many. An id that is known is that of the same work, which may be done already. */
const ADD_EACH = `insert into plinth_job (id, name, payload, due_at, attempts, actor_id, runs_as)
  select a.id, $1, a.payload::jsonb, coalesce($4::timestamptz, now()), $5::int, $6::int, $7
  from unnest($2::uuid[], $3::text[]) as a(id, payload)
  on conflict (id) do nothing`

/**
 * Of each kind no more than there is room for, then the short ones before the long ones, each group within its places;
 * after them the prefetched ones. A job is given up when it was lost too often since it
 * came further last.
 */
const TAKE = `with due as materialized (
    select j.id, j.due_at, k.long, j.nth > k.room as prefetched,
      row_number() over (partition by k.long, j.nth > k.room order by j.due_at) as nth
    from unnest($1::text[], $2::int[], $3::bool[], $9::int[]) as k(name, room, long, prefetch)
    cross join lateral (select l.id, l.due_at, row_number() over (order by l.due_at) as nth from (
      select id, due_at from plinth_job where finished_at is null and name = k.name and due_at <= clock_timestamp()
      order by due_at limit k.room + k.prefetch for update skip locked) l) j),
  chosen as materialized ((select id, prefetched from due where not prefetched and nth <= case when long then $5::int else $4::int end
      order by long, due_at limit $6::int)
    union all (select id, prefetched from due where prefetched))
  update plinth_job j set
    status = case when j.attempt - j.progressed_attempt < j.attempts then 'running' else 'failed' end,
    finished_at = case when j.attempt - j.progressed_attempt < j.attempts then null else clock_timestamp() end,
    error = case when j.attempt - j.progressed_attempt < j.attempts then j.error else 'the process that ran it was lost' end,
    attempt = case when j.attempt - j.progressed_attempt < j.attempts then j.attempt + 1 else j.attempt end,
    owner = $7, dedupe = null, due_at = ${IN_MS('$8')}
  from chosen where j.id = chosen.id
  returning j.id, j.name, j.payload, j.attempt, j.attempts, j.progressed_attempt, j.progress, j.actor_id, j.runs_as,
    extract(epoch from j.created_at) * 1000, j.status, chosen.prefetched`

const KEEP = `update plinth_job set due_at = ${IN_MS('$2')}
  where owner = $1 and status = 'running' and id = any($3::uuid[]) returning id`

const PROGRESS = `update plinth_job set progress = $4::int,
  progressed_attempt = case when $5::bool then $3::int else progressed_attempt end where ${MINE} returning id`

/** The payload of a completed job is of no use any more, and may be secret. */
const COMPLETE = `update plinth_job j set status = 'completed', progress = 100, result = d.result, payload = '{}',
  error = null, reason = null, finished_at = clock_timestamp()
  from jsonb_to_recordset($2::jsonb) as d(id uuid, attempt int, result jsonb)
  where j.id = any(array(select (e->>'id')::uuid from jsonb_array_elements($2::jsonb) e)) and j.id = d.id and j.owner = $1 and j.attempt = d.attempt and j.status = 'running' returning j.id`

const RETRY = `update plinth_job set status = 'pending', owner = null, error = $4, reason = $5,
  due_at = ${IN_MS('$6')} where ${MINE} returning id`

const POSTPONE = `update plinth_job set status = 'pending', owner = null, error = $4, reason = $5, attempt = attempt - 1,
  due_at = ${IN_MS('$6')} where ${MINE} returning id`

const FAIL = `update plinth_job set status = 'failed', error = $4, reason = $5, finished_at = clock_timestamp()
  where ${MINE} returning id`

const GIVE_UP = `update plinth_job set status = 'pending', owner = null, attempt = attempt - 1, due_at = clock_timestamp()
  where owner = $1 and status = 'running'`

const NEXT = `select ceil(extract(epoch from min(j.due_at) - clock_timestamp()) * 1000)
  from unnest($1::text[]) as k(name) cross join lateral (
    select due_at from plinth_job where finished_at is null and name = k.name order by due_at limit 1) j`

/**
 * Adds a job and returns its id, or that of the waiting job with the same key; throws when the payload is too large.
 */
export async function addJob(runner: Runner, order: JobOrder, attempts: number): Promise<string> {
  const values = [
    order.id ?? randomUUID(),
    order.name,
    payloadText(order.name, order.payload),
    order.dedupe ?? null,
    order.runAt?.toISOString() ?? null,
    attempts,
    order.actor.id,
    runsAs(order),
  ]
  const [row] = await runner.run({ text: ADD, name: 'plinth job add' }, values)
  return row?.[0] ?? ''
}

/** Adds a job for each entry, but those whose id is known; throws when a payload is too large. */
export async function addJobs(runner: Runner, orders: JobOrders, attempts: number): Promise<void> {
  const { actor, entries, name, runAt } = orders
  const texts = entries.map(({ payload }) => payloadText(name, payload))
  const ids = entries.map(({ id }) => id ?? randomUUID())
  const values = [name, ids, texts, runAt?.toISOString() ?? null, attempts, actor.id, runsAs(orders)]
  await runner.run({ text: ADD_EACH, name: 'plinth job add each' }, values)
}

function payloadText(name: string, payload: JsonObject): string {
  const text = JSON.stringify(payload)
  if (Buffer.byteLength(text) > LIMITS.jobBytes) throw new Error(`the payload of a job ${name} is too large`)
  return text
}

/** Throws forbidden for a caller that is less than its account: the job would run as the whole account. */
function runsAs({ actor, as }: Pick<JobOrder, 'actor' | 'as'>): 'actor' | 'system' {
  if (as === 'actor' && actor.scope !== undefined)
    throw new ApiError('forbidden', {
      message: 'This is done later with all rights of the account, and a key has only some: sign in for it',
    })
  return as === 'actor' && actor.kind !== 'system' ? 'actor' : 'system'
}

/** The result of a take: jobs to run, and names of jobs that were given up because their process was lost too often. */
export interface Take {
  readonly taken: readonly Taken[]
  /** Jobs for which there is no place yet. */
  readonly prefetched: readonly Taken[]
  readonly lost: readonly string[]
}

/** A kind of job that this process can begin, and how many of it at most. */
export interface Room {
  readonly name: string
  readonly room: number
  readonly long: boolean
  /** How many more of it are taken before there is a place for them. */
  readonly prefetch: number
}

/** Kinds with room, and the places that are free: altogether, for short jobs, and for long ones. */
export interface Places {
  readonly kinds: readonly Room[]
  readonly free: number
  readonly short: number
  readonly long: number
}

/** Takes due jobs as far as there are places, as `owner`, for `leaseMs`. */
export async function takeJobs(
  runner: Runner,
  { kinds, free, short, long }: Places,
  owner: string,
  leaseMs: number,
): Promise<Take> {
  const [names, rooms, longs, prefetch] = [
    kinds.map((one) => one.name),
    kinds.map((one) => one.room),
    kinds.map((one) => one.long),
    kinds.map((one) => one.prefetch),
  ]
  const rows = await runner.run({ text: TAKE, name: 'plinth job take' }, [
    names,
    rooms,
    longs,
    short,
    long,
    free,
    owner,
    leaseMs,
    prefetch,
  ])
  const isRunning = (row: Row): boolean => row[10] === 'running'
  const running = rows.filter(isRunning)
  const [taken, prefetched] = [false, true].map((ahead) =>
    running.filter((row) => (row[11] === 't') === ahead).map(takenOf),
  )
  const lost = rows.filter((row) => !isRunning(row)).map((row) => row[1] ?? '')
  return { taken: taken!, prefetched: prefetched!, lost }
}

function takenOf(row: Row): Taken {
  const [id, name, payload, attempt, attempts, progressedAttempt, progress, actorId, runsAs, createdAt] = row
  return {
    id: id ?? '',
    name: name ?? '',
    payload: JSON.parse(payload ?? '{}') as JsonObject,
    createdAt: new Date(Number(createdAt)),
    attempt: Number(attempt),
    attempts: Number(attempts),
    progressedAttempt: Number(progressedAttempt),
    progress: Number(progress),
    actorId: actorId === null || actorId === undefined ? null : Number(actorId),
    runsAs: runsAs === 'actor' ? 'actor' : 'system',
  }
}

/** Renews the lease of jobs; returns the ids of those that the owner still has. */
export async function keepJobs(
  runner: Runner,
  owner: string,
  leaseMs: number,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await runner.run({ text: KEEP }, [owner, leaseMs, ids])
  return new Set(rows.map((row) => row[0] ?? ''))
}

/** A job that came to a good end. */
export interface Done extends Pick<Taken, 'id' | 'attempt'> {
  readonly result: Json | undefined
}

/** Records completed jobs by one statement; returns the ids of those that the owner still has. */
export async function completeJobs(runner: Runner, owner: string, done: readonly Done[]): Promise<ReadonlySet<string>> {
  const rows = await runner.run({ text: COMPLETE, name: 'plinth job complete' }, [owner, JSON.stringify(done)])
  return new Set(rows.map((row) => row[0] ?? ''))
}

/** Records progress and failures of jobs of `owner`; each returns false when another process has the job by now. */
export const ownJob = {
  progress: (runner: Runner, owner: string, { id, attempt }: Taken, percent: number, isFurther: boolean) =>
    mine(runner, PROGRESS, [id, owner, attempt, percent, isFurther]),
  retry: (runner: Runner, owner: string, { id, attempt }: Taken, error: unknown, inMs: number) =>
    mine(runner, RETRY, [id, owner, attempt, ...told(error), inMs]),
  /** Leaves it for later, as if it had not been tried. */
  postpone: (runner: Runner, owner: string, { id, attempt }: Taken, error: unknown, inMs: number) =>
    mine(runner, POSTPONE, [id, owner, attempt, ...told(error), inMs]),
  fail: (runner: Runner, owner: string, { id, attempt }: Taken, error: unknown) =>
    mine(runner, FAIL, [id, owner, attempt, ...told(error)]),
} as const

async function mine(runner: Runner, text: string, values: readonly unknown[]): Promise<boolean> {
  return (await runner.run({ text }, values)).length > 0
}

const ERROR_LENGTH = 500

/** The error, and the part of it that callers may read. */
function told(error: unknown): readonly [string, string | null] {
  const text = (error instanceof Error ? error.message : String(error)).replaceAll('\0', '').slice(0, ERROR_LENGTH)
  return [text, error instanceof ApiError && error.status < 500 ? text : null]
}

/** Returns all jobs of an owner to the queue, as if they had not been tried. */
export async function giveUpJobs(runner: Runner, owner: string): Promise<void> {
  await runner.run({ text: GIVE_UP }, [owner])
}

/** Milliseconds until the next job is due, below zero when one is; undefined when none waits. */
export async function nextJobIn(runner: Runner, names: readonly string[]): Promise<number | undefined> {
  const [row] = await runner.run({ text: NEXT, name: 'plinth job next' }, [names])
  return row?.[0] === null || row?.[0] === undefined ? undefined : Number(row[0])
}

/** Deletes ended jobs whose time of keeping is over at `now`; returns how many. */
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

/** The channel for news of jobs between instances. */
export const JOBS = 'jobs'

/** The inlet of an application with these jobs; adding one that it does not have rejects. */
export function jobInlet(jobs: Jobs, store: Pick<Store, 'publish'>): JobInlet {
  const attempts = (name: string): number => {
    const job = jobs.get(name)
    if (job === undefined) throw new Error(`no plugin has a job ${name}`)
    return job.value.attempts ?? LIMITS.jobAttempts
  }
  return {
    add: async (runner, order) => addJob(runner, order, attempts(order.name)),
    addEach: async (runner, orders) => addJobs(runner, orders, attempts(orders.name)),
    wake: () => store.publish(JOBS, ''),
  }
}
