/** ⇄ Boot: a folder of YAML and its plugins become a catalog, or all complaints at once. */

import { readFile } from 'node:fs/promises'
import { posix, relative, resolve as resolvePath } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Catalog } from '../catalog/catalog.ts'
import { basesOf, completedByBase } from '../definition/bases.ts'
import { type CheckedResource, checkApp, checkPlugins, checkResource } from '../definition/check.ts'
import type { AppDefinition, Document, Path } from '../definition/definition.ts'
import { parseDocument } from '../definition/parse.ts'
import { readSources, type Sources } from '../definition/read.ts'
import { sentenceOf } from '../error.ts'
import type { BoundRoute } from '../http/bound-route.ts'
import { isObject, type Json } from '../json.ts'
import { type Composition, compose } from '../plugin/compose.ts'
import { loadPlugins, shippedPlugins } from '../plugin/load.ts'
import { codeHash } from '../plugin/modules.ts'
import { withUnusedPlugins } from '../plugin/unused-plugins.ts'
import { inOrder, resolve } from '../resolve/resolve.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { nearest } from '../text/nearest.ts'
import type { Source } from '../text/source.ts'
import { atOnce, type Doing, each, type Pieces } from '../turns.ts'
import { extendResources, nameOf } from './extend-resource.ts'
import { fileVersion } from './files-version.ts'
import { judgedRoutes } from './plugin-routes.ts'

export interface Boot {
  readonly catalog: Catalog
  readonly composition: Composition
  /** The routes of plugins, ready to be served. */
  readonly routes: readonly BoundRoute[]
  /** The application's own files, as they were read. */
  readonly files: Sources
  /** Everything that was read, app.yaml first; plugins' files among them. */
  readonly sources: readonly Source[]
  /** The version of the files, the code of the plugins as it was before any of it was imported. */
  readonly version: string
}

export interface BootOptions {
  readonly resourcesDir: string
  readonly pluginsDir: string
}

/**
 * Reads, checks and resolves an application. There is a value only without errors; there may be warnings too.
 * Never throws for an author's mistake. A process that serves requests meanwhile does the work in turns.
 */
export async function readCatalog(
  { resourcesDir, pluginsDir }: BootOptions,
  doing: Doing = atOnce,
): Promise<Collected<Boot>> {
  return catalogFrom(await readSources(resourcesDir), pluginsDir, doing)
}

/** The same for files that were read already, or that are written only after this check. */
export async function catalogFrom(
  { value: sources, diagnostics: unreadable }: Collected<Sources>,
  pluginsDir: string,
  doing: Doing = atOnce,
): Promise<Collected<Boot>> {
  if (sources === undefined) return { diagnostics: unreadable }
  // Code that is saved while it is imported is another version, whichever of the two was imported.
  const code = await codeHash(resolvePath(pluginsDir))
  const app = parseDocument(sources.app)
  const plugins = checkPlugins(app.value ?? NO_APP)
  const place = (name: string) => plugins.value.place([name], 'key')
  const used = Object.keys(plugins.value.value)
  const loaded = await loadPlugins(used, { pluginsDir, place })
  const composed = compose(loaded.value, plugins.value)
  const brought = await pluginSources(composed.value)
  const found = [app, plugins, loaded, composed, brought].flatMap((stage) => stage.diagnostics)
  const authenticates = composed.value.authenticate !== undefined
  const routed = routedBy(composed.value, await shippedPlugins())
  const known = { authenticates, brought: new Set(brought.value), routed }
  const composition = { ...composed.value, extensions: { ...composed.value.extensions, ...known } }
  const rest = await doing(catalogPieces(app.value, sources.resources, composition, brought.value, sources.texts))
  // Where a plugin is missing, its words are unknown too; only the missing plugin is reported.
  const missing =
    loaded.diagnostics.some(({ severity }) => severity !== 'warning') ||
    composed.diagnostics.some(({ code }) => code === 'missing_plugin')
  const judged = !missing
    ? rest.diagnostics
    : rest.diagnostics.filter((diagnostic) => !FOLLOWS_A_PLUGIN.has(diagnostic.code))
  const routes = rest.value === undefined ? { value: [], diagnostics: [] } : judgedRoutes(composed.value, rest.value)
  const told = await withUnusedPlugins(judged, used, { pluginsDir })
  const diagnostics = inOrder([...unreadable, ...found, ...told, ...routes.diagnostics])
  const failed = diagnostics.some((diagnostic) => diagnostic.severity !== 'warning')
  if (failed || rest.value === undefined) return { diagnostics }
  const all = [sources.app, ...brought.value, ...sources.resources, ...sources.texts]
  return {
    value: Object.freeze({
      catalog: rest.value,
      composition: composed.value,
      routes: Object.freeze(routes.value),
      files: sources,
      sources: all,
      version: fileVersion(all, code),
    }),
    diagnostics,
  }
}

/** Routes of a plugin of the application's own can write every resource, and others those that have a key of the plugin. */
function routedBy({ resourceRoutes, routes, vocabulary }: Composition, shipped: readonly string[]) {
  const own = [...routes, ...resourceRoutes].some(({ plugin }) => !shipped.includes(plugin))
  const known = new Set(resourceRoutes.map(({ plugin }) => plugin))
  return (keys: readonly string[]): boolean =>
    own || keys.some((key) => known.has(vocabulary.keys.get(key)?.plugin ?? ''))
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

/** The pure part of boot: sources in, catalog out. */
export function catalogOf(...given: Parameters<typeof catalogPieces>): Collected<Catalog> {
  return atOnce(catalogPieces(...given))
}

/** The same in pieces. Files of the application extend those of plugins, and may name `texts`. */
function* catalogPieces(
  app: Document<unknown> | undefined,
  resources: readonly Source[],
  composition: Composition,
  brought: readonly Source[] = [],
  texts: readonly Source[] = [],
): Pieces<Collected<Catalog>> {
  const checkedApp = app === undefined ? { diagnostics: [] } : checkApp(app)
  const plugins = yield* each(brought, parseDocument)
  const own = yield* each(resources, parseDocument)
  const parsed = [...plugins, ...own]
  const broken = [...brought, ...resources].flatMap(({ file }, index) =>
    parsed[index]!.value === undefined ? [resourceOf(file)] : [],
  )
  const readable = (documents: typeof parsed) => documents.flatMap(({ value }) => value ?? [])
  const included = readable(own).map((document) => withTexts(document, texts))
  const extended = extendResources(
    readable(plugins),
    included.map(({ value }) => value),
  )
  const bases = basesOf(extended.value)
  const completed = completedByBase(extended.value, bases, composition.vocabulary.fieldTypes)
  // Without the additions of a broken file, the plugin's resource would lack fields that others name.
  const documents = completed.filter((document) => !broken.includes(nameOf(document) ?? ''))
  const checked = yield* each(documents, (document) => checkResource(document, composition.vocabulary))
  const usable = checked.flatMap(({ value }) => value ?? [])
  const names = new Set(usable.map(({ value }) => value.resource))
  const written = [...broken, ...completed.flatMap((document) => nameOf(document) ?? [])]
  const unusable = new Set([...written.filter((name) => !names.has(name)), ...checked.flatMap(lostNames)])
  const definition = { app: checkedApp.value ?? NO_APP, resources: usable, bases }
  const resolved = yield* resolve(definition, composition.extensions, unusable)
  const diagnostics = [checkedApp, ...parsed, ...included, extended, ...checked, resolved].flatMap(
    (stage) => stage.diagnostics,
  )
  const failed = checkedApp.value === undefined || diagnostics.some((diagnostic) => diagnostic.severity !== 'warning')
  return failed || resolved.value === undefined ? { diagnostics } : { value: resolved.value, diagnostics }
}

/** The resource that a file without readable YAML probably declares, by the file's name. */
function resourceOf(file: string): string {
  return file.replace(/^.*[\\/]/, '').replace(/\.yaml$/, '')
}

/**
 * `tickets.status` for each field or relation that was left out, and for the foreign key that it would have brought.
 */
function lostNames({ value, lost }: CheckedResource): readonly string[] {
  return lost.flatMap(({ name, definition }) => {
    const column = isObject(definition) && typeof definition.column === 'string' ? definition.column : `${name}_id`
    return [`${value?.value.resource}.${name}`, `${value?.value.resource}.${column}`]
  })
}

/** Replaces an app.yaml that cannot be used, so that resources are still judged. */
const NO_APP: Document<AppDefinition> = {
  value: { name: '' },
  place: () => ({ source: { file: 'app.yaml', text: '' }, start: 0, end: 0 }),
}

async function pluginSources(composition: Composition): Promise<Required<Collected<readonly Source[]>>> {
  const value: Source[] = []
  const diagnostics: Diagnostic[] = []
  for (const { plugin, value: url } of composition.resources) {
    const path = fileURLToPath(url)
    try {
      value.push({ file: relative(process.cwd(), path), text: await readFile(path, 'utf8') })
    } catch (error) {
      const reason = sentenceOf(error)
      diagnostics.push({
        code: 'source_unreadable',
        message: `A resource file of the plugin "${plugin}" cannot be read: ${reason}`,
      })
    }
  }
  return { value, diagnostics }
}

/** The document with the texts in their places; a file that is not there is a complaint, and the map stays. */
function withTexts(document: Document<unknown>, texts: readonly Source[]): Required<Collected<Document<unknown>>> {
  const { value, place } = document
  const automations = isObject(value as Json) ? (value as { automations?: Json }).automations : undefined
  if (!isObject(automations)) return { value: document, diagnostics: [] }
  const diagnostics: Diagnostic[] = []
  const folder = posix.dirname(place([]).source.file)
  const filled = (node: Json, at: Path): Json => {
    if (Array.isArray(node)) return node.map((item, index) => filled(item, [...at, index]))
    if (!isObject(node)) return node
    const name = fileIn(node)
    if (name === undefined)
      return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, filled(item, [...at, key])]))
    const found = texts.find(({ file }) => file === posix.join(folder, name))
    if (found !== undefined) return found.text.replace(/^\uFEFF/, '').trimEnd()
    diagnostics.push({ ...missing(name, place([]).source.file, texts), span: place([...at, 'file']) })
    return node
  }
  const whole = filled(automations, ['automations'])
  return { value: { value: { ...(value as object), automations: whole }, place }, diagnostics }
}

/** The file that a map names. */
function fileIn(node: { readonly [key: string]: Json }): string | undefined {
  const { file, ...others } = node
  return typeof file === 'string' && Object.keys(others).length === 0 && file.endsWith('.liquid') ? file : undefined
}

function missing(name: string, beside: string, texts: readonly Source[]): Diagnostic {
  const folder = posix.dirname(beside)
  const known = texts.map(({ file }) => posix.relative(folder, file))
  const near = nearest(name, known)
  const hint = near === undefined ? `make ${posix.join(folder, name)}` : `did you mean "${near}"?`
  return { code: 'source_unreadable', message: `There is no file ${name} beside ${posix.basename(beside)}`, hint }
}
