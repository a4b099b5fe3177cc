/** ⇄ Boot: a folder of YAML and its plugins become a catalog, or all complaints at once. */
import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Catalog } from '../catalog/catalog.ts'
import { checkApp, checkResource } from '../definition/check.ts'
import type { AppDefinition, Document } from '../definition/definition.ts'
import { parseDocument } from '../definition/parse.ts'
import { readSources } from '../definition/read.ts'
import { isObject } from '../json.ts'
import { type Composition, compose } from '../plugin/compose.ts'
import { loadPlugins } from '../plugin/load.ts'
import type { WrittenOptions } from '../plugin/options.ts'
import { inOrder, resolve } from '../resolve/resolve.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import type { Source } from '../text/source.ts'
import { judgeRoutes } from './bind-routes.ts'
import { extend, nameOf } from './extend.ts'
import { fillGuests } from './guest.ts'
import { salvage } from './salvage.ts'

export interface Boot {
  readonly catalog: Catalog
  readonly composition: Composition
  /** Everything that was read, app.yaml first; plugins' files among them. */
  readonly sources: readonly Source[]
}

export interface BootOptions {
  readonly resourcesDir: string
  readonly pluginsDir: string
}

/**
 * Reads, checks and resolves an application. There is a value only without errors; warnings may stand beside it.
 * Never throws for an author's mistake.
 */
export async function readCatalog({ resourcesDir, pluginsDir }: BootOptions): Promise<Collected<Boot>> {
  const { value: sources, diagnostics: reading } = await readSources(resourcesDir)
  if (sources === undefined) return { diagnostics: reading }
  const app = parseDocument(sources.app)
  const written = pluginsOf(app.value)
  const place = (name: string) => written.place([name], 'key')
  const loaded = await loadPlugins(Object.keys(written.value), { pluginsDir, place })
  const composed = compose(loaded.value, written.value, written)
  const brought = await pluginSources(composed.value)
  const found = [...reading, ...app.diagnostics, ...loaded.diagnostics, ...composed.diagnostics, ...brought.diagnostics]
  const rest = catalogOf(app.value, sources.resources, composed.value, brought.value)
  // A missing plugin's words would all look unknown; the missing plugin is the one mistake.
  const missing =
    loaded.diagnostics.some(({ severity }) => severity !== 'warning') ||
    composed.diagnostics.some(({ code }) => code === 'missing_plugin')
  const judged = !missing
    ? rest.diagnostics
    : rest.diagnostics.filter((diagnostic) => !FOLLOWS_A_PLUGIN.has(diagnostic.code))
  const routes = rest.value === undefined ? [] : judgeRoutes(composed.value, rest.value)
  const diagnostics = inOrder([...found, ...judged, ...routes])
  const failed = diagnostics.some((diagnostic) => diagnostic.severity !== 'warning')
  if (failed || rest.value === undefined) return { diagnostics }
  const all = [sources.app, ...brought.value, ...sources.resources]
  return {
    value: Object.freeze({ catalog: rest.value, composition: composed.value, sources: all }),
    diagnostics,
  }
}

const FOLLOWS_A_PLUGIN: ReadonlySet<string> = new Set([
  'unknown_key',
  'unknown_word',
  'unknown_field',
  'unknown_resource',
  'unknown_attribute',
  'unknown_role',
  'unknown_permission',
  'unknown_hook',
  'unknown_special',
  'missing_live',
  'missing_relation',
])

/** The pure part of boot: texts in, catalog out. The application's files extend those that plugins brought. */
export function catalogOf(
  app: Document<unknown> | undefined,
  resources: readonly Source[],
  composition: Composition,
  brought: readonly Source[] = [],
): Collected<Catalog> {
  const checkedApp = app === undefined ? undefined : checkApp(app, composition.vocabulary)
  const [own, plugins] = [resources, brought].map((sources) => sources.map((source) => parseDocument(source)))
  const parsed = [...plugins!, ...own!]
  // A file that is no YAML may be any resource, so nobody can say that a name is unknown; its own name is a fair guess.
  const broken = [...brought, ...resources].flatMap(({ file }, index) =>
    parsed[index]!.value === undefined ? [fileName(file)] : [],
  )
  const readable = (documents: typeof parsed) => documents.flatMap(({ value }) => value ?? [])
  const extended = extend(readable(plugins!), readable(own!))
  // Without what a broken file adds to it, the plugin's resource would lack fields that others name.
  const filled = fillGuests(extended.value, composition.vocabulary.fieldTypes)
  const documents = filled.filter((document) => !broken.includes(nameOf(document) ?? ''))
  const checked = documents.map((document) => ({ document, ...checkResource(document, composition.vocabulary) }))
  const found = [...parsed, extended, ...checked].flatMap((one) => one.diagnostics)
  const diagnostics = [...(checkedApp?.diagnostics ?? []), ...found]
  const salvaged = checked.flatMap(({ document, value }) => {
    return value === undefined ? [] : [salvage(document, value, composition.vocabulary)]
  })
  const usable = salvaged.map(({ document }) => document)
  const names = new Set(usable.map(({ value }) => value.resource))
  const named = filled.flatMap((document) => nameOf(document) ?? [])
  const unusable = new Set([
    ...[...named, ...broken].filter((name) => !names.has(name)),
    ...salvaged.flatMap(({ broken }) => broken),
  ])
  const stand = checkedApp?.value ?? NO_APP
  const resolved = resolve({ app: stand, resources: usable }, composition.extensions, unusable)
  const all = [...diagnostics, ...resolved.diagnostics]
  const failed = checkedApp?.value === undefined || all.some((diagnostic) => diagnostic.severity !== 'warning')
  return failed || resolved.value === undefined ? { diagnostics: all } : { value: resolved.value, diagnostics: all }
}

/** Stands in for an app.yaml that can't be used, so that resources are still judged. */
const NO_APP: Document<AppDefinition> = {
  value: { name: '' },
  place: () => ({ source: { file: 'app.yaml', text: '' }, start: 0, end: 0 }),
}

function pluginsOf(app: Document<unknown> | undefined): WrittenOptions {
  const plugins = isObject(app?.value) ? app.value.plugins : undefined
  const options = isObject(plugins)
    ? Object.entries(plugins).map(([name, own]) => [name, isObject(own) ? own : null] as const)
    : []
  const place: WrittenOptions['place'] = (path, part) => (app ?? NO_APP).place(['plugins', ...path], part)
  return { value: Object.fromEntries(options), place }
}

async function pluginSources(composition: Composition): Promise<Required<Collected<readonly Source[]>>> {
  const value: Source[] = []
  const diagnostics: Diagnostic[] = []
  for (const { plugin, value: url } of composition.resources) {
    const path = fileURLToPath(url)
    try {
      value.push({ file: relative(process.cwd(), path), text: await readFile(path, 'utf8') })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      diagnostics.push({
        code: 'source_unreadable',
        message: `A resource file of the plugin "${plugin}" can not be read: ${reason}`,
      })
    }
  }
  return { value, diagnostics }
}

function fileName(file: string): string {
  return file.replace(/^.*[\\/]/, '').replace(/\.yaml$/, '')
}
