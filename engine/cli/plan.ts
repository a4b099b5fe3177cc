/** `plinth plan`: what the present YAML would change in the database, for clients and in access; changes nothing. */

import { callersOf } from '../access/callers.ts'
import { compareAccess } from '../access/compare.ts'
import { type CountedChange, counted } from '../access/count.ts'
import { inPresentNames, withPresentPermissions } from '../access/present-names.ts'
import { accessSentences } from '../access/sentence.ts'
import type { Boot } from '../boot/boot.ts'
import { madeFrom } from '../boot/files-version.ts'
import { pluginFolders } from '../boot/layers.ts'
import { describeServed, madeOfServed, readServed } from '../boot/served-description.ts'
import type { Runner } from '../database/database.ts'
import { failureCode } from '../database/failure.ts'
import { label } from '../definition/sentence.ts'
import { onFutureTables } from '../migration/future-rows.ts'
import { planFor } from '../migration/migrate.ts'
import { servedLast, servedSince, versionSentence, writtenBy } from '../migration/own/facts.ts'
import type { ShownPlan } from '../migration/plan.ts'
import { reason, renderPlan } from '../migration/plan-text.ts'
import { adviceOf, riskOf, type Step } from '../migration/step.ts'
import { type CausedChange, compareDocuments, compareWithCauses } from '../openapi/compare/documents.ts'
import type { Change } from '../openapi/compare/schemas.ts'
import type { OpenApiDocument } from '../openapi/openapi-document.ts'
import { describeApplication } from '../openapi/routes.ts'
import { type Program, thisProgram } from '../program.ts'
import { type KeptRole, keptRoleSentences, keptRoles, seededRoles } from '../run/kept-roles.ts'
import { rehearse } from '../run/rehearse.ts'
import { type Violation, violations, violationWords } from '../run/rule-violations.ts'
import type { Settings } from '../settings.ts'
import { placeOf } from '../text/source.ts'
import { keepLock } from './accept.ts'
import { showDiagnostics, withDatabase } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'
import { changesAsText } from './diff.ts'

/** The exit code of `--exit-code` when there is something to do; 2 is a wrong command line. */
const CHANGES: ExitCode = 3

export function run(invocation: Invocation): Promise<ExitCode> {
  const { options, say } = invocation
  return withDatabase(invocation, async (database, application) => {
    const { catalog } = application
    const now = new Date()
    const planned = await planFor(catalog, database, now, (runner, fresh, tried) =>
      rehearse(catalog, runner, fresh, tried),
    )
    showDiagnostics(planned, invocation)
    await keepLock(application, invocation)
    const differences: Differences = {
      program: await thisProgram(),
      written: await writtenBy(database.adhoc),
      replaced: application.replaced,
      plan: planned.value,
      violations: await onFutureTables(catalog, database, planned.value, (runner) => violations(catalog, runner, now)),
      outside: await outsideOf(application, database.adhoc, now, invocation.settings),
      moved: await movedBy(application, database.adhoc, now),
    }
    say(options.json === true ? planAsJson(differences) : planAsText(differences, options.all === true))
    if (planned.diagnostics.length > 0) return 1
    return options['exit-code'] === true && isAnything(differences) ? CHANGES : 0
  })
}

function isAnything({ moved, plan, outside }: Differences): boolean {
  return (
    plan.steps.length + moved.length > 0 ||
    (outside !== undefined &&
      (outside.api.length + outside.access.length > 0 || outside.roles.some(({ isNew }) => isNew)))
  )
}

/** What providers would change for those who came by them; nothing where their tables are still to be made. */
async function movedBy({ catalog, composition }: Boot, runner: Runner, now: Date): Promise<readonly string[]> {
  const { providers } = composition
  if (providers === undefined) return []
  const asking = { catalog, runner, now: () => now, options: providers.options }
  return providers.value.moved(asking).catch((error: unknown) => {
    if (/^42/.test(failureCode(error) ?? '')) return []
    throw error
  })
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
  const renamed = inPresentNames(catalog, before.access)
  const callers = await callersOf(catalog, runner, now, [renamed, after.access])
  const changes = compareAccess(renamed, after.access, withPresentPermissions(catalog, callers))
  const between = await madeOfServed(runner, settings)
  return {
    since: last.since,
    ...interfaceChanges(before.api, between, after.api),
    access: await counted({ catalog, runner, now }, changes),
    roles: await keptRoles(catalog, runner, now, renamed.roles),
  }
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
interface Outside {
  /** `2026-01-31 12:00`, UTC. */
  readonly since: string
  readonly api: readonly (Change | CausedChange)[]
  /** The files that were served are not there, or are not files of this program. */
  readonly unknownCause: boolean
  readonly access: readonly CountedChange[]
  readonly roles: readonly KeptRole[]
}

/** Everything in a plan. */
interface Differences {
  readonly program: Program
  readonly written: Awaited<ReturnType<typeof writtenBy>>
  readonly replaced: Boot['replaced']
  readonly plan: ShownPlan
  readonly violations: readonly Violation[]
  /** undefined: this database has served nothing yet. */
  readonly outside: Outside | undefined
  /** What providers would change for people, as sentences. */
  readonly moved: readonly string[]
}

/** The database first, then broken rules, then clients and people. */
function planAsText(
  { plan, violations, outside, moved, replaced, program, written }: Differences,
  all: boolean,
): string {
  const broken = violations.map(violationWords)
  return [
    ...[versionSentence(written, program) ?? []].flat(),
    renderPlan(plan, all).trimEnd(),
    ...broken,
    ...outsideAsText(outside, plan.steps.length > 0, all),
    ...(moved.length === 0 ? [] : ['', 'By providers, judged by what they said last:', ...moved.map(indented)]),
    ...replacedAsText(replaced),
  ].join('\n')
}

/** What the application says in place of the one below. */
function replacedAsText(replaced: Boot['replaced']): readonly string[] {
  const lines = replaced.flatMap(({ path, below, own, isLeftOut, isMerged }) =>
    isLeftOut || isMerged || below === undefined ? [] : [`  ${path}: ${label(below)} → ${label(own)}`],
  )
  if (lines.length === 0) return []
  return ['', 'In place of what the application below says:', ...lines]
}

function outsideAsText(outside: Outside | undefined, hasSteps: boolean, all: boolean): readonly string[] {
  if (outside === undefined && !hasSteps) return []
  if (outside === undefined)
    return ['', 'Nothing was served from this database yet that clients and access could be compared with.']
  const { since, api, access, unknownCause } = outside
  const than = `than what has been served since ${since} UTC`
  const clients =
    api.length === 0
      ? []
      : ['', `For clients, other ${than}:`, changesAsText(api, all), ...(unknownCause ? [UNKNOWN] : [])]
  const people = access.length === 0 ? [] : ['', `In access, other ${than}:`, ...accessSentences(access).map(indented)]
  const kept = keptRoleSentences(outside.roles).map(indented)
  return [
    ...clients,
    ...people,
    ...(kept.length === 0 ? [] : ['', 'In roles, which seeds write once and never change:', ...kept]),
  ]
}

const UNKNOWN = 'Which of them the program makes and which the files is not known.'

function indented(line: string): string {
  return `  ${line}`
}

/** The plan for programs; `null` where there is nothing to compare with. */
function planAsJson({ plan, violations, outside, moved, replaced, program, written }: Differences): string {
  const database = plan.steps.map(stepAsJson)
  const broken = violations.map(({ resource, rule, words, ids }) => ({
    resource: resource.name,
    rule: rule.name,
    message: words,
    ids,
  }))
  return JSON.stringify(
    {
      hash: plan.hash,
      version: program.version,
      written_by: typeof written === 'object' ? { version: written.version, since: written.since } : null,
      older: plan.older,
      database,
      rules: broken,
      since: outside === undefined ? null : `${outside.since.replace(' ', 'T')}Z`,
      api: outside === undefined ? null : outside.api,
      access: outside === undefined ? null : outside.access.map(accessAsJson),
      roles: outside === undefined ? null : outside.roles,
      moved,
      replaced: replaced
        .filter(({ below, isLeftOut, isMerged }) => !isLeftOut && !isMerged && below !== undefined)
        .map(({ path, below, own, span }) => ({ path, below, own, place: placeOf(span) })),
    },
    null,
    2,
  )
}

function stepAsJson(step: Step) {
  const { answer, effect, title } = step
  const [advice, risk] = [adviceOf(step), riskOf(step)]
  return {
    title,
    risk,
    effect,
    ...(answer === undefined ? {} : { rows: answer.rows }),
    ...(risk === 'safe' ? {} : { reason: reason(step) }),
    ...(advice === undefined ? {} : { advice }),
    ...(answer === undefined || answer.ids.length === 0 ? {} : { ids: answer.ids }),
  }
}

/** A change without the conditions themselves, which are at `places`. */
function accessAsJson({
  caller,
  about,
  action,
  fields,
  before,
  after,
  status,
  sets,
  places,
  concerned,
}: CountedChange) {
  return {
    caller,
    about,
    action,
    ...(fields === undefined ? {} : { fields }),
    before: before.kind,
    after: after.kind,
    status,
    ...(sets === undefined ? {} : { sets }),
    ...(concerned === undefined ? {} : concerned),
    places,
  }
}
