/**
 * Makes a change of the tables ⇄: statements that can fail are prepared next to the served version; one short transaction then changes
 * the tables, whole or not at all; indexes for reads come last. A change that fails is taken back.
 */
import type { Database, Runner } from '../database/database.ts'
import { failureCode, ifThere, isConnectionLost } from '../database/failure.ts'
import { quoted as q } from '../filter/sql.ts'
import type { Logger } from '../observe.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import { atomically, nested } from './exclusive.ts'
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
import { keepMeanings } from './own/meanings.ts'
import { type Entry, writeDown } from './own/migrations.ts'
import { type Cause, createHistory } from './own/step-history.ts'
import type { MigrationPlan } from './plan.ts'
import { type Command, isHarmless, type Step, statementsOf } from './step.ts'
import { type CatalogAge, catalogHash, type Present, type Table } from './table.ts'

/** A change that failed is taken back at the next start where the locks for it are not to be had this soon. */
const GIVING_UP_MS = 5_000

/** A step that failed, with what the database said. */
export class StepFailed extends Error {
  readonly step: Step
  constructor(step: Step, reason: string, cause: unknown) {
    super(`The step "${step.title}" failed: ${reason}`, { cause })
    this.step = step
  }
}

/** Mistakes that show when the tables are there; the change is taken back for them. */
export class Unservable extends Error {
  readonly diagnostics: readonly Diagnostic[]
  constructor(diagnostics: readonly Diagnostic[]) {
    super('the catalog cannot be served')
    this.diagnostics = diagnostics
  }
}

/** The time in which requests wait. */
export interface Pause {
  /** Called before the served tables are altered, perhaps more than once; resolves when nothing is served. */
  begin(): Promise<void>
  /** Called when the tables fit the catalog: it may be served from now on, and the rest only makes it faster. */
  end(): Promise<void>
  /** Called between tries when a lock was not to be had: waiting requests go to the version before until `begin()`. */
  giveBack(): Promise<void>
}

/** The statements of a rehearsal: SQL that authors wrote; those over tables of others too; or all there are. */
export type Tried = 'written' | 'foreign' | 'all'

/** Mistakes that the database finds in statements of the catalog, once these tables are there. */
export type Rehearsal = (runner: Runner, fresh: readonly Table[], tried: Tried) => Promise<readonly Diagnostic[]>

/** The steps to take, with all that is written down together with them. */
export interface Change {
  /** Its hash is that of the plan which people saw. */
  readonly plan: MigrationPlan
  readonly wanted: readonly Table[]
  readonly present: Present
  readonly age: CatalogAge
  readonly entry: Entry
  /** Wanted steps are left out, so all statements of the catalog are rehearsed on the tables as they stay. */
  readonly isPartial: boolean
}

export interface ApplyOptions {
  readonly kind: Database['kind']
  readonly log: Logger
  readonly cause: Cause
  readonly pause: Pause
  /** The time in all to wait for locks of others; a minute if absent. */
  readonly patienceMs?: number | undefined
  readonly rehearse?: Rehearsal | undefined
  /** Runs in the transaction, once the tables are there; its diagnostics end the change. */
  readonly complete?: ((runner: Runner) => Promise<readonly Diagnostic[]>) | undefined
}

/**
 * Takes the steps under the lock of the caller. Throws StepFailed, Locked or Amiss where the change cannot be made; then
 * nothing has changed for those who are served.
 */
export async function apply(change: Change, runner: Runner, options: ApplyOptions): Promise<void> {
  const { kind, log, cause, patienceMs = PATIENCE_MS } = options
  const history = createHistory(runner, change.plan.hash, cause)
  const taking = { runner, limited: kind === 'postgresql', log, history, patience: { left: patienceMs } }
  const { now, later } = phases(change.plan.steps)
  try {
    await prepare(now, catalogHash(change.wanted), taking)
    await flip(now, change, taking, options)
  } catch (error) {
    await limitLocks(taking, 0).catch(() => undefined)
    return giveUp(error, now, taking, kind)
  }
  await limitLocks(taking, 0)
  await options.pause.end()
  for (const step of now) await finish(step, afterOf(step), taking)
  for (const step of later) await finish(step, statementsOf(step), taking)
}

/** The statements of a step that run before the transaction, and those that undo them. */
function aheadOf({ work }: Step): { readonly ahead: readonly Command[]; readonly undo: readonly Command[] } {
  if (work.kind === 'prepared') return work
  return work.kind === 'faster' && work.undo !== undefined
    ? { ahead: work.sql, undo: work.undo }
    : { ahead: [], undo: [] }
}

function afterOf({ work }: Step): readonly Command[] {
  return (work.kind === 'prepared' || work.kind === 'harmful' ? work.after : undefined) ?? []
}

/** The steps that are done before the catalog is served, and those that come later. */
function phases(steps: readonly Step[]): { readonly now: readonly Step[]; readonly later: readonly Step[] } {
  // Where requests wait anyway, indexes for reads are there from the first request on.
  const waits = steps.some((step) => !isHarmless(step))
  const isLater = (step: Step) => step.work.kind === 'faster' && !(waits && aheadOf(step).ahead.length > 0)
  return { now: steps.filter((step) => !isLater(step)), later: steps.filter(isLater) }
}

/** Names the step in which something failed. */
async function within<T>(step: Step, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isInTheWay(error) || error instanceof Locked) throw error
    throw new StepFailed(step, reasonOf(error), error)
  }
}

/** Runs the statements ahead of the transaction, while the version before is served. */
async function prepare(all: readonly Step[], catalog: string, taking: Taking): Promise<void> {
  const steps = all.filter((step) => aheadOf(step).ahead.length > 0)
  const undo = steps.flatMap((step) => aheadOf(step).undo).reverse()
  const before = (await pendingChange(taking.runner))?.undo ?? []
  if (undo.length > 0) await keepPending(taking.runner, { catalog, undo: [...undo, ...before] })
  for (const step of steps) {
    await taking.history.began(step)
    await within(step, async () => {
      for (const command of aheadOf(step).ahead) await takeOnline(command, step, taking)
    })
    if (isHarmless(step)) await taking.history.ended(step)
  }
}

/** The statements of a command inside the transaction, where nobody else works at the same time. */
function inTransaction(command: Command): readonly string[] {
  if (typeof command === 'string') return [command.replace(/^((?:create(?: unique)?|drop) index) concurrently /, '$1 ')]
  return 'together' in command ? command.together : [allAtOnce(command.batches)]
}

/** A step with its statements for the transaction. */
type Part = readonly [step: Step, texts: readonly string[]]

/** Runs the transaction, again and again while others hold locks; requests are let through in between. */
async function flip(steps: readonly Step[], change: Change, taking: Taking, options: ApplyOptions): Promise<void> {
  const { pause } = options
  const parts = steps.map((step): Part => {
    const done = aheadOf(step).ahead.length
    return [step, statementsOf(step).slice(done).flatMap(inTransaction)]
  })
  const harmful = steps.filter((step) => !isHarmless(step))
  const tables = [...new Set(harmful.flatMap(({ locks = [] }) => locks))].sort()
  for (const [step, texts] of parts) if (texts.length > 0) await taking.history.began(step)
  for (let attempt = 1; ; attempt += 1) {
    let begun = false
    try {
      while (!(await isFree(taking, tables))) await rest(taking, attempt, CHANGED_NOTHING, tables)
      if (harmful.length > 0) {
        begun = true
        await pause.begin()
      }
      return await atomically(taking.runner, () => alter(parts, tables, change, taking, options))
    } catch (error) {
      if (!isInTheWay(error)) throw error
      if (begun) await pause.giveBack()
      await rest(taking, attempt, CHANGED_NOTHING, tables)
    }
  }
}

/** Whether no other session has held the tables for long, so that a lock is likely. */
async function isFree(taking: Taking, tables: readonly string[]): Promise<boolean> {
  return tables.length === 0 || !taking.limited || (await holdersOf(taking.runner, tables)).length === 0
}

/** The transaction: the tables are locked and changed, the catalog is tried on them, and all of it is written down. */
async function alter(
  parts: readonly Part[],
  tables: readonly string[],
  { plan, wanted, present, age, entry, isPartial }: Change,
  { history, limited, runner }: Taking,
  { complete, rehearse }: ApplyOptions,
): Promise<void> {
  const run = (text: string) => runner.run({ text }, [])
  if (limited) await run(`set local lock_timeout = ${LOCK_MS}`)
  if (limited && tables.length > 0) await run(`lock table ${tables.map(q).join(', ')} in access exclusive mode`)
  for (const [step, texts] of parts) {
    await within(step, async () => {
      for (const text of texts) await run(text)
    })
    if (afterOf(step).length === 0) await history.ended(step)
  }
  // The application waits for locks as long as everybody.
  if (limited) await run('set local lock_timeout = 0')
  if (isPartial) refuse(await rehearse?.(nested(runner), [], 'all'))
  refuse(await complete?.(nested(runner)))
  await keepMeanings(runner, wanted, present, age)
  await writeDown(plan, entry, runner)
}

/** What follows a change of the tables, in a transaction of its own. Throws Unservable where it finds mistakes. */
export function completeAlone(runner: Runner, complete: ApplyOptions['complete']): Promise<void> {
  return atomically(runner, async () => refuse(await complete?.(nested(runner))))
}

function refuse(found: readonly Diagnostic[] = []): void {
  if (found.length > 0) throw new Unservable(found)
}

/** Runs the rest of a step when the catalog is served; a statement that fails now is left to the next start. */
async function finish(step: Step, commands: readonly Command[], taking: Taking): Promise<void> {
  const { history, log } = taking
  if (commands.length === 0) return
  await history.began(step)
  try {
    for (const command of commands) await takeOnline(command, step, taking)
  } catch (error) {
    const reason = reasonOf(error)
    await history.failed(step, reason)
    // Without an answer of the database the state of the tables is unknown.
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

/** Records the reason, undoes the prepared statements, and throws the failure again. */
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

/** Undoes the prepared statements of a change that did not end; a failure leaves the rest to the next start. */
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
