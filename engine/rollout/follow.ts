/** An instance follows what is rolled out ⇄: it reads its files, says whether it can serve them, and serves them with all others. */
import { sentenceOf } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { Collected } from '../text/diagnostic.ts'
import { type Candidate, type Participant, type Participation, participate } from './participate.ts'
import { isOpen, leaveInstance, type Rollout, rolloutNow, showInstance } from './state.ts'

export interface FollowerParts extends Omit<Participant, 'judged'> {
  /** For people: the machine and the process. */
  readonly name: string
  /** The version of what is served. */
  version(): string
  /** Reads the files as they are now. */
  read(): Promise<Collected<Candidate>>
  /** What changes whenever the tables may have been changed. */
  changed(): Promise<string>
  /** Whether the database is as what is served wants it; changes nothing. */
  fits(): Promise<boolean>
}

export interface Follower {
  /** Begins nothing more; resolves when what is under way has ended and the instance is off the list. */
  close(): Promise<void>
}

interface State extends Participation {
  timer: NodeJS.Timeout | undefined
  looking: Promise<void>
  /** The rollout that was seen to its end. */
  done: string | undefined
  /** The tables as they were looked at last, when that was, monotonic, in milliseconds, and whether they fit what is served. */
  tables: string | undefined
  judgedAt: number
  fits: boolean
  shown: Promise<void>
  /** Gives back the key by which it is known that the instance lives; absent until it is on the list. */
  leave: (() => Promise<void>) | undefined
}

/** Follows until it is closed; looks every LIMITS.rolloutPollMs, and shows itself beside that, whatever it waits for. */
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
  // What ended before this process began is no business of its own.
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

/** What the files here are, where they are what is rolled out; else the sentence that says why not. */
async function judged(parts: FollowerParts, rollout: Rollout): Promise<Candidate | string> {
  try {
    const { value, diagnostics } = await parts.read()
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
 * Looks, when the tables may have changed without this instance, whether they fit what it serves; where they don't, it
 * serves the files as they are now if these do.
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
