/**
 * Carries out a plan ⇄: what can fail is made beside what is served; then one short transaction gives it the names, whole
 * or not at all; then what only makes it faster follows. What was made for a plan that is given up is taken back.
 */
import type { Database, Runner } from '../database/database.ts'
import { failureCode, ifThere, isConnectionLost } from '../database/failure.ts'
import { quoted as q } from '../filter/sql.ts'
import type { Logger } from '../observe.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import { atomically } from './exclusive.ts'
import {
  allAtOnce,
  CHANGED_NOTHING,
  holdersOf,
  isInTheWay,
  LOCK_MS,
  Locked,
  limitLocks,
  PATIENCE_MS,
  reasonOf,
  rest,
  type Taking,
  takeOnline,
} from './online.ts'
import { forgetPending, keepPending, pendingChange } from './own/facts.ts'
import { type Entry, writeDown } from './own/migrations.ts'
import { type Cause, createHistory } from './own/step-history.ts'
import type { MigrationPlan } from './plan.ts'
import { type Command, harmlessCount, type Step } from './step.ts'

/** What is given up is taken back at the next start where a lock is not to be had this soon. */
const GIVING_UP_MS = 5_000

/** A step that failed, with what the database said. */
export class StepFailed extends Error {
  readonly step: Step
  constructor(step: Step, reason: string, cause: unknown) {
    super(`The step "${step.title}" failed: ${reason}`, { cause })
    this.step = step
  }
}

/** What stands against the catalog when its tables are there; everything is taken back for it. */
export class Amiss extends Error {
  readonly diagnostics: readonly Diagnostic[]
  constructor(diagnostics: readonly Diagnostic[]) {
    super('the catalog cannot be served')
    this.diagnostics = diagnostics
  }
}

/** Runs a part of a step; what fails says which step it was. */
async function within<T>(step: Step, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isInTheWay(error) || error instanceof Locked) throw error
    throw new StepFailed(step, reasonOf(error), error)
  }
}

function isHarmless(step: Step): boolean {
  return harmlessCount(step) === step.sql.length
}

/** Whether a step has something that is made while a version is served. */
function isAhead(step: Step): boolean {
  return step.ahead === true && harmlessCount(step) > 0
}

/** Whether a step can wait until the catalog is served. */
function isBehind(step: Step): boolean {
  return step.behind === true && isHarmless(step)
}

/** For how long nothing is served. */
export interface Pause {
  /** Called before what is served is altered, perhaps more than once; resolves when nothing is served. */
  begin(): Promise<void>
  /** Called when the tables fit the catalog: it may be served from now on, and what is left only makes it faster. */
  end(): Promise<void>
  /**
   * Called between tries when a lock could not be had: requests that wait are let through to the version before until
   * begin() is called again.
   */
  giveBack(): Promise<void>
}

export interface ApplyOptions {
  readonly kind: Database['kind']
  readonly log: Logger
  readonly cause: Cause
  readonly pause: Pause
  /** For so long in all it waits for the locks of others; a minute if absent. */
  readonly patienceMs?: number | undefined
  /** Of the wanted catalog, by which a change that was begun is known again. */
  readonly mark: string
  /** What is done in the transaction of the change when the tables are there; what it gives stands against the catalog. */
  readonly complete: () => Promise<readonly Diagnostic[]>
}

/** The statements of a step inside the one transaction: others neither see them nor work beside them. */
function inTransaction(command: Command): readonly string[] {
  if (typeof command === 'string') return [command.replace(/^((?:create(?: unique)?|drop) index) concurrently /, '$1 ')]
  return 'together' in command ? command.together : [allAtOnce(command.batches)]
}

/** What is left of the steps for the transaction, in their order. */
function leftOf(steps: readonly Step[]): readonly (readonly [Step, readonly string[]])[] {
  return steps.map((step) => {
    const done = isAhead(step) ? harmlessCount(step) : 0
    return [step, step.sql.slice(done).flatMap(inTransaction)] as const
  })
}

/** Whether nobody has held the tables for long, so that a lock can be hoped for. */
async function isFree(taking: Taking, tables: readonly string[]): Promise<boolean> {
  return tables.length === 0 || !taking.limited || (await holdersOf(taking.runner, tables)).length === 0
}

/** All that a version cannot be served beside, in one transaction, with what is written down about it. */
async function flip(steps: readonly Step[], taking: Taking, pause: Pause, last: () => Promise<void>): Promise<void> {
  const { history, limited, runner } = taking
  const left = leftOf(steps)
  const harmful = steps.filter((step) => !isHarmless(step))
  const tables = [...new Set(harmful.flatMap(({ locks = [] }) => locks))].sort()
  for (const [step, texts] of left) if (texts.length > 0) await history.began(step)
  const whole = () =>
    atomically(runner, async () => {
      if (limited) await runner.run({ text: `set local lock_timeout = ${LOCK_MS}` }, [])
      if (limited && tables.length > 0)
        await runner.run({ text: `lock table ${tables.map(q).join(', ')} in access exclusive mode` }, [])
      for (const [step, texts] of left) {
        await within(step, async () => {
          for (const text of texts) await runner.run({ text }, [])
        })
        if (step.after === undefined) await history.ended(step)
      }
      // What comes in between waits for locks as long as everybody.
      if (limited) await runner.run({ text: 'set local lock_timeout = 0' }, [])
      await last()
    })
  for (let attempt = 1; ; attempt += 1) {
    let begun = false
    try {
      while (!(await isFree(taking, tables))) await rest(taking, attempt, CHANGED_NOTHING, tables)
      if (harmful.length > 0) {
        begun = true
        await pause.begin()
      }
      return await whole()
    } catch (error) {
      if (!isInTheWay(error)) throw error
      if (begun) await pause.giveBack()
      await rest(taking, attempt, CHANGED_NOTHING, tables)
    }
  }
}

/** Makes what steps need, while the version before is served. */
async function prepare(steps: readonly Step[], catalog: string, taking: Taking): Promise<void> {
  const undo = steps.flatMap((step) => step.undo ?? []).reverse()
  const before = (await pendingChange(taking.runner))?.undo ?? []
  if (undo.length > 0) await keepPending(taking.runner, { catalog, undo: [...undo, ...before] })
  for (const step of steps) {
    await taking.history.began(step)
    await within(step, async () => {
      for (const command of step.sql.slice(0, harmlessCount(step))) await takeOnline(command, step, taking)
    })
    if (isHarmless(step)) await taking.history.ended(step)
  }
}

/** Takes back what a change left that was begun; what cannot be taken back now is at the next start. */
export async function takeBack(
  runner: Runner,
  kind: Database['kind'],
  log: Logger,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const pending = await pendingChange(runner)
  if (pending === undefined) return
  const history = createHistory(runner, '', 'start')
  const taking: Taking = { runner, limited: kind === 'postgresql', log, history, patience: { left: patienceMs } }
  const title = 'take back what was begun'
  // A part of it may have been taken back before.
  for (const command of pending.undo) await ifThere(takeOnline(command, { title }, taking))
  await limitLocks(taking, 0)
  await forgetPending(runner)
}

/** Writes why, and takes back what was made; the failure is told on. */
async function giveUp(error: unknown, steps: readonly Step[], taking: Taking, kind: Database['kind']): Promise<never> {
  const failed = error instanceof StepFailed ? error.step : undefined
  const reason = error instanceof Error ? error.message : String(error)
  for (const step of steps)
    await taking.history.failed(
      step,
      failed === step || failed === undefined ? reasonOf(error) : `taken back: ${reason}`,
    )
  await takeBack(taking.runner, kind, taking.log, GIVING_UP_MS).catch((cause: unknown) =>
    taking.log.warn({ err: cause }, 'what was made for a change is taken back at the next start'),
  )
  throw error
}

/**
 * Takes the steps under the lock that the caller holds: what is served is altered as a whole or not at all. Throws
 * StepFailed, Locked or Amiss where it is not; then nothing has changed for those who are served.
 */
export async function apply(
  plan: MigrationPlan,
  entry: Entry,
  runner: Runner,
  { kind, log, cause, pause, patienceMs = PATIENCE_MS, mark, complete }: ApplyOptions,
): Promise<void> {
  const history = createHistory(runner, plan.hash, cause)
  const taking = { runner, limited: kind === 'postgresql', log, history, patience: { left: patienceMs } }
  // What only speeds is there from the first request on where one is made to wait anyway.
  const waits = plan.steps.some((step) => !isHarmless(step))
  const later = plan.steps.filter((step) => isBehind(step) && !(waits && isAhead(step)))
  const now = plan.steps.filter((step) => !later.includes(step))
  try {
    await prepare(now.filter(isAhead), mark, taking)
    await flip(now, taking, pause, async () => {
      const amiss = await complete()
      if (amiss.length > 0) throw new Amiss(amiss)
      await writeDown(plan, entry, runner)
    })
  } catch (error) {
    await limitLocks(taking, 0).catch(() => undefined)
    return giveUp(error, now, taking, kind)
  }
  await limitLocks(taking, 0)
  await pause.end()
  for (const step of now) await finish(step, step.after ?? [], taking)
  for (const step of later) await finish(step, [...step.sql, ...(step.after ?? [])], taking)
}

/** What is left of a step when the catalog is served; what cannot be had now is left to the next start. */
async function finish(step: Step, commands: readonly Command[], taking: Taking): Promise<void> {
  const { history, log } = taking
  if (commands.length === 0) return
  await history.began(step)
  try {
    for (const command of commands) await takeOnline(command, step, taking)
  } catch (error) {
    const reason = reasonOf(error)
    await history.failed(step, reason)
    // Without an answer of the database nothing is known of what is served.
    if (!(error instanceof Locked) && (failureCode(error) === undefined || isConnectionLost(error)))
      throw new StepFailed(step, reason, error)
    const told = { step: step.title, ...(error instanceof Locked ? {} : { err: error }) }
    log.warn(
      told,
      `what only makes the new version faster could not be done, and the next start tries again: ${reason}`,
    )
    return
  }
  await history.ended(step)
}
