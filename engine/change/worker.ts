/** Runs the listeners of this instance ⇄: after each write here, and by polling for the writes of other instances. */

import { stillServes } from '../database/failure.ts'
import type { Logger } from '../observe.ts'
import type { Foundation } from '../run/execution.ts'
import type { Change, Listeners } from './listener.ts'
import { defer, type Looked, listenersWithWork, setAside } from './log.ts'
import { type Round, reasonOf, runRound } from './round.ts'
import { type ListenerState, listenerStates } from './state.ts'

/** Numbers of LIMITS, as the application narrowed them. */
export interface ListenerLimits {
  readonly listenerBatch: number
  readonly listenerRequest: number
  readonly listenerPollMs: number
  readonly listenerPauseMs: number
  readonly listenerRestMs: number
  readonly listenerRestMostMs: number
  readonly listenerAttempts: number
  readonly listenerBackoffMs: number
  readonly listenerBackoffMostMs: number
}

/** The present application, whose listeners run; another one may replace it. */
export interface Serving {
  readonly app: { readonly foundation: Foundation; readonly listeners: Listeners }
}

interface ListenerParts {
  readonly log: Logger
  readonly limits: ListenerLimits
  readonly serving: Serving
  readonly random: () => number
}

export interface ListenerWorker {
  /** Looks for changes soon; calls that come together make one look. */
  wake(): void
  /** The state of the listeners. */
  states(): Promise<readonly ListenerState[]>
  /** Begins no more rounds, and waits at most `ms` for those under way. */
  close(ms: number): Promise<void>
}

type Heard = Foundation['catalog']['listeners']

/** The state of the worker. */
interface State {
  closed: boolean
  timer: NodeJS.Timeout | undefined
  /** When the timer rings, in the time of `performance.now()`. */
  rings: number
  looking: Promise<void> | undefined
  /** When the last look began. */
  looked: number
  /** Its result, for the words that listeners had then. */
  found: { readonly heard: Heard; readonly looked: Looked } | undefined
  readonly running: Map<string, Promise<void>>
  /** The end of the rest of a listener after a large round, in the time of `performance.now()`. */
  readonly rests: Map<string, number>
}

/** Looks for changes until it is closed, for the application that is served by then; `random` is from 0 to 1. */
export function startListeners(random: () => number, serving: Serving): ListenerWorker {
  const { catalog, log } = serving.app.foundation
  const limits = catalog.limits as Readonly<Record<string, number>> & ListenerLimits
  const parts: ListenerParts = { log, limits, serving, random }
  const state: State = {
    closed: false,
    timer: undefined,
    rings: Number.POSITIVE_INFINITY,
    looking: undefined,
    looked: Number.NEGATIVE_INFINITY,
    found: undefined,
    running: new Map(),
    rests: new Map(),
  }
  lookIn(parts, state, 0)
  return {
    states: () => {
      const { catalog, database, now } = serving.app.foundation
      return listenerStates(database.adhoc, catalog, now())
    },
    wake: () => lookIn(parts, state, state.looked + parts.limits.listenerPauseMs - performance.now()),
    async close(ms) {
      state.closed = true
      clearTimeout(state.timer)
      await state.looking
      let cut: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        cut = setTimeout(resolve, ms)
      })
      await Promise.race([Promise.all(state.running.values()), late])
      clearTimeout(cut)
    },
  }
}

/** Looks within so many milliseconds, or earlier where an earlier look is planned. */
function lookIn(parts: ListenerParts, state: State, ms: number): void {
  const at = performance.now() + Math.max(0, ms)
  if (state.closed || state.rings <= at) return
  clearTimeout(state.timer)
  state.rings = at
  state.timer = setTimeout(
    () => {
      state.rings = Number.POSITIVE_INFINITY
      // A look that is under way may have missed what this one is for.
      state.looking = (state.looking ?? Promise.resolve()).then(() => look(parts, state))
    },
    Math.max(0, ms),
  ).unref()
}

/** Sets every listener to work for which something waits. */
async function look(parts: ListenerParts, state: State): Promise<void> {
  if (state.closed) return
  const { catalog, database } = parts.serving.app.foundation
  state.looked = performance.now()
  try {
    const heard = catalog.listeners
    const before = state.found?.heard === heard ? state.found.looked : undefined
    const { looked, names } = await listenersWithWork(database.adhoc, heard, before)
    state.found = { heard, looked }
    for (const name of names) begin(parts, state, name)
    const soonest = Math.min(...names.map((name) => state.rests.get(name) ?? Number.POSITIVE_INFINITY))
    if (soonest < Number.POSITIVE_INFINITY) lookIn(parts, state, soonest - state.looked)
  } catch (error) {
    parts.log.warn({ err: error }, 'the log of changes could not be read')
  }
  lookIn(parts, state, parts.limits.listenerPollMs)
}

function begin(parts: ListenerParts, state: State, name: string): void {
  if (state.closed || state.running.has(name) || (state.rests.get(name) ?? 0) > performance.now()) return
  const { limits, log } = parts
  state.rests.delete(name)
  const done = work(parts, state, name)
    .then((worked) => {
      const rest = Math.min(worked * limits.listenerRestMs, limits.listenerRestMostMs)
      if (rest > limits.listenerPauseMs) state.rests.set(name, performance.now() + rest)
    })
    .catch((error: unknown) => log.error({ listener: name, err: error }, 'a listener stopped'))
    .finally(() => {
      state.running.delete(name)
      // Writes during the last round, here or at the instance that has the listener, did not wake it.
      lookIn(parts, state, parts.limits.listenerPauseMs)
    })
  state.running.set(name, done)
}

/**
 * Works the changes of one listener until none waits, or another instance works them; returns the size of the last
 * round.
 */
async function work(parts: ListenerParts, state: State, name: string): Promise<number> {
  const { limits } = parts
  const poison = new Map<number, string>()
  let most = limits.listenerBatch
  while (!state.closed) {
    const { foundation, listeners } = parts.serving.app
    const listen = listeners.get(name)
    if (listen === undefined) return 0
    let tried: Tried = { changes: [], deferred: undefined }
    const begins: Round['begins'] = (changes, deferred) => {
      tried = { changes, deferred }
    }
    // After a failure the batch is halved, even within one request.
    const rest = most < limits.listenerBatch ? 0 : limits.listenerRequest
    const round: Round = { most, rest, poison, pauseMs: (attempt) => pause(parts, attempt), begins }
    try {
      const outcome = await runRound(foundation, { name, listen }, round)
      if (outcome !== 'more') return tried.changes.length
      most = Math.min(limits.listenerBatch, most * 2)
    } catch (error) {
      if (!(await isOfTheWork(parts, name, tried, error))) return 0
      // Halved until the failing change is alone; it is deferred, and the others go on.
      if (tried.changes.length > 1) most = tried.changes.length >> 1
      else if (!(await failed(parts, name, tried, error))) return 0
      else if (tried.deferred === undefined) poison.set(tried.changes[0]!.id, reasonOf(error))
    }
  }
  return 0
}

/** The last changes of a listener, and the attempts of a deferred one. */
interface Tried {
  readonly changes: readonly Change[]
  readonly deferred: number | undefined
}

/** Whether it is the work that failed, and not the database under it; then everything is as it was, and waits. */
async function isOfTheWork(parts: ListenerParts, name: string, { changes }: Tried, error: unknown): Promise<boolean> {
  if (changes.length > 0 && (await stillServes(parts.serving.app.foundation.database, error))) return true
  parts.log.warn({ listener: name, err: error }, 'a listener waits: the database does not serve it')
  return false
}

/** Notes that one change could not be worked; false when not even that could be done. */
async function failed(parts: ListenerParts, name: string, tried: Tried, error: unknown): Promise<boolean> {
  const { limits, log, serving } = parts
  const [change] = tried.changes
  if (change === undefined) return false
  const attempt = (tried.deferred ?? 0) + 1
  const last = attempt >= limits.listenerAttempts
  const { resource, recordId } = change
  const told = { listener: name, change: change.id, resource, record: recordId, attempt, err: error }
  if (last) log.error(told, 'a change was set aside: its listener could not work it')
  else log.warn(told, 'a listener could not work a change; it is tried again')
  // The first time it is put off by the round that passes it by.
  if (tried.deferred === undefined) return true
  const { adhoc } = serving.app.foundation.database
  const noted = last
    ? setAside(adhoc, name, change, attempt, reasonOf(error))
    : defer(adhoc, name, change, { attempt, error: reasonOf(error), inMs: pause(parts, attempt) })
  return noted.then(
    () => true,
    () => false,
  )
}

/** Doubled with each attempt, and spread. */
function pause({ limits, random }: ListenerParts, attempt: number): number {
  const ms = Math.min(limits.listenerBackoffMs * 2 ** (attempt - 1), limits.listenerBackoffMostMs)
  return ms * (0.5 + random() / 2)
}
