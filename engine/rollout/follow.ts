/** An instance follows what is rolled out ⇄: it reads its files, says whether it can serve them, and serves them with all others. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Runner } from '../database/database.ts'
import { sentenceOf } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import type { Collected } from '../text/diagnostic.ts'
import {
  answerRollout,
  isOpen,
  leaveInstance,
  type Phase,
  type Rollout,
  type RolloutAnswer,
  rolloutNow,
  showInstance,
} from './state.ts'

/** An application that was read and can be served. */
export interface Candidate {
  readonly version: string
  /** Serves it from now on; rejects where it can't be, and the one before is served on. */
  serve(): Promise<void>
}

export interface FollowerParts {
  readonly runner: Runner
  readonly log: Logger
  readonly id: string
  /** For people: the machine and the process. */
  readonly name: string
  /** The version of what is served. */
  version(): Promise<string>
  /** Reads the files as they are now. */
  read(): Promise<Collected<Candidate>>
  /** Runs `work` while no request is served; those that come wait. */
  alone<T>(work: () => Promise<T>): Promise<T>
}

export interface Follower {
  /** Begins nothing more; resolves when what is under way has ended and the instance is off the list. */
  close(): Promise<void>
}

interface State {
  closed: boolean
  timer: NodeJS.Timeout | undefined
  looking: Promise<void>
  /** The rollout that was seen to its end. */
  done: string | undefined
  /** When the instance showed itself last, monotonic, in milliseconds. */
  shown: number
}

/** Follows until it is closed; looks every LIMITS.rolloutPollMs. */
export function followRollouts(parts: FollowerParts): Follower {
  const state: State = { closed: false, timer: undefined, looking: Promise.resolve(), done: undefined, shown: 0 }
  const again = (): void => {
    clearTimeout(state.timer)
    if (state.closed) return
    state.timer = setTimeout(() => {
      state.looking = state.looking.then(() => attempt(parts, state, look)).then(again)
    }, LIMITS.rolloutPollMs)
    state.timer.unref()
  }
  state.looking = attempt(parts, state, enter).then(again)
  return {
    async close() {
      state.closed = true
      clearTimeout(state.timer)
      await state.looking
      await attempt(parts, state, ({ runner, id }) => leaveInstance(runner, id))
    },
  }
}

/** One step; a database that is out for a while is no reason to stop following. */
async function attempt(
  parts: FollowerParts,
  state: State,
  step: (parts: FollowerParts, state: State) => Promise<void>,
) {
  try {
    await step(parts, state)
  } catch (error) {
    parts.log.warn({ err: error }, 'it could not be seen whether another version is to be served')
  }
}

async function show({ runner, id, name, version }: FollowerParts, state: State): Promise<void> {
  await showInstance(runner, { id, name, version: await version() })
  state.shown = performance.now()
}

async function enter(parts: FollowerParts, state: State): Promise<void> {
  await show(parts, state)
  const now = await rolloutNow(parts.runner)
  // What ended before this process began is no business of its own.
  if (now !== undefined && !isOpen(now.rollout)) state.done = now.rollout.id
}

async function look(parts: FollowerParts, state: State): Promise<void> {
  if (performance.now() - state.shown > LIMITS.instanceBeatMs) await show(parts, state)
  const now = await rolloutNow(parts.runner)
  if (now === undefined || now.rollout.id === state.done) return
  const { rollout, goesOn } = now
  if (rollout.phase === 'cancelled' || (isOpen(rollout) && !goesOn)) return
  state.done = rollout.id
  await follow(parts, state, rollout)
}

async function follow(parts: FollowerParts, state: State, rollout: Rollout): Promise<void> {
  const { runner, id, log } = parts
  const answer = (word: RolloutAnswer, more: { reason?: string; version?: string } = {}): Promise<void> =>
    answerRollout(runner, id, { rollout: rollout.id, answer: word, ...more })
  const refuse = async (reason: string): Promise<void> => {
    log.error({ rollout: rollout.id, reason }, 'another version can not be served here: what was served is served on')
    await answer('refused', { reason })
  }
  const candidate = await judged(parts, rollout)
  if (typeof candidate === 'string') return refuse(candidate)
  const serveAt = async (phase: Phase): Promise<boolean> => {
    if (phase !== 'serve') return false
    await candidate.serve()
    return true
  }
  const held = async (): Promise<boolean> => {
    await answer('holding')
    return serveAt((await decided(parts, state, rollout, 'hold')).phase)
  }
  const hold = async (silentMs: number): Promise<boolean> => {
    // Until every instance has looked: requests wait on all of them at the same time, and on none for another to know.
    await sleep(Math.max(0, LIMITS.rolloutLookMs - silentMs))
    return parts.alone(held)
  }
  try {
    await answer('ready')
    const next = isOpen(rollout) ? await decided(parts, state, rollout, 'prepare') : { ...rollout, silentMs: 0 }
    const isServed = await (next.phase === 'hold' ? hold(next.silentMs) : serveAt(next.phase))
    if (!isServed) return
    log.info({ version: candidate.version }, 'another version is served')
    await answer('serving', { version: candidate.version })
  } catch (error) {
    await refuse(sentenceOf(error))
  }
}

/** What the files here are, where they are what is rolled out; else the sentence that says why not. */
async function judged(parts: FollowerParts, rollout: Rollout): Promise<Candidate | string> {
  try {
    const { value, diagnostics } = await parts.read()
    if (value === undefined) return diagnostics[0]?.message ?? 'the files here can not be read'
    if (value.version === rollout.version) return value
    return 'the files here are of another version'
  } catch (error) {
    return sentenceOf(error)
  }
}

/** What a rollout came to, and how long ago. */
interface Decided {
  readonly phase: Exclude<Phase, 'prepare'>
  readonly silentMs: number
}

const GIVEN_UP: Decided = { phase: 'cancelled', silentMs: 0 }

/** Waits until the rollout leaves a phase; `cancelled` where whoever began it shows nothing any more. */
async function decided(
  { runner }: FollowerParts,
  state: State,
  { id }: Rollout,
  present: 'prepare' | 'hold',
): Promise<Decided> {
  while (!state.closed) {
    const now = await rolloutNow(runner)
    if (now?.rollout.id !== id) return GIVEN_UP
    const { phase } = now.rollout
    if (phase !== present && phase !== 'prepare') return { phase, silentMs: now.silentMs }
    if (!now.goesOn) {
      // It may be decided yet: the next look takes it up.
      state.done = undefined
      return GIVEN_UP
    }
    await sleep(present === 'hold' ? LIMITS.rolloutHeldMs : LIMITS.rolloutLookMs)
  }
  return GIVEN_UP
}
