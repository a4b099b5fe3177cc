/** Resolve: a definition becomes a catalog by passes that complete it, in order, and by tables of mistakes. */

import type { Catalog } from '../catalog/catalog.ts'
import { deepFreeze } from '../catalog/without.ts'
import type { AppDefinition, Definition } from '../definition/definition.ts'
import { LIMITS } from '../limits.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import type { Pieces } from '../turns.ts'
import { declarePermissions } from './access.ts'
import { accountRules, attributesRead, roleFields, roleNames, tellOfNobody } from './accounts.ts'
import { automations } from './automations.ts'
import { calendars } from './calendars.ts'
import { recordConditions, relationConditions } from './conditions.ts'
import { draftResources } from './drafts.ts'
import { earlierNames } from './earlier-names.ts'
import { embeds } from './embeds.ts'
import type { Extensions } from './extensions.ts'
import { follows, relatedFollows } from './follows.ts'
import { backfills, storedFields } from './formulas.ts'
import { indexes } from './indexes.ts'
import { joiningTables } from './joining.ts'
import { judgeAccess } from './judge/access.ts'
import { judgeComputedFields } from './judge/computed-fields.ts'
import { judgeFields } from './judge/fields.ts'
import { judgeMoves } from './judge/moves.ts'
import { judgedByPlugins } from './judge/plugins.ts'
import { judgePolicies } from './judge/policies.ts'
import { judgeRefusedSets } from './judge/refused-sets.ts'
import { judgeRelations } from './judge/relations.ts'
import { judgeResources } from './judge/resources.ts'
import { judgeRules } from './judge/rules.ts'
import { judgeSeeds } from './judge/seeds.ts'
import { judgeTables } from './judge/tables.ts'
import { judgeTogether } from './judge/together.ts'
import { keeping } from './keep.ts'
import { listOptions } from './list-options.ts'
import { logging } from './logging.ts'
import { moves } from './moves.ts'
import { policies } from './policies.ts'
import { recordPaths } from './record-paths.ts'
import { recordRules } from './record-rules.ts'
import { foreignKeys, inverses, otherSides } from './relations.ts'
import { beginResolution, isUnread, type Resolution } from './resolution.ts'
import { screens } from './screens.ts'
import { seeds } from './seeds.ts'
import { tableRules } from './table-rules.ts'
import { judgeWords, knownSentences, saidTexts, wordsByLanguage } from './words.ts'
import { applyTransforms, inherit } from './written-resources.ts'

interface Pass {
  readonly name: string
  readonly run: (resolution: Resolution) => void | Pieces<void>
}

/** The passes in their order; each may use what the earlier ones completed. */
export const PASSES: readonly Pass[] = [
  { name: 'calendars', run: calendars },
  { name: 'transforms', run: applyTransforms },
  { name: 'inheritance', run: inherit },
  { name: 'drafts', run: draftResources },
  { name: 'foreign keys', run: foreignKeys },
  { name: 'stored fields', run: storedFields },
  { name: 'backfills', run: backfills },
  { name: 'inverses', run: inverses },
  { name: 'other sides of relations', run: otherSides },
  { name: 'conditions of records', run: recordConditions },
  { name: 'conditions of relations', run: relationConditions },
  { name: 'embeds', run: embeds },
  { name: 'list options', run: listOptions },
  { name: 'policies', run: policies },
  { name: 'rules of records', run: recordRules },
  { name: 'rules of tables', run: tableRules },
  { name: 'moves', run: moves },
  { name: 'what follows', run: follows },
  { name: 'what follows in other records', run: relatedFollows },
  { name: 'automations', run: automations },
  { name: 'paths of records', run: recordPaths },
  { name: 'keep', run: keeping },
  { name: 'screens', run: screens },
  { name: 'indexes', run: indexes },
  { name: 'joining tables', run: joiningTables },
  { name: 'seeds', run: seeds },
  { name: 'logging', run: logging },
  { name: 'accounts', run: accountRules },
  { name: 'judge of tables', run: judgeTables },
  { name: 'judge of resources', run: judgeResources },
  { name: 'judge of fields', run: judgeFields },
  { name: 'judge of computed fields', run: judgeComputedFields },
  { name: 'judge of relations', run: judgeRelations },
  { name: 'judge of policies', run: judgePolicies },
  { name: 'judge of access', run: judgeAccess },
  { name: 'judge of rules', run: judgeRules },
  { name: 'judge of moves', run: judgeMoves },
  { name: 'judge of rules together', run: judgeTogether },
  { name: 'judge of what is set by itself', run: judgeRefusedSets },
  { name: 'judge of seeds', run: judgeSeeds },
  { name: 'earlier names', run: earlierNames },
]

/**
 * Completes, links and judges a definition; every mistake of every file is reported at its place.
 * `unusable` names what is written but cannot be used, so that it is not reported as unknown.
 * There is a value only when there is no error; there may be warnings with it.
 */
export function* resolve(
  definition: Definition,
  extensions: Extensions,
  unusable: ReadonlySet<string> = new Set(),
): Pieces<Collected<Catalog>> {
  const resolution = beginResolution(definition, extensions, unusable)
  const { explain } = definition.app.value
  if (explain !== undefined) {
    declarePermissions(resolution, [{ kind: 'permission', ...explain }], 'app.yaml')
    tellOfNobody(resolution, 'permission', definition.app.place(['explain', 'permission']), 'take it away')
  }
  for (const pass of PASSES) {
    yield* pass.run(resolution) ?? []
    yield
  }
  // What is not said, or seems to do nothing, may be in a file that could not be read.
  const isWhole = !isUnread(resolution)
  const found = resolution.diagnostics.filter(({ severity }) => isWhole || severity !== 'warning')
  if (!isWhole || isFailed(found)) return { diagnostics: inOrder(found) }
  const catalog = catalogOf(resolution)
  const keep = keeper(extensions)
  deepFreeze(catalog, keep)
  yield
  judgeWords(resolution)
  const diagnostics = inOrder([...resolution.diagnostics, ...judgedByPlugins(resolution, catalog)])
  return isFailed(diagnostics) ? { diagnostics } : { value: catalog, diagnostics }
}

function isFailed(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity !== 'warning')
}

function catalogOf(resolution: Resolution): Catalog {
  const { value } = resolution.definition.app
  return {
    name: value.name,
    languages: value.languages ?? [],
    words: wordsByLanguage(resolution),
    texts: {
      sentences: knownSentences(resolution.definition),
      plugins: new Map(resolution.extensions.texts),
      resources: saidTexts(resolution),
    },
    version: value.version ?? '0.0.0',
    description: value.description,
    prefix: (value.prefix ?? '').replace(/\/+$/, ''),
    resources: new Map(resolution.drafts),
    calendars: new Map(resolution.calendars),
    permissions: new Map([...resolution.permissions].sort(([a], [b]) => (a < b ? -1 : 1))),
    accounts: accountsOf(resolution),
    pluginOptions: new Map(resolution.extensions.pluginOptions),
    strictness: strictnessOf(value),
    onDrift: value.on_drift ?? 'stop',
    takenOver: new Map(resolution.extensions.takenOver),
    explain: value.explain?.permission,
    console: value.console,
    additions: resolution.extensions.additions ?? new Map(),
    limits: limitsOf(value),
    fieldTypes: new Map(resolution.extensions.fieldTypes),
    listeners: new Map(resolution.heard),
    listenersAt: new Map(resolution.heardAt),
  }
}

function accountsOf(resolution: Resolution): Catalog['accounts'] {
  const { accounts } = resolution.extensions
  if (accounts === undefined) return undefined
  const { address, language, resource } = accounts
  return {
    resource,
    attributes: attributesRead(resolution),
    address: address && { field: address.field, confirmed: address.confirmed },
    language: resolution.drafts.get(resource)?.fields.get(language ?? ''),
    roles: roleNames(resolution),
    role: roleFields(resolution),
  }
}

/** Where the maximum of a page is below the default, the default is lowered with it. */
function limitsOf(app: AppDefinition): Catalog['limits'] {
  const limits = { ...LIMITS, ...app.limits }
  return { ...limits, perPageDefault: Math.min(limits.perPageDefault, limits.perPageMax) }
}

function strictnessOf(app: AppDefinition): Catalog['strictness'] {
  return {
    unknownParameters: app.strictness?.unknown_parameters ?? 'refuse',
    unknownKeys: app.strictness?.unknown_keys ?? 'refuse',
    malformedJson: app.strictness?.malformed_json ?? 400,
  }
}

/** What must not be frozen: field types, which may keep state, and places, which belong to the documents. */
function keeper(extensions: Extensions): (value: object) => boolean {
  const types = new Set<object>(extensions.fieldTypes.values())
  return (value) => types.has(value) || ('source' in value && 'start' in value && 'end' in value)
}

/** Sorts complaints by file and place and drops repeated ones, so that the order of files and passes makes no difference. */
export function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Map<string, Diagnostic>()
  const unread = new Set(diagnostics.flatMap((one) => (one.code === 'ambiguous_number' ? [placeOf(one)] : [])))
  const mistakes = diagnostics.filter(({ severity }) => severity !== 'warning')
  for (const diagnostic of diagnostics) {
    const { span, code, message } = diagnostic
    // What a number means is not known, so nothing else can be said of it.
    if (code !== 'ambiguous_number' && unread.has(placeOf(diagnostic))) continue
    // Of a part with a mistake in it, no more than the mistake is certain.
    if (diagnostic.severity === 'warning' && mistakes.some((one) => meet(one, diagnostic))) continue
    const key = JSON.stringify([span?.source.file ?? '', span?.start ?? 0, code, message])
    if (!seen.has(key)) seen.set(key, diagnostic)
  }
  const file = (diagnostic: Diagnostic): string => diagnostic.span?.source.file ?? ''
  const start = (diagnostic: Diagnostic): number => diagnostic.span?.start ?? 0
  return [...seen.values()].sort((a, b) => (file(a) === file(b) ? start(a) - start(b) : file(a) < file(b) ? -1 : 1))
}

/** Whether the places of two complaints have text in common. */
function meet({ span: one }: Diagnostic, { span: other }: Diagnostic): boolean {
  if (one === undefined || other === undefined || one.source !== other.source) return false
  return one.start < other.end && other.start < one.end
}

function placeOf({ span }: Diagnostic): string {
  return JSON.stringify([span?.source.file, span?.start, span?.end])
}
