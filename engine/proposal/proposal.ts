/** What a change of the files would do ⇄: the patch, what is wrong with it, the plan, and what clients and callers gain and lose. */
import { createHash } from 'node:crypto'
import { posix, relative, resolve, sep } from 'node:path'
import { inPresentNames } from '../access/present-names.ts'
import { accessSentences } from '../access/sentence.ts'
import { type Boot, catalogFrom } from '../boot/boot.ts'
import { setUpByPlan } from '../boot/database-setup.ts'
import { readLayers } from '../boot/layers.ts'
import { describeServed } from '../boot/served-description.ts'
import type { Database } from '../database/database.ts'
import type { Sources } from '../definition/read.ts'
import { asJson, type JsonObject } from '../json.ts'
import { memo } from '../memo.ts'
import type { ShownPlan } from '../migration/plan.ts'
import type { Logger } from '../observe.ts'
import { compareDocuments } from '../openapi/compare/documents.ts'
import { describeApplication } from '../openapi/routes.ts'
import { rollOut } from '../rollout/roll-out.ts'
import type { Settings } from '../settings.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { patchOf } from '../text/patch.ts'
import { position, type Source } from '../text/source.ts'
import { inTurns } from '../turns.ts'
import { accessChanges, databasePlan, differencesOf } from './differences.ts'
import { accessAsJson, stepAsJson } from './differences-json.ts'
import { changedFiles, type FileEdit, textHash, withFiles } from './file-edits.ts'
import { type ChangedFile, writeFiles } from './write-files.ts'

/** Where proposals are judged: the files of the settings, and the database that is served. */
export interface ProposalPlace {
  readonly settings: Settings
  readonly database: Database
  readonly now: () => Date
  readonly log: Logger
}

/** The files with what is known of them, so that what has not changed is not read anew. */
interface Known {
  sources: readonly Source[]
}

const knownOf = memo((_: Settings): Known => ({ sources: [] }))

/** The files of the application as they are now; rejects with the sentence that says why they cannot be read. */
export async function presentFiles({ settings }: Pick<ProposalPlace, 'settings'>): Promise<Sources> {
  const { diagnostics, value } = await readLayers(settings.resourcesDir, knownOf(settings).sources)
  if (value === undefined) throw new Error(diagnostics[0]?.message ?? 'The files cannot be read.')
  return value
}

function bootOf(sources: Sources, { settings }: ProposalPlace): Promise<Collected<Boot>> {
  return catalogFrom({ value: sources, diagnostics: [] }, settings.pluginsDir, inTurns, knownOf(settings).sources)
}

/** The hash of what the changes make of the files. */
function hashOf(changed: readonly ChangedFile[]): string {
  const hash = createHash('sha256')
  for (const { after, before, file } of changed) hash.update(JSON.stringify([file, before, after]))
  return hash.digest('hex').slice(0, 16)
}

/** The patch of files by their paths from the folder in which the program runs, or below their own folder. */
function patchFor(changed: readonly ChangedFile[], { settings }: ProposalPlace): string {
  const folder = resolve(settings.resourcesDir)
  return changed
    .map(({ after, before, file }) => {
      const below = relative(folder, resolve(file)).split(sep).join('/')
      const name = file.startsWith('../') ? posix.join(posix.basename(folder), below) : file
      return patchOf(name, before, after)
    })
    .join('')
}

/** A proposal as JSON; `database`, `api` and `access` are null where the files have mistakes. */
export async function propose(place: ProposalPlace, edits: readonly FileEdit[]): Promise<JsonObject> {
  const sources = await presentFiles(place)
  const changed = changedFiles(sources, edits)
  const present = await bootOf(sources, place)
  knownOf(place.settings).sources = present.value?.sources ?? knownOf(place.settings).sources
  const proposed = await bootOf(withFiles(sources, changed), place)
  const told = proposed.value === undefined ? undefined : await consequences(place, present.value, proposed.value)
  const diagnostics = [...proposed.diagnostics, ...(told?.diagnostics ?? [])]
  return {
    patch: patchFor(changed, place),
    diagnostics: diagnostics.map(diagnosticAsJson),
    ...(told?.value ?? { plan: null, api: null, access: null }),
    hash: hashOf(changed),
  }
}

/** What the changed application does, besides what the present one does already. */
async function consequences(
  place: ProposalPlace,
  present: Boot | undefined,
  proposed: Boot,
): Promise<Required<Collected<JsonObject>>> {
  const { database } = place
  const now = place.now()
  const { diagnostics, value: plan } = await databasePlan(proposed, database, now)
  const outside = present === undefined ? { api: null, access: null } : await outsideOf(place, present, proposed)
  return { value: asJson({ plan: planAsJson(plan), ...outside }), diagnostics }
}

/** What the present files would change, compared with the database and with what was served last, as `plinth plan` says it. */
export async function presentPlan(place: ProposalPlace): Promise<JsonObject> {
  const { database, settings } = place
  const { diagnostics, value } = await bootOf(await presentFiles(place), place)
  if (value === undefined) return { diagnostics: diagnostics.map(diagnosticAsJson), plan: null }
  const now = place.now()
  const planned = await databasePlan(value, database, now)
  const differences = await differencesOf(value, database, { now, plan: planned.value, settings })
  const { outside } = differences
  return asJson({
    diagnostics: [...diagnostics, ...planned.diagnostics].map(diagnosticAsJson),
    plan: planAsJson(planned.value),
    since: outside?.since ?? null,
    api: outside?.api ?? null,
    access: outside === undefined ? null : { sentences: accessSentences(outside.access) },
    rules: differences.violations.map(({ ids, words }) => ({ says: words, ids })),
  })
}

/** The steps of a plan, each with what a start makes of it; the hash is the word of a person for those that it refuses. */
function planAsJson({ hash, start, steps }: ShownPlan) {
  return {
    hash,
    steps: steps.map((step) => ({
      ...stepAsJson(step),
      start: start.refuses.includes(step) ? 'refuses' : start.leaves.includes(step) ? 'leaves' : 'takes',
    })),
  }
}

async function outsideOf({ database, now }: ProposalPlace, present: Boot, proposed: Boot) {
  const [before, after] = [describedOf(present), describedOf(proposed)]
  const { catalog } = proposed
  const renamed = inPresentNames(catalog, before.access)
  const access = await accessChanges({ catalog, runner: database.adhoc, now: now() }, renamed, after.access)
  return {
    api: compareDocuments(before.api, after.api),
    access: { changes: access.map(accessAsJson), sentences: accessSentences(access) },
  }
}

const describedOf = memo(({ catalog, composition, routes }: Boot) =>
  describeServed(catalog, routes, describeApplication(catalog, routes, composition), true),
)

/** A diagnostic with its place as lines and columns. */
export function diagnosticAsJson({ code, expected, hint, message, severity, span }: Diagnostic): JsonObject {
  const place =
    span === undefined
      ? {}
      : { file: span.source.file, from: position(span.source, span.start), to: position(span.source, span.end) }
  return asJson({ code, severity: severity ?? 'error', message, hint, expected, ...place })
}

/** What was written, and the changes that take it back. */
export interface Written {
  readonly files: readonly string[]
  readonly undo: readonly FileEdit[]
}

/** Writes the files of a proposal by its hash; undefined where the changes make others by now. Throws as `changedFiles`. */
export async function writeProposal(
  place: ProposalPlace,
  edits: readonly FileEdit[],
  hash: string,
): Promise<Written | undefined> {
  const changed = changedFiles(await presentFiles(place), edits)
  if (hashOf(changed) !== hash) return undefined
  await writeFiles(changed.filter(({ after, before }) => before !== after))
  return { files: changed.map(({ file }) => file), undo: changed.map(takenBack) }
}

function takenBack({ after, before, file }: ChangedFile): FileEdit {
  const hash = after === undefined ? null : textHash(after)
  const whole = { file, hash, path: [] } as const
  return before === undefined ? { ...whole, op: 'remove' } : { ...whole, op: 'set', value: before }
}

/** Brings the database and this program to the present files by the plan of a hash, with the steps that need a person's word. */
export async function applyPlanOf(place: ProposalPlace, hash: string): Promise<readonly Diagnostic[]> {
  const { database, log, now, settings } = place
  const { diagnostics, value } = await bootOf(await presentFiles(place), place)
  if (value === undefined) return diagnostics
  const rolledOut = await rollOut({
    runner: database.adhoc,
    presence: database.presence,
    version: value.version,
    settle: (pause) =>
      setUpByPlan(hash, value.catalog, database, { log, now: now(), settings, edited: true, logsLeft: false, pause }),
  })
  return rolledOut.diagnostics
}
