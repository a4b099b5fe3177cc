/** Brings every running instance to one version of the files, or none of them ⇄. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '../limits.ts'
import type { Pause } from '../migration/apply.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import {
  claimRollout,
  type Instance,
  instances,
  isDriven,
  isOpen,
  type Phase,
  type Registry,
  type Rollout,
  type RolloutAnswer,
  rolloutNow,
  tellRollout,
} from './state.ts'

export interface RolloutOptions<T> extends Registry {
  /** The version of the files that every instance must have. */
  readonly version: string
  /**
   * Brings the database to the version; with diagnostics, nothing has changed there. It begins the pause before it alters
   * served tables, and may end it before it is done.
   */
  readonly settle: (pause: Pause) => Promise<Collected<T>>
}

export interface RolledOut<T> {
  readonly settled: T
  /** The names of the instances that serve the version. */
  readonly serving: readonly string[]
}

const NO_PAUSE: Pause = { begin: async () => {}, end: async () => {}, giveBack: async () => {} }

function rolloutRefused(message: string, hint?: string): Diagnostic {
  return { code: 'rollout_refused', message, ...(hint === undefined ? {} : { hint }) }
}

/**
 * Asks every running instance whether it can serve the version, brings the database to it, and makes all of them serve
 * it. Where an instance or the database refuses, all go on with what they have. A failure of an instance after that is a
 * diagnostic next to the value. Where this process ends on the way, or an error leaves the state of the database open,
 * the instances decide.
 */
export async function rollOut<T>(options: RolloutOptions<T>): Promise<Collected<RolledOut<T>>> {
  const { version, settle, presence } = options
  const rollout: Rollout = { id: randomUUID(), version, phase: 'prepare' }
  if ((await instances(options, rollout.id)).length === 0) {
    const settled = await settle(NO_PAUSE)
    const { value, diagnostics } = settled
    if (value === undefined) return { diagnostics }
    // A start that read its files before this appears later, and finds the decided version here.
    await claimRollout(options, { ...rollout, phase: 'serve' }, '')
    const late = (await instances(options, rollout.id)).filter((one) => one.version !== version)
    // An instance that began meanwhile may have read its files before.
    if (late.length > 0) return rollOut({ ...options, settle: async () => settled })
    return { value: { settled: value, serving: [] }, diagnostics }
  }
  const give = await presence.take(rollout.id)
  try {
    if (await claimed(options, rollout)) return await driven(options, rollout)
    const hint = 'wait until it has ended, and try again'
    return { diagnostics: [rolloutRefused('Another version is being rolled out at the moment', hint)] }
  } finally {
    await give?.()
  }
}

/** Begins a rollout, after another one that is under way; false where that one does not end. */
async function claimed(registry: Registry, rollout: Rollout): Promise<boolean> {
  const end = performance.now() + LIMITS.rolloutAnswerMs
  let abandoned = ''
  while (!(await claimRollout(registry, rollout, abandoned))) {
    if (performance.now() > end) return false
    await sleep(LIMITS.rolloutLookMs)
    const now = await rolloutNow(registry)
    if (now === undefined || !isOpen(now.rollout) || (await isDriven(registry, now.rollout))) continue
    // Its instances decide; without any, it stays open.
    const all = await instances(registry, now.rollout.id)
    if (!all.some(({ answer }) => answer === 'ready' || answer === 'holding')) abandoned = now.rollout.id
  }
  return true
}

/** Drives a rollout that was begun to its end. */
async function driven<T>(options: RolloutOptions<T>, rollout: Rollout): Promise<Collected<RolledOut<T>>> {
  const cancel = async (diagnostics: readonly Diagnostic[]) => {
    await tellRollout(options, { ...rollout, phase: 'cancelled' })
    return { diagnostics }
  }
  const refused = await asked(options, rollout)
  if (refused.length > 0) return cancel(refused)
  await show(options, rollout, 'settle')
  const { pause, decide } = pauseOf(options, rollout)
  const { value, diagnostics } = await options.settle(pause)
  if (value === undefined) return cancel(diagnostics)
  await decide()
  const { serving, failed } = await served(options, rollout)
  return { value: { settled: value, serving }, diagnostics: [...diagnostics, ...failed] }
}

/** The pause in which no instance serves, and the decision that all of them serve the version. */
function pauseOf(registry: Registry, rollout: Rollout): { readonly pause: Pause; decide(): Promise<void> } {
  let held: Promise<void> | undefined
  let decided: Promise<void> | undefined
  const decide = (): Promise<void> => {
    decided ??= show(registry, rollout, 'serve')
    return decided
  }
  return {
    decide,
    pause: {
      begin() {
        held ??= hold(registry, rollout)
        return held
      },
      async giveBack() {
        if (held === undefined || decided !== undefined) return
        held = undefined
        await show(registry, rollout, 'settle')
        await until(registry, rollout, (some) => !some.some(({ answer }) => answer === 'holding'), LIMITS.rolloutHeldMs)
      },
      // Without waiting requests, the version is served when all of the migration is done.
      end: async () => (held === undefined ? undefined : decide()),
    },
  }
}

/** Writes the phase of the rollout; rejects where instances have decided because they took this process for gone. */
async function show(registry: Registry, rollout: Rollout, phase: Phase): Promise<void> {
  if (await tellRollout(registry, { ...rollout, phase })) return
  const now = await rolloutNow(registry)
  if (now?.rollout.id === rollout.id && now.rollout.phase === phase) return
  throw new Error(
    'The connection that shows that this rollout goes on was lost, and the instances went on without it: try again',
  )
}

/** Has every instance let requests wait; rejects where one does not. */
async function hold(registry: Registry, rollout: Rollout): Promise<void> {
  await show(registry, rollout, 'hold')
  const isHeld = (some: readonly Instance[]) => some.every(({ answer }) => answer === 'holding' || answer === 'refused')
  const all = await until(registry, rollout, isHeld, LIMITS.rolloutHeldMs)
  const busy = all.filter(({ answer }) => answer !== 'holding').map(({ name }) => name)
  if (busy.length > 0) throw new Error(`${busy.join(', ')} did not stop letting requests in`)
}

/** Polls the living instances until `enough` of them is true, or for so long; returns their last state. */
async function until(
  registry: Registry,
  { id }: Rollout,
  enough: (all: readonly Instance[]) => boolean,
  lookMs: number = LIMITS.rolloutLookMs,
): Promise<readonly Instance[]> {
  const end = performance.now() + LIMITS.rolloutAnswerMs
  for (;;) {
    const all = await instances(registry, id)
    if (enough(all) || performance.now() > end) return all
    await sleep(lookMs)
  }
}

/** Why the version cannot be served everywhere; nothing where every instance is ready. */
async function asked(registry: Registry, rollout: Rollout): Promise<readonly Diagnostic[]> {
  const all = await until(
    registry,
    rollout,
    (some) => some.every(({ answer }) => answer !== undefined) || some.some(({ answer }) => answer === 'refused'),
  )
  const hint = 'every instance serves on what it has, and nothing has changed in the database'
  return all.flatMap(({ name, answer, reason }) => {
    if (answer === 'refused') return [rolloutRefused(`${name} cannot serve this version: ${reason}`, hint)]
    if (answer === undefined && !all.some((one) => one.answer === 'refused'))
      return [rolloutRefused(`${name} has not answered in ${LIMITS.rolloutAnswerMs / 1_000} s`, hint)]
    return []
  })
}

const ENDED: ReadonlySet<RolloutAnswer> = new Set(['serving', 'refused'])

async function served(
  registry: Registry,
  rollout: Rollout,
): Promise<{ readonly serving: readonly string[]; readonly failed: readonly Diagnostic[] }> {
  const isServing = ({ answer, version }: Instance): boolean => answer === 'serving' || version === rollout.version
  // One that began with the version in the meantime is asked nothing.
  const hasEnded = (one: Instance): boolean => (one.answer === undefined ? isServing(one) : ENDED.has(one.answer))
  const all = await until(registry, rollout, (some) => some.every(hasEnded))
  const failed = all
    .filter((one) => !isServing(one))
    .map(({ name, reason }) =>
      rolloutRefused(`${name} serves on what it had: ${reason ?? 'it has not answered'}`, 'restart it'),
    )
  return { serving: all.filter(isServing).map(({ name }) => name), failed }
}
