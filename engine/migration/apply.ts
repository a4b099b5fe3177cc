/** Carries out a plan: asks its questions, takes its steps one by one, and writes down what was done. ⇄ */

import { setTimeout } from 'node:timers/promises'
import type { Database, Runner } from '../database/database.ts'
import { failureCode } from '../database/failure.ts'
import { sentenceOf } from '../error.ts'
import type { Logger } from '../observe.ts'
import { inBatches } from './batches.ts'
import { type Cause, createHistory, type History } from './history.ts'
import type { MigrationPlan } from './plan.ts'
import type { Entry } from './standing.ts'
import { type Command, harmlessCount, type Step } from './step.ts'

/** A step waits this long for a lock, which every request to the table waits for then; it lets them through, and tries again. */
const LOCK_MS = 500
const ATTEMPTS = 40
const POLL_MS = 200
const LONGEST_PAUSE_MS = 1_000
const LONGEST_WAIT_MS = 600_000

const LOCK_KEY = `hashtext('plinth ' || current_schema())`

async function takeLock(runner: Runner): Promise<void> {
  // Polled, not waited for: a waiting statement would hold up `create index concurrently` of the one who has the lock.
  for (let waited = 0; ; waited += POLL_MS) {
    const [row] = await runner.run({ text: `select pg_try_advisory_lock(${LOCK_KEY})` }, [])
    if (row?.[0] === 't') return
    if (waited > LONGEST_WAIT_MS) throw new Error('Another instance has been migrating this database for ten minutes.')
    await setTimeout(POLL_MS)
  }
}

/**
 * Takes the one connection of an embedded database when the first statement asks for it, and keeps it until `work` ends;
 * so `work` may use either the runner or the database, never both.
 */
async function embeddedSession<T>(database: Database, work: (runner: Runner) => Promise<T>): Promise<T> {
  let held: Promise<Runner> | undefined
  let session: Promise<void> = Promise.resolve()
  let finish = () => {}
  const take = () =>
    new Promise<Runner>((resolve, reject) => {
      const finished = new Promise<void>((done) => {
        finish = done
      })
      session = database.session((runner) => {
        resolve(runner)
        return finished
      })
      session.catch(reject)
    })
  const runner: Runner = {
    run: async (statement, values) => {
      held ??= take()
      return (await held).run(statement, values)
    },
  }
  try {
    return await work(runner)
  } finally {
    finish()
    await session
  }
}

/** Runs `work` on one connection while no other instance migrates, seeds or starts on the same schema; waits for its turn. */
export function exclusively<T>(database: Database, work: (runner: Runner) => Promise<T>): Promise<T> {
  if (database.kind === 'embedded') return embeddedSession(database, work)
  return database.session(async (runner) => {
    await takeLock(runner)
    try {
      return await work(runner)
    } finally {
      await runner.run({ text: `select pg_advisory_unlock(${LOCK_KEY})` }, []).catch(() => {})
    }
  })
}

/** Runs `work` between BEGIN and COMMIT on the runner's connection. */
export async function atomically<T>(runner: Runner, work: () => Promise<T>): Promise<T> {
  await runner.run({ text: 'begin' }, [])
  try {
    const result = await work()
    await runner.run({ text: 'commit' }, [])
    return result
  } catch (error) {
    await runner.run({ text: 'rollback' }, []).catch(() => {})
    throw error
  }
}

/** `with 3 values`; `, in 3 rows`. */
function tallied(rows: number, tally: NonNullable<Step['tally']>): string {
  const isChange = tally === 'changed row'
  const what = isChange ? 'row' : tally
  return `${isChange ? ', in' : ' with'} ${rows.toLocaleString('en')} ${what}${rows === 1 ? '' : 's'}`
}

/**
 * The plan with its questions answered by the database; a step that no row stands in the way of is safe.
 * A step that `asks` refuses stays as it is planned.
 */
export async function judged(
  plan: MigrationPlan,
  runner: Runner,
  asks: (step: Step) => boolean,
): Promise<MigrationPlan> {
  const steps: Step[] = []
  for (const step of plan.steps) {
    if (step.question === undefined || !asks(step)) {
      steps.push(step)
      continue
    }
    const [row] = await runner.run({ text: step.question }, [])
    const rows = Number(row?.[0] ?? 0)
    if (rows === 0 && (step.sql.length === 0 || step.onlyWithRows)) continue
    const isUntold = step.tally === undefined || (step.tally === 'changed row' && rows === 0)
    const title = isUntold ? step.title : `${step.title}${tallied(rows, step.tally ?? 'row')}`
    const ids = rows === 0 || step.examples === undefined ? undefined : await runner.run({ text: step.examples }, [])
    steps.push({
      ...step,
      title,
      rows,
      ...(ids === undefined ? {} : { ids: ids.flatMap(([id]) => id ?? []) }),
      risk: rows === 0 ? 'safe' : step.risk,
    })
  }
  return Object.freeze({ ...plan, steps: Object.freeze(steps) })
}

/** What the steps of a plan are taken with. */
interface Taking {
  readonly runner: Runner
  /** Others use the tables at the same time, so that a lock is asked for and not waited for. */
  readonly limited: boolean
  readonly log: Logger
  readonly history: History
  readonly pause: Pause
  /** Steps whose harmless statements were taken already. */
  readonly prepared: ReadonlySet<Step>
}

/** Whether somebody else held a lock for too long, or waited for one of ours. */
function isInTheWay(error: unknown): boolean {
  const code = failureCode(error)
  return code === '55P03' || code === '40P01'
}

/** Does `work` again while others are in the way. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || !isInTheWay(error)) throw error
      await setTimeout(Math.min(POLL_MS * attempt, LONGEST_PAUSE_MS))
    }
  }
}

async function limitLocks({ runner, limited }: Taking, ms: number): Promise<void> {
  if (limited) await runner.run({ text: `set lock_timeout = ${ms}` }, [])
}

/** Runs statements in one transaction, and `last` at its end. */
function together(texts: readonly string[], taking: Taking, last: () => Promise<void> = async () => {}): Promise<void> {
  const { limited, runner } = taking
  return atomically(runner, async () => {
    if (limited) await runner.run({ text: `set local lock_timeout = ${LOCK_MS}` }, [])
    for (const text of texts) await runner.run({ text }, [])
    await last()
  })
}

async function takeOnline(command: Command, step: Step, taking: Taking): Promise<void> {
  const { runner, log } = taking
  if (typeof command === 'string') {
    // It waits for those who work with the table without stopping them; what it leaves half-built is dropped at the next attempt.
    const isConcurrent = command.includes(' concurrently ')
    await limitLocks(taking, isConcurrent ? 0 : LOCK_MS)
    const run = () => runner.run({ text: command }, [])
    await (isConcurrent ? run() : patiently(run))
  } else if ('together' in command) {
    await patiently(() => together(command.together, taking))
  } else {
    await limitLocks(taking, LOCK_MS)
    const tell = (rows: number) => log.info({ step: step.title, rows, of: step.rows }, 'migration progress')
    await inBatches(command.batches, (text, values) => patiently(() => runner.run({ text }, values)), tell)
  }
}

/** The statements of a step that do no harm, ahead of others. */
async function prepare(step: Step, taking: Taking): Promise<void> {
  if (!step.online) return take(step, taking)
  for (const command of step.sql.slice(0, harmlessCount(step))) await takeOnline(command, step, taking)
  return taking.history.ended()
}

async function take(step: Step, taking: Taking): Promise<void> {
  const harmless = harmlessCount(step)
  if (step.online) {
    for (const [place, command] of step.sql.entries()) {
      if (place >= harmless) await taking.pause.begin()
      else if (taking.prepared.has(step)) continue
      await takeOnline(command, step, taking)
    }
    return taking.history.ended()
  }
  if (harmless < step.sql.length) await taking.pause.begin()
  const texts = step.sql.flatMap((command) => (typeof command === 'string' ? [command] : []))
  if (texts.length < step.sql.length) throw new Error('only a step that is taken online has batches')
  await together(texts, taking, taking.history.ended)
}

async function takePatiently(step: Step, taking: Taking, work = take): Promise<void> {
  const { history } = taking
  await history.began(step)
  try {
    await patiently(() => work(step, taking))
  } catch (error) {
    const reason = sentenceOf(error)
    await history.failed(reason)
    throw new Error(`The step "${step.title}" failed: ${reason}`, { cause: error })
  }
}

function isHarmless(step: Step): boolean {
  return harmlessCount(step) === step.sql.length
}

/** The steps that have something to prepare while a version is served which another step harms. */
function aheadOf(steps: readonly Step[]): readonly Step[] {
  if (steps.every(isHarmless)) return []
  return steps.filter((step) => step.ahead === true && (step.online === true || isHarmless(step)))
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
}

export interface ApplyOptions {
  readonly kind: Database['kind']
  readonly log: Logger
  readonly cause: Cause
  readonly pause: Pause
}

/** Takes the steps under the lock that the caller holds, each whole or not at all; throws at the first that fails. */
export async function apply(
  plan: MigrationPlan,
  entry: Entry,
  runner: Runner,
  { kind, log, cause, pause }: ApplyOptions,
): Promise<void> {
  const history = createHistory(runner, plan.hash, cause)
  const prepared = new Set<Step>()
  const taking = { runner, limited: kind === 'postgresql', log, history, pause, prepared }
  for (const step of aheadOf(plan.steps)) {
    await takePatiently(step, taking, prepare)
    prepared.add(step)
  }
  const takeAll = async (some: readonly Step[]): Promise<void> => {
    for (const step of some) {
      if (!prepared.has(step) || !isHarmless(step)) await takePatiently(step, taking)
      log.debug({ step: step.title }, 'migration step')
    }
  }
  await takeAll(plan.steps.filter((step) => !isBehind(step)))
  // What comes in between waits for locks as long as everybody.
  await limitLocks(taking, 0)
  await pause.end()
  await takeAll(plan.steps.filter(isBehind))
  const steps = JSON.stringify(plan.steps.map(({ title, risk, rows }) => ({ title, risk, rows })))
  const text = `insert into plinth_migration (hash, steps, owned, catalog, words)
    select $1, $2::jsonb, $3::jsonb, $4::text, $5::jsonb
    where $6 or not exists (select 1 from plinth_migration where id = (select max(id) from plinth_migration)
      and owned = $3::jsonb and catalog = $4::text and words = $5::jsonb)`
  const { owned, catalog = null, words } = entry
  const values = [plan.hash, steps, JSON.stringify(owned), catalog, JSON.stringify(words), plan.steps.length > 0]
  await runner.run({ text }, values)
}
