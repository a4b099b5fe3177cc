/** What an application would change ⇄: in the database, for clients and in access, compared with what has been served. */

import { callersOf } from '../access/callers.ts'
import { compareAccess } from '../access/compare.ts'
import { type CountedChange, counted } from '../access/count.ts'
import type { DescribedAccess } from '../access/description.ts'
import { inPresentNames, withPresentPermissions } from '../access/present-names.ts'
import type { Boot } from '../boot/boot.ts'
import { madeFrom } from '../boot/files-version.ts'
import { pluginFolders } from '../boot/layers.ts'
import { describeServed, madeOfServed, readServed } from '../boot/served-description.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Database, Runner } from '../database/database.ts'
import { failureCode } from '../database/failure.ts'
import { onFutureTables } from '../migration/future-rows.ts'
import { planFor } from '../migration/migrate.ts'
import { servedLast, servedSince, writtenBy } from '../migration/own/facts.ts'
import type { ShownPlan } from '../migration/plan.ts'
import { type CausedChange, compareDocuments, compareWithCauses } from '../openapi/compare/documents.ts'
import type { Change } from '../openapi/compare/schemas.ts'
import type { OpenApiDocument } from '../openapi/openapi-document.ts'
import { describeApplication } from '../openapi/routes.ts'
import type { Bound } from '../plugin/compose.ts'
import type { PlanContribution } from '../plugin/plugin.ts'
import { type Program, thisProgram } from '../program.ts'
import { type KeptRole, keptRoles, seededRoles } from '../run/kept-roles.ts'
import { rehearse } from '../run/rehearse.ts'
import { type Violation, violations } from '../run/rule-violations.ts'
import type { Settings } from '../settings.ts'
import type { Collected } from '../text/diagnostic.ts'

/** The plan for the database, with the mistakes that a rehearsal of the statements finds. */
export function databasePlan(
  { catalog }: Pick<Boot, 'catalog'>,
  database: Database,
  now: Date,
): Promise<Required<Collected<ShownPlan>>> {
  return planFor(catalog, database, now, (runner, fresh, tried) => rehearse(catalog, runner, fresh, tried))
}

/** Everything that an application would change; `plan` is the plan for the database. */
export async function differencesOf(
  application: Boot,
  database: Database,
  {
    now,
    plan,
    settings,
  }: { readonly now: Date; readonly plan: ShownPlan; readonly settings: Pick<Settings, 'pluginsDir'> },
): Promise<Differences> {
  const { catalog } = application
  return {
    program: await thisProgram(),
    written: await writtenBy(database.adhoc),
    replaced: application.replaced,
    plan,
    violations: await onFutureTables(catalog, database, plan, (runner) => violations(catalog, runner, now)),
    outside: await outsideOf(application, database.adhoc, now, settings),
    moved: await movedBy(application, database.adhoc, now),
  }
}

/** What providers would change for those who came by them, and other options for the records that are there. */
async function movedBy({ catalog, composition }: Boot, runner: Runner, now: Date): Promise<Moved> {
  const told = ({ options, value }: Bound<PlanContribution>): Promise<readonly string[]> =>
    value({ catalog, runner, now: () => now, options }).catch((error: unknown) => {
      // The tables are still to be made.
      if (/^42/.test(failureCode(error) ?? '')) return []
      throw error
    })
  const { plans, providers } = composition
  const byOptions: string[] = []
  const byProviders: string[] = []
  for (const plan of plans) byOptions.push(...(await told(plan)))
  for (const one of providers) byProviders.push(...(await told({ ...one, value: one.value.moved })))
  return { byProviders, byOptions }
}

async function outsideOf(
  { catalog, routes, composition, files, version }: Boot,
  runner: Runner,
  now: Date,
  settings: Pick<Settings, 'pluginsDir'>,
): Promise<Outside | undefined> {
  const from = await madeFrom(version, composition, { ...settings, below: pluginFolders(files) })
  const same = await servedSince(runner, from)
  if (same !== undefined) {
    const roles = await keptRoles(catalog, runner, now, seededRoles(catalog))
    return { since: same, api: [], unknownCause: false, access: [], roles }
  }
  const last = await servedLast(runner)
  const before = last && readServed(last.text)
  if (last === undefined || before === undefined) return undefined
  const after = describeServed(catalog, routes, describeApplication(catalog, routes, composition), true)
  const between = await madeOfServed(runner, settings)
  const renamed = inPresentNames(catalog, before.access)
  return {
    since: last.since,
    ...interfaceChanges(before.api, between, after.api),
    access: await accessChanges({ catalog, runner, now }, renamed, after.access),
    roles: await keptRoles(catalog, runner, now, renamed.roles),
  }
}

/** What callers gain and lose, with the records concerned; `before` has the present names of what is renamed. */
export async function accessChanges(
  asking: { readonly catalog: Catalog; readonly runner: Runner; readonly now: Date },
  before: DescribedAccess,
  after: DescribedAccess,
): Promise<readonly CountedChange[]> {
  const { catalog, now, runner } = asking
  const callers = await callersOf(catalog, runner, now, [before, after])
  return counted(asking, compareAccess(before, after, withPresentPermissions(catalog, callers)))
}

/** The changes for clients, each with its cause where the files are known that were served. */
function interfaceChanges(
  before: OpenApiDocument,
  between: Awaited<ReturnType<typeof madeOfServed>>,
  after: OpenApiDocument,
): Pick<Outside, 'api' | 'unknownCause'> {
  if (between === undefined) return { api: compareDocuments(before, after), unknownCause: true }
  if (between !== 'same program') return { api: compareWithCauses(before, between, after), unknownCause: false }
  const byFiles = compareDocuments(before, after).map((change): CausedChange => ({ ...change, cause: 'files' }))
  return { api: byFiles, unknownCause: false }
}

/** The changes for clients and people, compared with what was last served. */
export interface Outside {
  /** `2026-01-31 12:00`, UTC. */
  readonly since: string
  readonly api: readonly (Change | CausedChange)[]
  /** The files that were served are not there, or are not files of this program. */
  readonly unknownCause: boolean
  readonly access: readonly CountedChange[]
  readonly roles: readonly KeptRole[]
}

/** Everything in a plan. */
export interface Differences {
  readonly program: Program
  readonly written: Awaited<ReturnType<typeof writtenBy>>
  readonly replaced: Boot['replaced']
  readonly plan: ShownPlan
  readonly violations: readonly Violation[]
  /** undefined: this database has served nothing yet. */
  readonly outside: Outside | undefined
  readonly moved: Moved
}

/** What options would change for records that are there, as sentences. */
export interface Moved {
  readonly byProviders: readonly string[]
  readonly byOptions: readonly string[]
}
