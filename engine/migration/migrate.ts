/** Brings a database to a catalog: by itself where that is safe, by a person's word where it is not. ⇄ */
import type { Catalog } from '../catalog/catalog.ts'
import type { Database, Runner } from '../database/database.ts'
import type { Logger } from '../observe.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import type { Span } from '../text/source.ts'
import { apply, exclusively, judged } from './apply.ts'
import { inspect } from './inspect.ts'
import { type MigrationPlan, plan, reason } from './plan.ts'
import type { Step } from './step.ts'
import type { Table } from './table.ts'
import { tables } from './tables.ts'

export interface MigrationResult {
  readonly hash: string
  /** Titles of the steps that were taken; none when the database was as it should be. */
  readonly applied: readonly string[]
}

export interface MigrationOptions {
  readonly log: Logger
  readonly now: Date
}

async function planned(
  wanted: readonly Table[],
  runner: Runner,
  kind: Database['kind'],
  now: Date,
): Promise<MigrationPlan> {
  const present = await inspect(runner)
  const day = now.toISOString().slice(0, 10)
  return judged(plan(wanted, { present, day, concurrently: kind === 'postgresql' }), runner)
}

/** Where the YAML speaks of what a step changes: the field, else the resource; nowhere for what it no longer names. */
function place(catalog: Catalog | undefined, { title }: Step): Span | undefined {
  const [, table, column] = / ([a-z0-9_]+)[.](\w+)/i.exec(title) ?? / on (\w+) \((\w+)/.exec(title) ?? []
  const resource = [...(catalog?.resources.values() ?? [])].find((one) => one.table === table && one.owner === one.name)
  return [...(resource?.fields.values() ?? [])].find((field) => field.column === column)?.span ?? resource?.span
}

function complaint(step: Step, hash: string, catalog: Catalog | undefined): Diagnostic {
  const apply = step.risk === 'unsafe' ? `\`plinth apply ${hash}\` does it` : undefined
  const hint = [step.advice, apply].filter(Boolean).join('; ')
  const message = `${step.title}: ${reason(step)}`
  const span = place(catalog, step)
  return { code: 'unsafe_migration', message, ...(span ? { span } : {}), ...(hint === '' ? {} : { hint }) }
}

/** The plan for a catalog as `plinth plan` shows it, with rows counted; changes nothing. */
export function planFor(catalog: Catalog, database: Database, now: Date): Promise<MigrationPlan> {
  return planTables(tables(catalog), database, now)
}

/** The same for tables that are already derived. */
export function planTables(wanted: readonly Table[], database: Database, now: Date): Promise<MigrationPlan> {
  return database.session((runner) => planned(wanted, runner, database.kind, now))
}

/**
 * At start: takes all steps when every one is safe, else none and reports each that is not.
 * Instances that start together wait for each other; the later ones find nothing to do.
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
  { log, now }: MigrationOptions,
  catalog?: Catalog,
): Promise<Collected<MigrationResult>> {
  return exclusively(database, async (runner) => {
    const made = await planned(wanted, runner, database.kind, now)
    const risky = made.steps.filter((step) => step.risk !== 'safe')
    if (risky.length > 0) return { diagnostics: risky.map((step) => complaint(step, made.hash, catalog)) }
    await apply(made, wanted, runner, { kind: database.kind, log })
    return { value: { hash: made.hash, applied: made.steps.map((step) => step.title) }, diagnostics: [] }
  })
}

/**
 * `plinth apply <hash>`: takes the safe and the unsafe steps of the plan that a person has seen.
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
  { log, now }: MigrationOptions,
  catalog?: Catalog,
): Promise<Collected<MigrationResult>> {
  return exclusively(database, async (runner) => {
    const made = await planned(wanted, runner, database.kind, now)
    if (made.hash !== hash) {
      const message = `plan ${hash} was made from another state; the present plan is ${made.hash}`
      return { diagnostics: [{ code: 'stale_plan', message, hint: 'look at `plinth plan` again' }] }
    }
    const blocked = made.steps.filter((step) => step.risk === 'blocked')
    if (blocked.length > 0) return { diagnostics: blocked.map((step) => complaint(step, hash, catalog)) }
    await apply(made, wanted, runner, { kind: database.kind, log })
    return { value: { hash, applied: made.steps.map((step) => step.title) }, diagnostics: [] }
  })
}
