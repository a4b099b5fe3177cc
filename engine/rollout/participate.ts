/** What an instance does from the beginning of one rollout to its end, and for the one who drives it, where that one is gone. ⇄ */
import { setTimeout as sleep } from 'node:timers/promises'
import { sentenceOf } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import {
  answerRollout,
  isDriven,
  type Phase,
  type Registry,
  type Rollout,
  type RolloutAnswer,
  rolloutNow,
  tellRollout,
} from './state.ts'

/** An application that was read and can be served. */
export interface Candidate {
  readonly version: string
  /** Serves it from now on; rejects where it cannot be, and the one before is served on. */
  serve(): Promise<void>
  /** Whether the database is as it wants it; changes nothing. */
  fits(): Promise<boolean>
  /**
   * Whether the database has come to it, when what others do there has ended: what is missing is done then. False where
   * what is served fits the database, which is left as it is.
   */
  finish(): Promise<boolean>
}

export interface Participant extends Registry {
  readonly log: Logger
  readonly id: string
  /** Runs `work` while no request is served; those that come wait. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** The files here where they are those of the rollout, else why they cannot be served. */
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
export async function participate(
  parts: Participant,
  state: Participation,
  rollout: Rollout,
): Promise<'ended' | 'open'> {
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
 * Waits until the rollout is in none of these phases. Where nobody drives it any more, one of its instances decides. What
 * cannot be read says nothing: whoever goes on then might serve tables that are not its own.
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
    // Where the tables do not fit what is served, the instances see that by themselves.
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
