/** Brings every running instance to one version of the files, or none of them ⇄. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Runner } from '../database/database.ts'
import { LIMITS } from '../limits.ts'
import type { Pause } from '../migration/apply.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { claimRollout, type Instance, instances, type Rollout, tellRollout } from './state.ts'

export interface RolloutOptions<T> {
  readonly runner: Runner
  /** That of the files which every instance must have. */
  readonly version: string
  /**
   * Brings the database to the version; nothing has changed there where it gives diagnostics. It begins the pause before it
   * alters what is served, and may end it before it is done.
   */
  readonly settle: (pause: Pause) => Promise<Collected<T>>
}

export interface RolledOut<T> {
  readonly settled: T
  /** The names of the instances that serve the version. */
  readonly serving: readonly string[]
}

function rolloutRefused(message: string, hint?: string): Diagnostic {
  return { code: 'rollout_refused', message, ...(hint === undefined ? {} : { hint }) }
}

/**
 * Asks every running instance whether it can serve the version, brings the database to it, and has all of them serve it.
 * Where one can't, or the database can't be brought there, all serve on what they have. An instance that fails after
 * that is told of beside the value.
 */
export async function rollOut<T>(options: RolloutOptions<T>): Promise<Collected<RolledOut<T>>> {
  const { runner, version, settle } = options
  const rollout: Rollout = { id: randomUUID(), version, phase: 'prepare' }
  const running = (await instances(runner, rollout.id)).filter(({ lives }) => lives)
  if (running.length === 0) {
    const { value, diagnostics } = await settle({ begin: async () => {}, end: async () => {} })
    return value === undefined ? { diagnostics } : { value: { settled: value, serving: [] }, diagnostics }
  }
  if (!(await claimRollout(runner, rollout))) {
    const hint = 'wait until it has ended, and try again'
    return { diagnostics: [rolloutRefused('Another version is being rolled out at the moment', hint)] }
  }
  const showing = keepShowing(runner, rollout)
  let decided = false
  const decide = async (): Promise<void> => {
    if (decided) return
    await showing.end()
    await tellRollout(runner, { ...rollout, phase: 'serve' })
    decided = true
  }
  try {
    const refused = await asked(runner, rollout)
    if (refused.length > 0) return { diagnostics: refused }
    let held: Promise<void> | undefined
    const { value, diagnostics } = await settle({
      begin() {
        held ??= hold(runner, rollout, showing)
        return held
      },
      // Where nobody waits, nothing is gained by serving the version before all of it is done.
      end: async () => (held === undefined ? undefined : decide()),
    })
    if (value === undefined) return { diagnostics }
    await decide()
    const { serving, failed } = await served(runner, rollout)
    return { value: { settled: value, serving }, diagnostics: [...diagnostics, ...failed] }
  } finally {
    await showing.end()
    if (!decided) await tellRollout(runner, { ...rollout, phase: 'cancelled' })
  }
}

/** Has every instance let requests wait; rejects where one does not. */
async function hold(runner: Runner, rollout: Rollout, showing: Showing): Promise<void> {
  await showing.show({ ...rollout, phase: 'hold' })
  const isHeld = (some: readonly Instance[]) => some.every(({ answer }) => answer === 'holding' || answer === 'refused')
  const all = await until(runner, rollout, isHeld, LIMITS.rolloutHeldMs)
  const busy = all.filter(({ answer, lives }) => lives && answer !== 'holding').map(({ name }) => name)
  if (busy.length > 0) throw new Error(`${busy.join(', ')} did not stop letting requests in`)
}

interface Showing {
  /** Shows this from now on. */
  show(rollout: Rollout): Promise<void>
  end(): Promise<void>
}

/** Shows again and again that the rollout goes on, as long as `settle` may take. */
function keepShowing(runner: Runner, first: Rollout): Showing {
  let rollout = first
  let written: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    // One that fails is made up for by the next.
    written = written.then(() => tellRollout(runner, rollout)).catch(() => {})
  }, LIMITS.instanceBeatMs)
  timer.unref()
  return {
    async show(next) {
      rollout = next
      await written
      await tellRollout(runner, next)
    },
    end() {
      clearInterval(timer)
      return written
    },
  }
}

/** Looks until `enough` says so of those that live, or for so long; gives how they stand then. */
async function until(
  runner: Runner,
  { id }: Rollout,
  enough: (all: readonly Instance[]) => boolean,
  lookMs: number = LIMITS.rolloutLookMs,
): Promise<readonly Instance[]> {
  const end = performance.now() + LIMITS.rolloutAnswerMs
  for (;;) {
    const all = (await instances(runner, id)).filter(({ lives, answer }) => lives || answer !== undefined)
    if (enough(all) || performance.now() > end) return all
    await sleep(lookMs)
  }
}

/** Why the version can't be served everywhere; nothing where every instance is ready. */
async function asked(runner: Runner, rollout: Rollout): Promise<readonly Diagnostic[]> {
  const all = await until(
    runner,
    rollout,
    (some) => some.every(({ answer }) => answer !== undefined) || some.some(({ answer }) => answer === 'refused'),
  )
  const hint = 'every instance serves on what it has, and nothing has changed in the database'
  return all.flatMap(({ name, answer, reason }) => {
    if (answer === 'refused') return [rolloutRefused(`${name} can not serve this version: ${reason}`, hint)]
    if (answer === undefined && !all.some((one) => one.answer === 'refused'))
      return [rolloutRefused(`${name} has not answered in ${LIMITS.rolloutAnswerMs / 1_000} s`, hint)]
    return []
  })
}

async function served(
  runner: Runner,
  rollout: Rollout,
): Promise<{ readonly serving: readonly string[]; readonly failed: readonly Diagnostic[] }> {
  const all = await until(runner, rollout, (some) =>
    some.every(({ answer }) => answer === 'serving' || answer === 'refused'),
  )
  const isServing = ({ answer, version }: Instance): boolean => answer === 'serving' || version === rollout.version
  const failed = all
    .filter((one) => !isServing(one))
    .map(({ name, reason }) =>
      rolloutRefused(`${name} serves on what it had: ${reason ?? 'it has not answered'}`, 'restart it'),
    )
  return { serving: all.filter(isServing).map(({ name }) => name), failed }
}
