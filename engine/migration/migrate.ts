/**
 * Brings the tables of a database to a catalog ⇄: by itself where that is safe, after a person agreed where it is not.
 */
import { setTimeout } from 'node:timers/promises'
import type { Catalog } from '../catalog/catalog.ts'
import type { Database, Runner } from '../database/database.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import {
  type ApplyOptions,
  apply,
  type Change,
  completeAlone,
  type Pause,
  type Rehearsal,
  type Tried,
  takeBack,
} from './apply.ts'
import { tables } from './catalog-tables.ts'
import { exclusively } from './exclusive.ts'
import { inspect } from './inspect.ts'
import { namesToCarry } from './names/carry-names.ts'
import { identifiedChanges } from './names/name-change.ts'
import { pendingChange } from './own/facts.ts'
import { withMeanings } from './own/meanings.ts'
import { entryAfterApply, entryAfterStart, isSettled, noteSettled, underPresentNames } from './own/migrations.ts'
import { carrying, type MigrationPlan, plan, type ShownPlan } from './plan.ts'
import { complaint, givenUp } from './plan-text.ts'
import { answered } from './questions.ts'
import { isHarmless, riskOf, type Step, statementsOf } from './step.ts'
import { ageOf, type CatalogAge, type Column, catalogHash, type Present, type Table } from './table.ts'

export interface MigrationResult {
  readonly hash: string
  /** Titles of the steps that were taken; none when the database was as it should be. */
  readonly applied: readonly string[]
  /** Titles of the steps that a start left for a person. */
  readonly left: readonly string[]
  /** The steps among these that the YAML asks for, with rows in the way. */
  readonly rules?: readonly string[]
  /** Whether the database was brought to a newer YAML than this one, which was served from it before. */
  readonly older?: boolean
}

export interface MigrationOptions {
  readonly log: Logger
  readonly now: Date
  /** A person has edited the YAML just now: it is the newest, even if the database was like this before. */
  readonly edited?: boolean
  /** Asked before anything is changed. */
  readonly rehearse?: Rehearsal | undefined
  /** Makes requests wait while the served tables are altered. */
  readonly pause?: Pause | undefined
  /** Work after the change of the tables, before the catalog may be served, on the connection that holds the lock. */
  readonly complete?: ((runner: Runner) => Promise<readonly Diagnostic[]>) | undefined
  /** The time in all that a change waits for the locks of others before it is given up; a minute if absent. */
  readonly patienceMs?: number
  /** Whether another process serves this database at present; none does if absent. */
  readonly isServed?: ((runner: Runner) => Promise<boolean>) | undefined
}

const NO_PAUSE: Pause = { begin: async () => {}, giveBack: async () => {}, end: async () => {} }
const POLL_MS = 500

/**
 * At start: adds what is missing and changes what differs from the newest YAML, or reports each step that would lose or
 * reject data and takes none. What the YAML no longer names stays. An older YAML than the last one of the database only
 * adds. Instances that start together wait for each other; the later ones find nothing to do.
 */
export function migrate(
  catalog: Catalog,
  database: Database,
  options: MigrationOptions,
): Promise<Collected<MigrationResult>> {
  return migrateTables(tables(catalog), database, options, catalog)
}

/** The same for tables that are already derived; a catalog gives complaints their places. */
export function migrateTables(
  wanted: readonly Table[],
  database: Database,
  options: MigrationOptions,
  catalog?: Catalog,
): Promise<Collected<MigrationResult>> {
  const { edited = false, log, now, rehearse } = options
  return exclusively(database, async (runner) => {
    await takeBackOthers(wanted, runner, database.kind, log)
    if (edited && (await isSettled(wanted, database, runner))) return completed(runner, options, catalog)
    const made = await planned(wanted, runner, database.kind, now, { start: { edited }, asks: askedAtStart, catalog })
    const { plan, present, age } = made
    const isIdentified = plan.steps.some(({ concern }) => concern.kind === 'other name')
    const alone = !isIdentified || edited || database.kind === 'embedded' || (await isAlone(runner, options.isServed))
    const { take, leave, refuse } = decisionsOf(plan, age, { alone, drifts: drifts(catalog) })
    if (refuse.length > 0) return { diagnostics: refuse.map((step) => complaint(step, plan.hash, catalog)) }
    // Every statement is rehearsed, and those over a table that differs would fail.
    const isWhole = !leave.some(({ drift }) => drift === true)
    const mistakes =
      (isWhole && (await rehearse?.(runner, freshTables(wanted, present), edited ? triedFor(plan) : 'written'))) || []
    if (mistakes.length > 0) return { diagnostics: mistakes }
    const rules = titles(leave.filter(({ drift, effect }) => effect !== 'removes' && drift !== true))
    const entry = entryAfterStart({ wanted: made.asked, present, steps: take, now }, age)
    const change = { plan: { ...plan, steps: take }, wanted, present, age, entry, isPartial: rules.length > 0 }
    const how = appliedWith(isWhole ? options : { ...options, rehearse: undefined }, database, 'start')
    const refused = await applied(change, runner, catalog, how)
    if (refused.length > 0) return { diagnostics: refused }
    // A step may wait for the next start, such as an index that a session is in the way of.
    if (plan.steps.length === 0 && age !== 'older') await noteSettled(wanted, database, runner)
    const more = { ...(rules.length === 0 ? {} : { rules }), ...(age === 'older' ? { older: true } : {}) }
    return {
      value: {
        hash: plan.hash,
        applied: titles(take),
        left: titles(leave.filter(({ drift }) => drift !== true)),
        ...more,
      },
      diagnostics: [],
    }
  })
}

/** What follows a change of the tables, where none was needed. */
async function completed(
  runner: Runner,
  { complete, rehearse }: MigrationOptions,
  catalog: Catalog | undefined,
): Promise<Collected<MigrationResult>> {
  const mistakes = (await rehearse?.(runner, [], 'written')) ?? []
  if (mistakes.length > 0) return { diagnostics: mistakes }
  try {
    await completeAlone(runner, complete)
  } catch (error) {
    return { diagnostics: givenUp(error, catalog) }
  }
  return { value: { hash: '', applied: [], left: [] }, diagnostics: [] }
}

/**
 * `plinth apply <hash>`: takes the safe and the unsafe steps of the plan that a person has seen, removals too.
 * Refused when the plan would be another one by now, or while rows are in the way of a step.
 */
export function applyPlan(
  catalog: Catalog,
  database: Database,
  hash: string,
  options: MigrationOptions,
): Promise<Collected<MigrationResult>> {
  return applyTables(tables(catalog), database, hash, options, catalog)
}

/** The same for tables that are already derived. */
export function applyTables(
  wanted: readonly Table[],
  database: Database,
  hash: string,
  options: MigrationOptions,
  catalog?: Catalog,
): Promise<Collected<MigrationResult>> {
  const { log, now, rehearse } = options
  return exclusively(database, async (runner) => {
    await takeBackOthers(wanted, runner, database.kind, log)
    const { plan, present } = await planned(wanted, runner, database.kind, now, { catalog })
    if (plan.hash !== hash) {
      const message = `plan ${hash} was made from another state; the present plan is ${plan.hash}`
      return { diagnostics: [{ code: 'stale_plan', message, hint: 'look at `plinth plan` again' }] }
    }
    const steps = plan.steps.filter((step) => riskOf(step) === 'safe' || step.concern.kind !== 'waiting')
    const blocked = steps.filter((step) => riskOf(step) === 'blocked')
    if (blocked.length > 0) return { diagnostics: blocked.map((step) => complaint(step, hash, catalog)) }
    const mistakes = (await rehearse?.(runner, freshTables(wanted, present), triedFor(plan))) ?? []
    if (mistakes.length > 0) return { diagnostics: mistakes }
    const entry = entryAfterApply({ wanted, present, steps, now })
    const change = { plan: { ...plan, steps }, wanted, present, age: 'new' as const, entry, isPartial: false }
    const refused = await applied(change, runner, catalog, appliedWith(options, database, 'apply'))
    if (refused.length > 0) return { diagnostics: refused }
    const left = titles(plan.steps.filter((step) => !steps.includes(step)))
    return { value: { hash, applied: titles(steps), left }, diagnostics: [] }
  })
}

/**
 * The plan for a catalog as `plinth plan` shows it, with counted rows and the mistakes of a rehearsal; changes nothing.
 */
export function planFor(
  catalog: Catalog,
  database: Database,
  now: Date,
  rehearse?: Rehearsal,
): Promise<Required<Collected<ShownPlan>>> {
  return planTables(tables(catalog), database, now, rehearse, catalog)
}

/** The same for tables that are already derived. */
export function planTables(
  wanted: readonly Table[],
  database: Database,
  now: Date,
  rehearse?: Rehearsal,
  catalog?: Catalog,
): Promise<Required<Collected<ShownPlan>>> {
  return database.session(async (runner) => {
    const { plan, present, age } = await planned(wanted, runner, database.kind, now, { catalog })
    const diagnostics = (await rehearse?.(runner, freshTables(wanted, present), triedFor(plan))) ?? []
    const { leave: leaves, refuse: refuses } = decisionsOf(plan, age, { drifts: drifts(catalog) })
    return { value: { ...plan, older: age === 'older', start: { leaves, refuses } }, diagnostics }
  })
}

/** Rejects with a sentence where the catalog cannot be served on the database as it is; changes nothing. */
export async function requireCurrent(catalog: Catalog, database: Database, now: Date): Promise<void> {
  const { plan } = await database.session((runner) =>
    planned(tables(catalog), runner, database.kind, now, { asks: askedForNeed, catalog }),
  )
  const isPassed = drifts(catalog)
  const needed = plan.steps.filter((step) => isNeeded(step) && !(isPassed && step.drift === true)).length
  if (needed === 0) return
  const changes = needed === 1 ? '1 change waits' : `${needed} changes wait`
  throw new Error(
    `The database is not what the YAML describes: ${changes}, see \`plinth plan\`. \`plinth start\` brings it there; this command leaves it as it is.`,
  )
}

/** Whether the tables are as a catalog wants them; false too where that cannot be seen. */
export function isServable(catalog: Catalog, database: Database, now: Date): Promise<boolean> {
  return requireCurrent(catalog, database, now).then(
    () => true,
    () => false,
  )
}

/**
 * Whether bringing the tables to an edited catalog would harm a version that is served meanwhile; changes nothing
 * itself.
 */
export async function altersTables(catalog: Catalog, database: Database, now: Date): Promise<boolean> {
  if (await isSettled(tables(catalog), database, database.adhoc)) return false
  const { plan } = await database.session((runner) =>
    planned(tables(catalog), runner, database.kind, now, { start: { edited: true }, asks: askedForNeed, catalog }),
  )
  return decisionsOf(plan, 'new').take.some((step) => !isHarmless(step))
}

/** Undoes the change that another process had begun before it ended; does nothing where no change was begun. */
export function takeBackBegun(database: Database, log: Logger): Promise<void> {
  return exclusively(database, (runner) => takeBack(runner, database.kind, log))
}

interface Planned {
  readonly plan: MigrationPlan
  readonly present: Present
  readonly age: CatalogAge
  /** The wanted tables without renames where the catalog is an older one. */
  readonly asked: readonly Table[]
}

interface PlanOptions {
  readonly start?: { readonly edited: boolean }
  /** Whether a step's question is asked, which may count all rows of a table; every one if absent. */
  readonly asks?: (step: Step) => boolean
  readonly catalog?: Catalog | undefined
}

/** A start leaves removals to a person, so it does not count their rows. */
const askedAtStart = (step: Step): boolean => step.effect !== 'removes'
/** Only for a step without statements, the rows decide whether there is anything to do at all. */
const askedForNeed = (step: Step): boolean => isNeeded(step) && statementsOf(step).length === 0

function isNeeded({ effect }: Step): boolean {
  return effect === 'adds' || effect === 'retypes'
}

async function planned(
  wanted: readonly Table[],
  runner: Runner,
  kind: Database['kind'],
  now: Date,
  { start, asks = () => true, catalog }: PlanOptions = {},
): Promise<Planned> {
  const present = underPresentNames(wanted, await withMeanings(runner, await inspect(runner)))
  const age = ageOf(wanted, present.history, start?.edited ?? false)
  const asked = start !== undefined && age === 'older' ? withoutRenames(wanted) : wanted
  const day = now.toISOString().slice(0, 10)
  const bare = plan(asked, { present, day, concurrently: kind === 'postgresql', takenOver: catalog?.takenOver })
  const names = await namesToCarry(runner, asked, present, identifiedChanges(bare.steps, asked, present.names))
  return { plan: await answered(carrying(bare, names), runner, asks), present, age, asked }
}

/** Takes the steps; returns the reasons where the change was given up and nothing has changed. */
async function applied(
  change: Change,
  runner: Runner,
  catalog: Catalog | undefined,
  options: ApplyOptions,
): Promise<readonly Diagnostic[]> {
  try {
    await apply(change, runner, options)
    return []
  } catch (error) {
    return givenUp(error, catalog)
  }
}

function appliedWith(
  { complete, log, patienceMs, pause = NO_PAUSE, rehearse }: MigrationOptions,
  { kind }: Database,
  cause: ApplyOptions['cause'],
): ApplyOptions {
  return { kind, log, cause, pause, patienceMs, rehearse, complete }
}

function titles(steps: readonly Step[]): readonly string[] {
  return steps.map(({ title }) => title)
}

/**
 * What is rehearsed before a plan: where it alters no table, the tables are as the catalog wants them and take its
 * statements. Those of others may refuse some all the same.
 */
function triedFor({ steps }: MigrationPlan): Tried {
  return steps.every(({ effect, work }) => effect === 'removes' || work.kind === 'faster') ? 'foreign' : 'all'
}

/** The wanted tables that the database does not have with all their columns. */
function freshTables(wanted: readonly Table[], { tables }: Present): readonly Table[] {
  const key = (column: Column) => `${column.name} ${column.type}`
  const there = new Map(tables.map((table) => [table.name, new Set(table.columns.map(key))]))
  return wanted
    .filter(({ existing }) => existing !== true)
    .filter((table) => !table.columns.every((column) => there.get(table.name)?.has(key(column))))
}

/** Undoes a change that another version had begun; a change that this version had begun goes on. */
async function takeBackOthers(
  wanted: readonly Table[],
  runner: Runner,
  kind: Database['kind'],
  log: Logger,
): Promise<void> {
  const pending = await pendingChange(runner)
  if (pending !== undefined && pending.catalog !== catalogHash(wanted)) await takeBack(runner, kind, log)
}

/** Whether no other process serves the database; waits for a killed one, which seems to serve for a while. */
async function isAlone(runner: Runner, isServed: MigrationOptions['isServed']): Promise<boolean> {
  const until = performance.now() + LIMITS.instanceSilenceMs + POLL_MS
  while (await isServed?.(runner)) {
    if (performance.now() > until) return false
    await setTimeout(POLL_MS)
  }
  return true
}

/** The wanted tables of an older catalog, without renames: it must not rename the tables of a newer one. */
function withoutRenames(wanted: readonly Table[]): readonly Table[] {
  return wanted.map(({ renamedFrom: _, was: __, ...table }) => ({
    ...table,
    columns: table.columns.map(({ renamedFrom: ___, was: ____, ...column }) => column),
  }))
}

/** The steps that a start takes, those that it leaves to a person, and those that it needs and must not take. */
interface Decisions {
  readonly take: readonly Step[]
  readonly leave: readonly Step[]
  readonly refuse: readonly Step[]
}

type Decision = keyof Decisions

/** Whether a start serves what is left where tables of others differ. */
function drifts(catalog: Catalog | undefined): boolean {
  return catalog?.onDrift === 'serve_the_rest'
}

interface Allowing {
  /** No other instance serves. */
  readonly alone?: boolean
  readonly drifts?: boolean
}

function decisionOn(step: Step, age: CatalogAge, { alone = true, drifts: passes = false }: Allowing): Decision {
  const { concern, effect } = step
  const risk = riskOf(step)
  if (step.drift === true) return passes ? 'leave' : 'refuse'
  if (effect === 'removes' || (concern.kind === 'waiting' && risk !== 'safe')) return 'leave'
  // The present name is the one of this catalog, unless an instance serves the other name.
  if (concern.kind === 'other name') return alone ? 'take' : 'refuse'
  if (age === 'older' && effect !== 'adds') return effect === 'changes' ? 'leave' : 'refuse'
  if (risk === 'safe') return 'take'
  // Rows that an older version wrote since this catalog was served last are no reason not to serve.
  return age === 'current' && effect === 'changes' ? 'leave' : 'refuse'
}

/** A start adds, and changes for the newest catalog; it never removes. */
function decisionsOf({ steps }: MigrationPlan, age: CatalogAge, allowing: Allowing = {}): Decisions {
  const having = (decision: Decision) => steps.filter((step) => decisionOn(step, age, allowing) === decision)
  return { take: having('take'), leave: having('leave'), refuse: having('refuse') }
}
