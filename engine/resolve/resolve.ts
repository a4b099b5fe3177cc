/** Resolve: a definition becomes a catalog by passes that complete it, in order, and rules that only judge. */

import type { Catalog } from '../catalog/catalog.ts'
import { deepFreeze } from '../catalog/freeze.ts'
import type { AppDefinition, Definition } from '../definition/definition.ts'
import { LIMITS } from '../limits.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { accountRules, attributesRead, roleNames } from './accounts.ts'
import { recordConditions, relationConditions } from './conditions.ts'
import { contradictions } from './contradictions.ts'
import { outline } from './drafts.ts'
import { embeds } from './embeds.ts'
import type { Extensions } from './extensions.ts'
import { indexes } from './indexes.ts'
import { inherit } from './inheritance.ts'
import { reading } from './list-options.ts'
import { routing } from './lookup-and-nested.ts'
import { policies } from './policies.ts'
import { foreignKeys, inverses } from './relations.ts'
import { newWork, type Work } from './resolution.ts'
import { judge } from './rules.ts'
import { seeds } from './seeds.ts'
import { applyTransforms } from './transforms.ts'

/** The passes, in order: each may rely on all that stand before it. */
export const PASSES: readonly { readonly name: string; readonly run: (work: Work) => void }[] = [
  { name: 'transforms', run: applyTransforms },
  { name: 'inheritance', run: inherit },
  { name: 'outline', run: outline },
  { name: 'foreign keys', run: foreignKeys },
  { name: 'inverses', run: inverses },
  { name: 'conditions of records', run: recordConditions },
  { name: 'conditions of relations', run: relationConditions },
  { name: 'embeds', run: embeds },
  { name: 'reading', run: reading },
  { name: 'policies', run: policies },
  { name: 'routing', run: routing },
  { name: 'indexes', run: indexes },
  { name: 'seeds', run: seeds },
  { name: 'accounts', run: accountRules },
  { name: 'rules', run: judge },
  { name: 'contradictions', run: contradictions },
]

/**
 * Completes, links and judges a definition; every mistake of every file is reported at its place.
 * `unusable` names resources whose files are too broken to read, so that nobody is told they don't exist.
 * There is a value only when there is no error; warnings may stand beside it.
 */
export function resolve(
  definition: Definition,
  extensions: Extensions,
  unusable: ReadonlySet<string> = new Set(),
): Collected<Catalog> {
  const work = newWork(definition.app, definition.resources, extensions, unusable)
  for (const pass of PASSES) pass.run(work)
  if (isFailed(work.diagnostics)) return { diagnostics: inOrder(work.diagnostics) }
  const catalog = catalogOf(work)
  const keep = keeper(extensions)
  deepFreeze(catalog, keep)
  const judged = extensions.rules.flatMap(({ plugin, rule, options }) => judgedBy(plugin, () => rule(catalog, options)))
  const diagnostics = inOrder([...work.diagnostics, ...judged])
  return isFailed(diagnostics) ? { diagnostics } : { value: catalog, diagnostics }
}

function isFailed(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity !== 'warning')
}

function judgedBy(plugin: string, rule: () => readonly Diagnostic[]): readonly Diagnostic[] {
  try {
    return rule()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [{ code: 'plugin_failed', message: `A rule of the plugin "${plugin}" failed: ${reason}` }]
  }
}

function catalogOf(work: Work): Catalog {
  const { value } = work.app
  return {
    name: value.name,
    version: value.version ?? '0.0.0',
    description: value.description,
    prefix: (value.prefix ?? '').replace(/\/+$/, ''),
    resources: new Map(work.drafts),
    permissions: new Map([...work.permissions].sort(([a], [b]) => (a < b ? -1 : 1))),
    accounts: accountsOf(work),
    pluginOptions: new Map(work.extensions.pluginOptions),
    strictness: strictnessOf(value),
    limits: limitsOf(value),
    fieldTypes: new Map(work.extensions.fieldTypes),
  }
}

function accountsOf(work: Work): Catalog['accounts'] {
  const { accounts } = work.extensions
  if (accounts === undefined) return undefined
  return { resource: accounts.resource, attributes: attributesRead(work), roles: roleNames(work) }
}

/** A narrower maximum narrows what a page has by itself. */
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

/** Field types may keep state of their own; spans and sources belong to the documents. */
function keeper(extensions: Extensions): (value: object) => boolean {
  const types = new Set<object>(extensions.fieldTypes.values())
  return (value) => types.has(value) || ('source' in value && 'start' in value && 'end' in value)
}

/** By file and place, each complaint once, so that the order of files and passes never shows. */
export function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Map<string, Diagnostic>()
  for (const diagnostic of diagnostics) {
    const { span, code, message } = diagnostic
    const key = JSON.stringify([span?.source.file ?? '', span?.start ?? 0, code, message])
    if (!seen.has(key)) seen.set(key, diagnostic)
  }
  const file = (diagnostic: Diagnostic): string => diagnostic.span?.source.file ?? ''
  const start = (diagnostic: Diagnostic): number => diagnostic.span?.start ?? 0
  return [...seen.values()].sort((a, b) => (file(a) === file(b) ? start(a) - start(b) : file(a) < file(b) ? -1 : 1))
}
