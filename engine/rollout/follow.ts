/**
 * One instance in rollouts ⇄: it reads its files, answers whether it can serve them, waits while tables change, and
 * serves them together with all others.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sentenceOf } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import type { Collected } from '../text/diagnostic.ts'
import {
  answerRollout,
  isDriven,
  isOpen,
  leaveInstance,
  type Phase,
  type Registry,
  type Rollout,
  type RolloutAnswer,
  rolloutNow,
  showInstance,
  tellRollout,
} from './state.ts'

export interface FollowerParts extends Omit<Participant, 'judged'> {
  /** For people: the machine and the process. */
  readonly name: string
  /** The served version. */
  version(): string
  /** Reads the files as they are now; those of a `version` that this process has just read need not be read again. */
  read(version?: string): Promise<Collected<Candidate>>
  /** A text that changes whenever the tables may have been changed. */
  changed(): Promise<string>
  /** Whether the database fits the served app; changes nothing. */
  fits(): Promise<boolean>
}

export interface Follower {
  /** Resolves when the work under way has ended and the instance is off the list. */
  close(): Promise<void>
}

interface State extends Participation {
  timer: NodeJS.Timeout | undefined
  looking: Promise<void>
  /** The rollout that was seen to its end. */
  done: string | undefined
  /**
   * The last look at the tables: their state, the time (monotonic, in milliseconds), and whether they fit the served
   * app.
   */
  tables: string | undefined
  judgedAt: number
  fits: boolean
  shown: Promise<void>
  /** Frees the key that shows that the instance lives; absent until it is on the list. */
  leave: (() => Promise<void>) | undefined
}

/** Follows until it is closed: looks every LIMITS.rolloutPollMs, and renews its row even while it waits. */
export function followRollouts(parts: FollowerParts): Follower {
  const state: State = {
    ...{ closed: false, timer: undefined, looking: Promise.resolve(), done: undefined },
    ...{ tables: undefined, judgedAt: 0, fits: true, shown: Promise.resolve(), leave: undefined },
  }
  const again = (): void => {
    clearTimeout(state.timer)
    if (state.closed) return
    state.timer = setTimeout(() => {
      state.looking = state.looking.then(() => attempt(parts, state, look)).then(again)
    }, LIMITS.rolloutPollMs)
    state.timer.unref()
  }
  const beat = setInterval(() => {
    // One that fails is made up for by the next.
    state.shown = state.shown.then(() => show(parts)).catch(() => {})
  }, LIMITS.instanceBeatMs).unref()
  state.looking = attempt(parts, state, enter).then(again)
  return {
    async close() {
      state.closed = true
      clearTimeout(state.timer)
      clearInterval(beat)
      await Promise.all([state.looking, state.shown])
      await attempt(parts, state, () => leaveInstance(parts, parts.id))
      await state.leave?.()
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

async function show(parts: FollowerParts): Promise<void> {
  await showInstance(parts, { id: parts.id, name: parts.name, version: parts.version() })
}

async function enter(parts: FollowerParts, state: State): Promise<void> {
  state.leave ??= await parts.presence.take(parts.id)
  await show(parts)
  const now = await rolloutNow(parts)
  // A rollout that ended before this process began does not concern it.
  if (now !== undefined && !isOpen(now.rollout) && now.agedMs > performance.now()) state.done = now.rollout.id
}

async function look(parts: FollowerParts, state: State): Promise<void> {
  if (state.leave === undefined) await enter(parts, state)
  const now = await rolloutNow(parts)
  if (now !== undefined && concerns(parts, state, now.rollout)) {
    state.done = now.rollout.id
    if ((await participate(participant(parts), state, now.rollout)) === 'open') state.done = undefined
  }
  if (now === undefined || !isOpen(now.rollout)) await keepUp(parts, state)
}

function concerns({ version }: FollowerParts, { done }: State, rollout: Rollout): boolean {
  if (rollout.id === done || rollout.phase === 'cancelled') return false
  return isOpen(rollout) || rollout.version !== version()
}

function participant(parts: FollowerParts): Participant {
  return { ...parts, judged: (rollout) => judged(parts, rollout) }
}

/** The files of this instance as a candidate; a sentence instead where they are not the version of the rollout. */
async function judged(parts: FollowerParts, rollout: Rollout): Promise<Candidate | string> {
  try {
    const { value, diagnostics } = await parts.read(rollout.version)
    if (value === undefined) return diagnostics[0]?.message ?? 'the files here cannot be read'
    if (value.version !== rollout.version) return 'the files here are of another version'
    // One that has ended may be followed by a start that changed the tables.
    if (!isOpen(rollout) && !(await value.fits())) return 'the tables are those of another version by now'
    return value
  } catch (error) {
    return sentenceOf(error)
  }
}

/**
 * Checks, when the tables may have changed without this instance, whether they fit the served app; if not, serves the
 * present files where those fit.
 */
async function keepUp(parts: FollowerParts, state: State): Promise<void> {
  const tables = await parts.changed()
  const now = performance.now()
  if (tables === state.tables && (state.fits || now - state.judgedAt < LIMITS.rolloutAnswerMs)) return
  Object.assign(state, { tables, judgedAt: now, fits: await parts.fits() })
  if (state.fits) return
  const { value } = await parts.read()
  if (value === undefined || !(await value.fits())) {
    parts.log.error({}, 'the tables are those of another version, and the files as they are now do not fit them either')
    return
  }
  await parts.alone(() => value.serve())
  parts.log.warn({ version: value.version }, 'the tables are those of another version, which is served from now on')
  state.fits = true
  await show(parts)
}

/** An application that was read and can be served. */
export interface Candidate {
  readonly version: string
  /** Serves it from now on; rejects where it cannot be, and the one before is served on. */
  serve(): Promise<void>
  /** Whether the database is as it wants it; changes nothing. */
  fits(): Promise<boolean>
  /**
   * Finishes the change of the database, once the work of others there has ended. False where the database still fits the
   * served app and is left as it is.
   */
  finish(): Promise<boolean>
}

export interface Participant extends Registry {
  readonly log: Logger
  readonly id: string
  /** Runs `work` while no request is served; new requests wait. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** The files of this instance where they are the version of the rollout; otherwise the reason. */
  judged(rollout: Rollout): Promise<Candidate | string>
}

export interface Participation {
  /** Set when the instance stops. */
  closed: boolean
}

/** A rollout as it is, and how long ago it came to its phase. */
interface Reached {
  readonly phase: Phase
  readonly agedMs: number
}

const GIVEN_UP: Reached = { phase: 'cancelled', agedMs: 0 }
const BEFORE: ReadonlySet<Phase> = new Set(['prepare', 'settle'])
const HELD: ReadonlySet<Phase> = new Set(['hold'])

/** Takes part in a rollout until it has ended; `open` where the instance stopped before. */
async function participate(parts: Participant, state: Participation, rollout: Rollout): Promise<'ended' | 'open'> {
  const { id, log } = parts
  const answer = (word: RolloutAnswer, more: { reason?: string; version?: string } = {}): Promise<void> =>
    answerRollout(parts, id, { rollout: rollout.id, answer: word, ...more })
  const refuse = async (reason: string): Promise<void> => {
    log.error({ rollout: rollout.id, reason }, 'another version cannot be served here: what was served is served on')
    await answer('refused', { reason })
  }
  const candidate = await parts.judged(rollout)
  if (typeof candidate === 'string') {
    await refuse(candidate)
    return 'ended'
  }
  const wait = (phases: ReadonlySet<Phase>): Promise<Reached> => reached({ parts, state, rollout, candidate }, phases)
  const held = async (): Promise<Phase> => {
    await answer('holding')
    const { phase } = await wait(HELD)
    if (phase === 'serve') await candidate.serve()
    return phase
  }
  try {
    for (;;) {
      await answer('ready')
      const next = await wait(BEFORE)
      let { phase } = next
      if (phase === 'hold') {
        // Until every instance has looked: requests wait on all of them at the same time, and on none for another to know.
        await sleep(Math.max(0, LIMITS.rolloutLookMs - next.agedMs))
        phase = await parts.alone(held)
      } else if (phase === 'serve') await candidate.serve()
      if (BEFORE.has(phase)) continue
      if (phase !== 'serve') return state.closed ? 'open' : 'ended'
      log.info({ version: candidate.version }, 'another version is served')
      await answer('serving', { version: candidate.version })
      return 'ended'
    }
  } catch (error) {
    await refuse(sentenceOf(error))
    return 'ended'
  }
}

interface Waiting {
  readonly parts: Participant
  readonly state: Participation
  readonly rollout: Rollout
  readonly candidate: Candidate
}

/**
 * Waits until the rollout is in none of these phases. Where its driver is gone, one of its instances decides. A failed
 * read ends nothing: an instance that went on then might serve tables of another version.
 */
async function reached(waiting: Waiting, phases: ReadonlySet<Phase>): Promise<Reached> {
  const { parts, state, rollout } = waiting
  const lookMs = phases === HELD ? LIMITS.rolloutHeldMs : LIMITS.rolloutLookMs
  let askedAt = performance.now()
  while (!state.closed) {
    try {
      const now = await rolloutNow(parts)
      if (now?.rollout.id !== rollout.id) return GIVEN_UP
      if (!phases.has(now.rollout.phase)) return { phase: now.rollout.phase, agedMs: now.agedMs }
      if (performance.now() - askedAt >= LIMITS.rolloutLookMs) {
        askedAt = performance.now()
        if (!(await isDriven(parts, rollout))) await decide(waiting)
      }
    } catch (error) {
      parts.log.warn({ err: error }, 'it could not be seen what becomes of another version')
    }
    await sleep(lookMs)
  }
  return GIVEN_UP
}

async function hasCome({ log }: Participant, candidate: Candidate): Promise<boolean> {
  try {
    return await candidate.finish()
  } catch (error) {
    // The instances see by themselves where the tables do not fit.
    log.error({ err: error }, 'what a process that is gone had begun could not be finished')
    return false
  }
}

/** Decides in the place of a process that is gone; nothing where another instance does. */
async function decide({ parts, rollout, candidate }: Waiting): Promise<void> {
  const give = await parts.presence.take(rollout.id)
  if (give === undefined) return
  try {
    const now = await rolloutNow(parts)
    if (now?.rollout.id !== rollout.id) return
    const isBegun = now.rollout.phase !== 'prepare'
    const phase = isBegun && (await hasCome(parts, candidate)) ? 'serve' : 'cancelled'
    if (!(await tellRollout(parts, { ...rollout, phase }))) return
    const said = phase === 'serve' ? 'the version is served' : 'what was served is served on'
    parts.log.warn({ rollout: rollout.id }, `the process that rolled a version out is gone: ${said}`)
  } finally {
    await give()
  }
}
