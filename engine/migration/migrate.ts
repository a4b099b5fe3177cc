/** Brings a database to a catalog: by itself where that is safe, by a person's word where it is not. ⇄ */
import { setTimeout } from 'node:timers/promises'
import type { Catalog } from '../catalog/catalog.ts'
import type { Database, Runner } from '../database/database.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { type ApplyOptions, apply, type Pause, takeBack } from './apply.ts'
import { exclusively, nested } from './exclusive.ts'
import { inspect } from './inspect.ts'
import { namesToCarry } from './names/carry-names.ts'
import { identifiedChanges } from './names/name-change.ts'
import { pendingChange } from './own/facts.ts'
import { keepMeanings, withMeanings } from './own/meanings.ts'
import { carried, type Entry, entryAfterApply, entryAfterStart } from './own/migrations.ts'
import { carrying, type MigrationPlan, plan, type ShownPlan } from './plan.ts'
import { complaint, givenUp } from './plan-text.ts'
import { judged } from './questions.ts'
import { sorted, withoutRenames } from './start-decision.ts'
import { harmlessCount, type Step } from './step.ts'
import { type Column, catalogMark, type Present, type Standing, standingOf, type Table } from './table.ts'
import { tables } from './tables.ts'

export interface MigrationResult {
  readonly hash: string
  /** Titles of the steps that were taken; none when the database was as it should be. */
  readonly applied: readonly string[]
  /** Titles of the steps that a start left for a person. */
  readonly left: readonly string[]
  /** Those of them that the YAML asks for, and that rows stand in the way of. */
  readonly rules?: readonly string[]
  /** Whether the database was brought to a newer YAML than this one, which was served from it before. */
  readonly older?: boolean
}

/** What the database has against the catalog's SQL, or against all of its statements, once these tables are there. */
export type Rehearsal = (runner: Runner, fresh: readonly Table[], whole: boolean) => Promise<readonly Diagnostic[]>

export interface MigrationOptions {
  readonly log: Logger
  readonly now: Date
  /** A person has edited the YAML just now: it is the newest, even if the database was like this before. */
  readonly edited?: boolean
  /** Asked before anything is changed. */
  readonly rehearse?: Rehearsal
  /** While what is served is altered. */
  readonly pause?: Pause | undefined
  /** What is done behind the tables before the catalog may be served, on the connection that has its turn. */
  readonly complete?: ((runner: Runner) => Promise<readonly Diagnostic[]>) | undefined
  /** For so long in all a change waits for the locks of others before it is given up; a minute if absent. */
  readonly patienceMs?: number
  /** Whether a process serves this database at present, other than by what is migrated; none does if absent. */
  readonly isServed?: ((runner: Runner) => Promise<boolean>) | undefined
}

/** A process that was killed seems to serve for a while: it is waited for. */
async function isAlone(runner: Runner, isServed: MigrationOptions['isServed']): Promise<boolean> {
  const until = performance.now() + LIMITS.instanceSilenceMs + POLL_MS
  while (await isServed?.(runner)) {
    if (performance.now() > until) return false
    await setTimeout(POLL_MS)
  }
  return true
}

/** Looks at what is there when the tables are; the first mistakes end it, and without any it is written down what is served. */
function behind(
  runner: Runner,
  { wanted, present, standing }: Pick<Planned, 'present' | 'standing'> & { readonly wanted: readonly Table[] },
  looks: readonly ((inside: Runner) => Promise<readonly Diagnostic[] | undefined>)[],
): () => Promise<readonly Diagnostic[]> {
  return async () => {
    for (const look of looks) {
      const found = (await look(nested(runner))) ?? []
      if (found.length > 0) return found
    }
    await keepMeanings(runner, wanted, present, standing)
    return []
  }
}

const NO_PAUSE: Pause = { begin: async () => {}, giveBack: async () => {}, end: async () => {} }

/** What another version had begun and left is taken back; what this one had begun goes on. */
async function clear(wanted: readonly Table[], runner: Runner, kind: Database['kind'], log: Logger): Promise<void> {
  const pending = await pendingChange(runner)
  if (pending !== undefined && pending.catalog !== catalogMark(wanted)) await takeBack(runner, kind, log)
}

/** Takes back what a process that is gone had made for a change; nothing where nothing was begun. */
export function takeBackBegun(database: Database, log: Logger): Promise<void> {
  return exclusively(database, (runner) => takeBack(runner, database.kind, log))
}

const POLL_MS = 500

interface Planned {
  readonly plan: MigrationPlan
  readonly present: Present
  readonly standing: Standing
}

async function planned(
  wanted: readonly Table[],
  runner: Runner,
  kind: Database['kind'],
  now: Date,
  { start, asks = () => true }: PlanOptions = {},
): Promise<Planned> {
  const present = carried(wanted, await withMeanings(runner, await inspect(runner)))
  const day = now.toISOString().slice(0, 10)
  const standing = standingOf(wanted, present.history, start?.edited ?? false)
  const asked = start !== undefined && standing === 'older' ? withoutRenames(wanted) : wanted
  const bare = plan(asked, { present, day, concurrently: kind === 'postgresql' })
  const names = await namesToCarry(runner, asked, present, identifiedChanges(bare.steps, asked, present.names))
  return { plan: await judged(carrying(bare, names), runner, asks), present, standing }
}

interface PlanOptions {
  readonly start?: { readonly edited: boolean }
  /** Whether a step's question is asked, which may count all rows of a table; every one if absent. */
  readonly asks?: (step: Step) => boolean
}

/** What a start leaves to a person needs no count. */
const askedAtStart = (step: Step): boolean => step.effect !== 'removes'
/** Only the question of a step without SQL decides whether there is anything to do at all. */
const askedForNeed = (step: Step): boolean => isNeeded(step) && step.sql.length === 0

function isNeeded({ effect }: Step): boolean {
  return effect === 'adds' || effect === 'retypes'
}

/** The wanted tables that the database does not have with all their columns. */
function freshTables(wanted: readonly Table[], { tables }: Present): readonly Table[] {
  const key = (column: Column) => `${column.name} ${column.type}`
  const there = new Map(tables.map((table) => [table.name, new Set(table.columns.map(key))]))
  return wanted
    .filter(({ existing }) => existing !== true)
    .filter((table) => !table.columns.every((column) => there.get(table.name)?.has(key(column))))
}

/** The plan for a catalog as `plinth plan` shows it, with rows counted, and what its statements would meet; changes nothing. */
export function planFor(
  catalog: Catalog,
  database: Database,
  now: Date,
  rehearse?: Rehearsal,
): Promise<Required<Collected<ShownPlan>>> {
  return planTables(tables(catalog), database, now, rehearse)
}

/** Rejects with a sentence where the catalog cannot be served on the database as it is; changes nothing. */
export async function requireCurrent(catalog: Catalog, database: Database, now: Date): Promise<void> {
  const { plan: made } = await database.session((runner) =>
    planned(tables(catalog), runner, database.kind, now, { asks: askedForNeed }),
  )
  const needed = made.steps.filter(isNeeded).length
  if (needed === 0) return
  const changes = needed === 1 ? '1 change waits' : `${needed} changes wait`
  throw new Error(
    `The database is not what the YAML describes: ${changes}, see \`plinth plan\`. \`plinth start\` brings it there; this command leaves it as it is.`,
  )
}

/** Whether bringing the tables to an edited catalog would harm a version that is served meanwhile; changes nothing itself. */
export async function altersTables(catalog: Catalog, database: Database, now: Date): Promise<boolean> {
  const { plan: made } = await database.session((runner) =>
    planned(tables(catalog), runner, database.kind, now, { start: { edited: true }, asks: askedForNeed }),
  )
  return sorted(made, 'new').take.some((step) => harmlessCount(step) < step.sql.length)
}

/** The same for tables that are already derived. */
export function planTables(
  wanted: readonly Table[],
  database: Database,
  now: Date,
  rehearse?: Rehearsal,
): Promise<Required<Collected<ShownPlan>>> {
  return database.session(async (runner) => {
    const { plan: made, present, standing } = await planned(wanted, runner, database.kind, now)
    const diagnostics = (await rehearse?.(runner, freshTables(wanted, present), true)) ?? []
    const { leave: leaves, refuse: refuses } = sorted(made, standing)
    return { value: { ...made, older: standing === 'older', start: { leaves, refuses } }, diagnostics }
  })
}

/**
 * At start: adds what is missing and changes what the newest YAML says otherwise, or reports each step that would lose or
 * reject data and takes none. What the YAML no longer names is left as it is. An older YAML than the database has seen
 * last only adds. Instances that start together wait for each other; the later ones find nothing to do.
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
  { log, now, edited = false, rehearse, pause, patienceMs, complete, isServed }: MigrationOptions,
  catalog?: Catalog,
): Promise<Collected<MigrationResult>> {
  return exclusively(database, async (runner) => {
    await clear(wanted, runner, database.kind, log)
    const {
      plan: made,
      present,
      standing,
    } = await planned(wanted, runner, database.kind, now, {
      start: { edited },
      asks: askedAtStart,
    })
    const isIdentified = made.steps.some(({ identified }) => identified)
    const alone = !isIdentified || edited || database.kind === 'embedded' || (await isAlone(runner, isServed))
    const { take, leave, refuse } = sorted(made, standing, alone)
    if (refuse.length > 0) return { diagnostics: refuse.map((step) => complaint(step, made.hash, catalog)) }
    const mistakes = (await rehearse?.(runner, freshTables(wanted, present), edited)) ?? []
    if (mistakes.length > 0) return { diagnostics: mistakes }
    const asked = standing === 'older' ? withoutRenames(wanted) : wanted
    const entry = entryAfterStart({ wanted: asked, present, steps: take, now }, standing)
    const left = leave.map((step) => step.title)
    const rules = leave.filter(({ effect }) => effect !== 'removes').map(({ title }) => title)
    // Where the tables stay other than they are wanted, every statement has to show that it can do with them.
    const other = leave.some((step) => step.effect !== 'removes')
    const amiss = await taken({ ...made, steps: take }, entry, runner, catalog, {
      kind: database.kind,
      log,
      cause: 'start',
      pause: pause ?? NO_PAUSE,
      patienceMs,
      mark: catalogMark(wanted),
      complete: behind(runner, { wanted, present, standing }, [
        async (inside) => (other ? await rehearse?.(inside, [], true) : undefined),
        async (inside) => complete?.(inside),
      ]),
    })
    if (amiss.length > 0) return { diagnostics: amiss }
    const applied = take.map((step) => step.title)
    const older = standing === 'older' ? { older: true } : {}
    return {
      value: { hash: made.hash, applied, left, ...(rules.length === 0 ? {} : { rules }), ...older },
      diagnostics: [],
    }
  })
}

/**
 * `plinth apply <hash>`: takes the safe and the unsafe steps of the plan that a person has seen, removals too.
 * Refused when the plan would be another one by now, or while rows stand in the way of a step.
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
  { log, now, rehearse, pause, complete }: MigrationOptions,
  catalog?: Catalog,
): Promise<Collected<MigrationResult>> {
  return exclusively(database, async (runner) => {
    await clear(wanted, runner, database.kind, log)
    const { plan: made, present } = await planned(wanted, runner, database.kind, now)
    if (made.hash !== hash) {
      const message = `plan ${hash} was made from another state; the present plan is ${made.hash}`
      return { diagnostics: [{ code: 'stale_plan', message, hint: 'look at `plinth plan` again' }] }
    }
    const steps = made.steps.filter(({ risk, waits }) => risk === 'safe' || waits !== true)
    const blocked = steps.filter((step) => step.risk === 'blocked')
    if (blocked.length > 0) return { diagnostics: blocked.map((step) => complaint(step, hash, catalog)) }
    const mistakes = (await rehearse?.(runner, freshTables(wanted, present), true)) ?? []
    if (mistakes.length > 0) return { diagnostics: mistakes }
    const amiss = await taken({ ...made, steps }, entryAfterApply({ wanted, present, steps, now }), runner, catalog, {
      kind: database.kind,
      log,
      cause: 'apply',
      pause: pause ?? NO_PAUSE,
      mark: catalogMark(wanted),
      complete: behind(runner, { wanted, present, standing: 'new' }, [async (inside) => complete?.(inside)]),
    })
    if (amiss.length > 0) return { diagnostics: amiss }
    const left = made.steps.filter((step) => !steps.includes(step)).map(({ title }) => title)
    return { value: { hash, applied: steps.map((step) => step.title), left }, diagnostics: [] }
  })
}

/** Whether the tables are as a catalog wants them, whoever brought them there; false also where that cannot be seen. */
export function isServable(catalog: Catalog, database: Database, now: Date): Promise<boolean> {
  return requireCurrent(catalog, database, now).then(
    () => true,
    () => false,
  )
}

/** Takes the steps; gives what stands in the way, with everything as it was. */
export async function taken(
  made: MigrationPlan,
  entry: Entry,
  runner: Runner,
  catalog: Catalog | undefined,
  options: ApplyOptions,
): Promise<readonly Diagnostic[]> {
  try {
    await apply(made, entry, runner, options)
    return []
  } catch (error) {
    return givenUp(error, catalog)
  }
}
