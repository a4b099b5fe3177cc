/**
 * Runs jobs of the queue ⇄: some at a time, each under a lease that is renewed while it runs, until the process stops.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as after } from 'node:timers/promises'
import type { Taken } from './job.ts'
import { type Complete, completer, runToEnd } from './job-end.ts'
import { freePlaces } from './places.ts'
import { giveUpJobs, keepJobs, nextJobIn, type Places, takeJobs } from './queue.ts'
import { scheduleJobs } from './schedule.ts'
import type { WorkerParts } from './worker-parts.ts'

export interface Worker {
  /** Looks for jobs now. */
  wake(): void
  /**
   * Takes no more jobs, stops scheduled ones, lets the others finish within `ms`, and gives unfinished ones back to the
   * queue. It waits for running jobs, so that none works on a closed database.
   */
  close(ms: number): Promise<void>
}

/** The shortest pause between two looks, because jobs of other workers may seem due. */
const LEAST_MS = 100

/** From one look to the next, so that under load places that become free are filled together. */
const GATHER_MS = 5

interface Running {
  readonly job: Taken
  readonly controller: AbortController
  readonly done: Promise<void>
}

/** The state of a worker. */
interface State {
  readonly owner: string
  readonly complete: Complete
  readonly running: Map<string, Running>
  /** The ids of those whose work is done and not recorded yet: they need no place. */
  readonly worked: Set<string>
  /** By kind, the jobs that were taken before there is a place for them. */
  readonly waiting: Map<string, Taken[]>
  closed: boolean
  /** Monotonic, in milliseconds. */
  lookedAt: number
  /** The look that is under way. */
  looking: Promise<void> | undefined
  again: boolean
  /** Whether the next look sees to the scheduled jobs first. */
  plan: boolean
  timer: NodeJS.Timeout | undefined
}

/** Starts to look for jobs. */
export function startWorker(parts: WorkerParts): Worker {
  const { limits, log, runner } = parts
  const owner = randomUUID()
  const state: State = {
    owner,
    complete: completer(runner, owner),
    lookedAt: Number.NEGATIVE_INFINITY,
    running: new Map(),
    worked: new Set(),
    waiting: new Map(),
    closed: false,
    looking: undefined,
    again: false,
    plan: true,
    timer: undefined,
  }
  const beat = setInterval(
    () => void renew(parts, state).catch((error: unknown) => log.warn({ err: error }, 'leases were not renewed')),
    limits.jobLeaseMs / 3,
  ).unref()
  const schedule = setInterval(() => {
    state.plan = true
    wake(parts, state)
  }, limits.jobScheduleMs).unref()
  wake(parts, state)
  return {
    wake: () => wake(parts, state),
    async close(ms) {
      state.closed = true
      clearTimeout(state.timer)
      clearInterval(schedule)
      // Jobs of a last look are waited for, or given back.
      await state.looking
      if (state.running.size + state.waiting.size > 0) {
        await stop(parts, state, ms)
        await giveUpJobs(runner, owner)
      }
      clearInterval(beat)
    },
  }
}

/** Looks for jobs, or once more where it is looking already. */
function wake(parts: WorkerParts, state: State): void {
  state.again = true
  if (state.looking !== undefined || state.closed) return
  state.looking = look(parts, state)
    .catch((error: unknown) => {
      parts.log.warn({ err: error }, 'the queue of jobs could not be read')
      later(parts, state, parts.limits.jobPollMs)
    })
    .finally(() => {
      state.looking = undefined
      if (state.again) wake(parts, state)
    })
}

function later(parts: WorkerParts, state: State, ms: number): void {
  clearTimeout(state.timer)
  if (!state.closed) state.timer = setTimeout(() => wake(parts, state), ms).unref()
}

/** Takes due jobs while places are free, then sets the time of the next look. */
async function look(parts: WorkerParts, state: State): Promise<void> {
  const { limits, log, runner } = parts
  while (state.again && !state.closed) {
    const soon = state.lookedAt + GATHER_MS - performance.now()
    if (soon > 0) await after(soon)
    if (state.closed) return
    state.again = false
    state.lookedAt = performance.now()
    if (state.plan) {
      await scheduleJobs(runner, parts.scheduled())
      state.plan = false
      await parts.measure()
    }
    beginWaiting(parts, state)
    const places = placesOf(parts, state)
    // A job that ends calls wake(), and this runs again.
    if (places.free === 0) return
    const { lost, prefetched, taken } = await takeJobs(runner, places, state.owner, limits.jobLeaseMs)
    for (const name of lost) log.error({ job: name }, 'job given up: the process that ran it was lost')
    for (const job of prefetched) state.waiting.set(job.name, [...(state.waiting.get(job.name) ?? []), job])
    for (const job of taken) begin(parts, state, job)
    if (taken.length === places.free) return
    if (taken.length + prefetched.length > 0) {
      // When the next one is due is asked by the look that finds none.
      later(parts, state, LEAST_MS)
      continue
    }
    // Kinds that have no room are not looked for: theirs wake when they end.
    const names = placesOf(parts, state).kinds.map(({ name }) => name)
    const next = (names.length === 0 ? undefined : await nextJobIn(runner, names)) ?? limits.jobPollMs
    later(parts, state, Math.min(limits.jobPollMs, Math.max(LEAST_MS, next)))
  }
}

function placesOf({ kinds, limits }: WorkerParts, { running, waiting, worked }: State): Places {
  const names = [...running.values()].flatMap(({ job }) => (worked.has(job.id) ? [] : [job.name]))
  return freePlaces(kinds(), names, limits.jobSlots, waiting)
}

function begin(parts: WorkerParts, state: State, job: Taken): void {
  const controller = new AbortController()
  const complete: Complete = (done, result) => {
    state.worked.add(done.id)
    beginWaiting(parts, state)
    return state.complete(done, result)
  }
  const done = runToEnd(parts, state.owner, job, controller, complete).finally(() => {
    state.running.delete(job.id)
    state.worked.delete(job.id)
    beginWaiting(parts, state)
    // The queue is asked again when nothing of the kind is left here.
    if (!state.waiting.has(job.name)) wake(parts, state)
  })
  state.running.set(job.id, { job, controller, done })
}

/** Begins prefetched jobs as far as there are places now. */
function beginWaiting(parts: WorkerParts, state: State): void {
  for (const [name, jobs] of state.closed ? [] : state.waiting) {
    const places = placesOf(parts, state)
    const { long, room } = places.kinds.find((kind) => kind.name === name) ?? { long: false, room: 0 }
    for (const job of jobs.splice(0, Math.min(room, long ? places.long : places.short))) begin(parts, state, job)
    if (jobs.length === 0) state.waiting.delete(name)
  }
}

/** Scheduled jobs can go on later; jobs that people wait for get their time. */
async function stop({ limits, scheduled }: WorkerParts, { running }: State, ms: number): Promise<void> {
  const names = new Set(scheduled().map(({ name }) => name))
  const tell = (some: readonly Running[]): void => {
    for (const { controller } of some) controller.abort(new Error('the process stops'))
  }
  tell([...running.values()].filter(({ job }) => names.has(job.name)))
  await settled(running, ms)
  tell([...running.values()])
  await settled(running, limits.jobStopMs)
}

/** Resolves when all jobs have ended, or after `ms`. */
async function settled(running: ReadonlyMap<string, Running>, ms: number): Promise<void> {
  let cut: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    cut = setTimeout(resolve, ms)
  })
  await Promise.race([Promise.all([...running.values()].map(({ done }) => done)), late])
  clearTimeout(cut)
}

/** Renews the leases; a job that lost its lease is stopped. */
async function renew({ runner, limits }: WorkerParts, { owner, running, waiting }: State): Promise<void> {
  const before = [...running.values()]
  const ids = [...before.map(({ job }) => job.id), ...[...waiting.values()].flat().map(({ id }) => id)]
  if (ids.length === 0) return
  const kept = await keepJobs(runner, owner, limits.jobLeaseMs, ids)
  for (const [name, jobs] of waiting) {
    const left = jobs.filter(({ id }) => kept.has(id) || !ids.includes(id))
    if (left.length > 0) waiting.set(name, left)
    else waiting.delete(name)
  }
  for (const { job, controller } of before) {
    if (!kept.has(job.id) && running.has(job.id)) controller.abort(new Error('the job was taken over'))
  }
}
