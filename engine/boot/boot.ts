/** ⇄ Boot: a folder of YAML and its plugins become a catalog, or all complaints at once. */

import { resolve as resolvePath } from 'node:path'
import type { Catalog } from '../catalog/catalog.ts'
import { basesOf, completedByBase } from '../definition/bases.ts'
import { type CheckedResource, checkApp, checkPlugins, checkResource, outdentedResource } from '../definition/check.ts'
import type { AppDefinition, Document, WordsFile } from '../definition/definition.ts'
import { within } from '../definition/document-node.ts'
import { parseDocument } from '../definition/parse.ts'
import type { Sources } from '../definition/read.ts'
import { languageIn } from '../definition/words.ts'
import { checkWords } from '../definition/words-schema.ts'
import type { BoundRoute } from '../http/bound-route.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { memo, sameLists } from '../memo.ts'
import type { Composition } from '../plugin/compose.ts'
import { loadPlugins, type PluginPlaces } from '../plugin/load.ts'
import { codeHash } from '../plugin/modules.ts'
import { withUnusedPlugins } from '../plugin/unused-plugins.ts'
import { APP } from '../resolve/resolution.ts'
import { inOrder, resolve } from '../resolve/resolve.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import type { Source, Span } from '../text/source.ts'
import { atOnce, type Doing, each, type Pieces } from '../turns.ts'
import { composedOf } from './composed.ts'
import { nameOf, type Replaced } from './extend-resource.ts'
import { fileVersion } from './files-version.ts'
import { layersOf, pluginFolders, readLayers } from './layers.ts'
import { atOwnLines, makerIn, type OwnPart } from './own-lines.ts'
import { type ParsedFiles, parsedFiles, resourcesOf } from './parse-files.ts'
import { judgedRoutes } from './plugin-routes.ts'
import {
  changedParts,
  changedWarning,
  goneBelow,
  type Lock,
  type ReplacedPart,
  readLock,
  replacedParts,
} from './replaced.ts'
import { type Stacked, stackedApps, stackedResources, withoutIdlePermissions } from './stack.ts'

export interface Boot {
  readonly catalog: Catalog
  readonly composition: Composition
  /** The routes of plugins, ready to be served. */
  readonly routes: readonly BoundRoute[]
  /** The application's own files, as they were read. */
  readonly files: Sources
  /** Everything that was read, app.yaml first; plugins' files among them. */
  readonly sources: readonly Source[]
  /** What the application replaces of the one below, and what that was when it did. */
  readonly replaced: readonly ReplacedPart[]
  readonly lock: Lock
  /** The version of the files, the code of the plugins as it was before any of it was imported. */
  readonly version: string
}

export interface BootOptions {
  readonly resourcesDir: string
  readonly pluginsDir: string
}

/**
 * Reads, checks and resolves an application. There is a value only without errors; there may be warnings too.
 * Never throws for an author's mistake. A process that serves requests meanwhile does the work in turns. What was made of
 * the sources that it read `before` and that are still the same is not made again.
 */
export async function readCatalog(
  { resourcesDir, pluginsDir }: BootOptions,
  doing: Doing = atOnce,
  before: readonly Source[] = [],
): Promise<Collected<Boot>> {
  return catalogFrom(await readLayers(resourcesDir, before), pluginsDir, doing, before)
}

/** The same for files that were read already, or that are written only after this check. */
export async function catalogFrom(
  { value: sources, diagnostics: unreadable }: Collected<Sources>,
  pluginsDir: string,
  doing: Doing = atOnce,
  before: readonly Source[] = [],
): Promise<Collected<Boot>> {
  if (sources === undefined) return { diagnostics: unreadable }
  const places: PluginPlaces = { pluginsDir, below: pluginFolders(sources) }
  // Code that is saved while it is imported is another version, whichever of the two was imported.
  const code = await codeOf(places)
  const layers: ParsedFiles[] = []
  const all = layersOf(sources)
  for (const [index, files] of all.entries()) layers.push(await doing(parsedFiles(files, all.slice(index + 1))))
  const made = await assembled(layers, places, doing, before)
  const judged = async (tried: readonly ParsedFiles[]) => (await assembled(tried, places, doing, before)).diagnostics
  const found = sources.base === undefined ? made.diagnostics : await atOwnLines(made.diagnostics, layers, judged)
  const { parts: replaced, lock, diagnostics: told } = ofReplaced(made.replaced, sources, layers)
  const diagnostics = inOrder([...unreadable, ...found, ...told])
  if (isFailed(diagnostics) || made.value === undefined) return { diagnostics }
  const { brought, written: _, ...parts } = made.value
  const own = all.flatMap(({ app, resources, texts, words }) => [app, ...resources, ...texts, ...words])
  const read = [...new Set([sources.app, ...brought, ...own])]
  return {
    value: Object.freeze({ ...parts, replaced, lock, files: sources, sources: read, version: fileVersion(read, code) }),
    diagnostics,
  }
}

/** A hash of the code in all folders of plugins. */
async function codeOf({ pluginsDir, below = [] }: PluginPlaces): Promise<string> {
  const hashes = await Promise.all([pluginsDir, ...below].map((folder) => codeHash(resolvePath(folder))))
  return hashes.join()
}

/** An application as all its files write it, whichever of them lies below which. */
export interface WrittenApplication {
  readonly app: Document<unknown>
  readonly resources: readonly Document<unknown>[]
  /** Files of words, those of plugins and of the lowest application first. */
  readonly words: readonly WordsFile[]
  readonly catalog: Catalog
  /** A file → the application that it belongs to, in the word that `extends` has for it; undefined: a plugin's. */
  readonly layerOf: (file: string) => string | undefined
}

/** Reads an application as it is written; no value where it has mistakes. `before` is that of `readCatalog`. */
export async function readWritten(
  { resourcesDir, pluginsDir }: BootOptions,
  before: readonly Source[] = [],
): Promise<Collected<WrittenApplication>> {
  const { value: sources, diagnostics } = await readLayers(resourcesDir, before)
  if (sources === undefined) return { diagnostics }
  const all = layersOf(sources)
  const layers = all.map((files, index) => atOnce(parsedFiles(files, all.slice(index + 1))))
  const made = await assembled(layers, { pluginsDir, below: pluginFolders(sources) }, atOnce, before)
  if (made.value === undefined) return { diagnostics: made.diagnostics }
  const labels = new Map<string, string>()
  for (const [index, { app, resources, words }] of all.entries()) {
    const above = layers[index + 1]?.app
    const label = above === undefined ? 'this application' : String(within(above, 'extends').value)
    for (const { file } of [app, ...resources, ...words]) labels.set(file, label)
  }
  const { catalog, written } = made.value
  return { value: { ...written, catalog, layerOf: (file) => labels.get(file) }, diagnostics: made.diagnostics }
}

/**
 * Finds the own part of an application that makes something so of it, such as that a scenario fails; undefined where the
 * application below is so too. `tryOn` hears of each application that is tried.
 */
export async function ownMakers<T>(
  { resourcesDir, pluginsDir }: BootOptions,
  tryOn: (boot: Boot) => Promise<T>,
): Promise<(isSo: (outcome: T) => boolean) => Promise<OwnPart | undefined>> {
  const { value: sources } = await readLayers(resourcesDir)
  if (sources?.base === undefined) return async () => undefined
  const all = layersOf(sources)
  const layers = all.map((files, index) => atOnce(parsedFiles(files, all.slice(index + 1))))
  const places = { pluginsDir, below: pluginFolders(sources) }
  return makerIn(layers, async (tried) => {
    const { diagnostics, value } = await assembled(tried, places, atOnce)
    if (value === undefined || isFailed(diagnostics)) return undefined
    const { brought: _, written: __, ...parts } = value
    return tryOn({ ...parts, replaced: [], lock: new Map(), files: sources, sources: [], version: 'tried' })
  })
}

/** What an application replaces, its lock, and what is to be told of both. */
function ofReplaced(replaced: readonly Replaced[], sources: Sources, layers: readonly ParsedFiles[]) {
  if (sources.base === undefined) return { parts: [], lock: new Map(), diagnostics: [] }
  const own = new Set([sources.app, ...sources.resources, ...sources.texts].map(({ file }) => file))
  const texts = layers.flatMap((layer) => layer.replaced)
  const { parts, diagnostics } = replacedParts([...replaced, ...texts], own)
  const { lock, diagnostics: unread } = readLock(sources.lock)
  const names = (one: ParsedFiles | undefined) =>
    (one?.resources ?? []).map((document): [string, Span] => [nameOf(document) ?? '', document.place(['resource'])])
  const below = new Set(replaced.flatMap(({ path, isMerged }) => (isMerged === true ? [path.split('.')[0] ?? ''] : [])))
  const left = new Set(parts.flatMap(({ path, isLeftOut }) => (isLeftOut ? [path] : [])))
  const extended = [...lock.keys()].filter((path) => !left.has(path))
  const gone = goneBelow(extended, new Map(names(layers.at(-1))), below)
  return {
    parts,
    lock,
    diagnostics: [...diagnostics, ...unread, ...changedParts(parts, lock).map(changedWarning), ...gone],
  }
}

/** The parts of a boot that are made from documents. */
interface Assembled extends Pick<Boot, 'catalog' | 'composition' | 'routes'> {
  readonly written: Pick<WrittenApplication, 'app' | 'resources' | 'words'>
  readonly brought: readonly Source[]
}

/** Plugins, catalog and routes of applications that lie over each other, the lowest first. */
async function assembled(
  layers: readonly ParsedFiles[],
  places: PluginPlaces,
  doing: Doing,
  before: readonly Source[] = [],
): Promise<Collected<Assembled> & Pick<Stack, 'replaced'>> {
  const app = stackedApps(layers)
  const plugins = checkPlugins(app.value ?? NO_APP)
  const place = (name: string) => plugins.value.place([name], 'key')
  const used = Object.keys(plugins.value.value)
  const loaded = await loadPlugins(used, { ...places, place })
  const { additions, composed, brought, composition } = await composedOf(loaded.value, plugins.value, before)
  const found = [app, plugins, loaded, composed, additions, brought].flatMap((stage) => stage.diagnostics)
  const { stack, rest } = await catalogOfLayers(app.value, layers, composition, brought.value, doing)
  const replaced = [...app.replaced, ...stack.replaced]
  // Where a plugin is missing, its words are unknown too; only the missing plugin is reported.
  const isPartLost = isFailed([...loaded.diagnostics, ...additions.diagnostics])
  const missing = isPartLost || composed.diagnostics.some(({ code }) => code === 'missing_plugin')
  const unsure = missing ? FOLLOWS_A_PLUGIN : isFailed([...plugins.diagnostics, ...composed.diagnostics]) ? ROLES : NONE
  const judged = rest.diagnostics.filter(
    ({ code, severity }) => !unsure.has(code) && !(missing && severity === 'warning'),
  )
  const routes = rest.value === undefined ? { value: [], diagnostics: [] } : routesOf(rest.value, composed.value)
  const told = await withUnusedPlugins(judged, used, places)
  const diagnostics = [...found, ...told, ...routes.diagnostics]
  if (rest.value === undefined) return { diagnostics, replaced }
  const value = {
    catalog: rest.value,
    composition: composed.value,
    routes: Object.freeze(routes.value),
    brought: brought.value,
    written: { app: app.value ?? NO_APP, resources: stack.value, words: stack.words },
  }
  return { value, diagnostics, replaced }
}

const routesOf = memo((catalog: Catalog, composition: Composition) => judgedRoutes(composition, catalog))

/** What is made of a list of files that are all the same. */
interface Made {
  known?: { readonly stack: Stack; readonly rest: Collected<Catalog> }
}

const sameParts = sameLists<object>()
const madeOf = memo((_: readonly object[]): Made => ({}))

/** The resources and the catalog of layers; made once of the same documents, plugins and files of plugins. */
async function catalogOfLayers(
  app: Document<unknown> | undefined,
  layers: readonly ParsedFiles[],
  composition: Composition,
  brought: readonly Source[],
  doing: Doing,
): Promise<NonNullable<Made['known']>> {
  const isWhole = layers.every((layer) => layer.app !== undefined && layer.broken.length === 0)
  const documents = layers.flatMap((layer) => [
    ...(layer.app === undefined ? [] : [layer.app]),
    ...layer.resources,
    ...layer.words,
  ])
  const made: Made = isWhole ? madeOf(sameParts([...documents, composition, ...brought])) : {}
  if (made.known !== undefined) return made.known
  const stack = await doing(stackPieces(app, layers, composition, brought))
  const rest = await doing(catalogPieces(app, stack, composition))
  made.known = { stack, rest }
  return made.known
}

function isFailed(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity !== 'warning')
}

const NONE: ReadonlySet<string> = new Set()

/** What is said of roles, which options of a plugin may name. */
const ROLES: ReadonlySet<string> = new Set(['unknown_role'])

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
  'wrong_rule',
  'wrong_words',
])

/** The pure part of boot for one application: sources in, catalog out. */
export function catalogOf(
  app: Document<unknown> | undefined,
  resources: readonly Source[],
  composition: Composition,
  brought: readonly Source[] = [],
  texts: readonly Source[] = [],
): Collected<Catalog> {
  const files = atOnce(parsedFiles({ app: NO_APP.place([]).source, resources, texts, words: [] }))
  const stack = atOnce(stackPieces(app, [{ ...files, app }], composition, brought))
  return atOnce(catalogPieces(app, stack, composition))
}

/** The resources as they are written by all applications and plugins. */
interface Stack extends Stacked<readonly Document<unknown>[]> {
  /** The resources of files that cannot be read as YAML. */
  readonly broken: readonly string[]
  /** The files of words, the lowest first. */
  readonly words: readonly WordsFile[]
  /** The resources in whose files something could not be read, or has another form than what it is laid over. */
  readonly unread: (found: readonly Diagnostic[]) => readonly string[]
}

/** Whether app.yaml names languages, without which no words are read. */
function hasLanguages(app: Document<unknown> | undefined): boolean {
  return app !== undefined && isObject(app.value as Json) && (app.value as JsonObject).languages !== undefined
}

/** Lays applications over each other, and the lowest over the files of plugins. */
function* stackPieces(
  app: Document<unknown> | undefined,
  layers: readonly ParsedFiles[],
  composition: Composition,
  brought: readonly Source[],
): Pieces<Stack> {
  const files = brought.filter(({ file }) => languageIn(file) === undefined)
  const plugins = yield* each(files, parseDocument)
  const isWorded = [app, ...layers.map((one) => one.app)].some(hasLanguages)
  const wordsOfPlugins = isWorded ? brought.filter((source) => !files.includes(source)).map(parseDocument) : []
  const unreadable = files.flatMap((source, index) => (plugins[index]!.value === undefined ? resourcesOf(source) : []))
  const placed = layers.map((layer) => layer.resources.map((one) => outdentedResource(one, composition.vocabulary)))
  const extended = stackedResources(
    plugins.flatMap(({ value }) => value ?? []),
    layers.map((layer, index) => ({ ...layer, resources: placed[index]!.map(({ value }) => value) })),
    new Set(brought),
  )
  const named = layers.flatMap(({ resources }) => resources.map((one) => [one.place([]).source, nameOf(one)] as const))
  const unread = (found: readonly Diagnostic[]): readonly string[] => {
    const sources = new Set(found.flatMap((one) => (one.severity === 'warning' ? [] : (one.span?.source ?? []))))
    return named.flatMap(([source, name]) => (name !== undefined && sources.has(source) ? [name] : []))
  }
  // What a file adds to a resource is not known where it has another form.
  const ofOtherForm = unread(extended.diagnostics.filter(({ code }) => code === 'wrong_type'))
  const broken = [...unreadable, ...ofOtherForm, ...layers.flatMap((layer) => layer.broken)]
  const own = new Set([...(layers.at(-1)?.resources ?? [])].map(({ place }) => place([]).source))
  const value =
    layers.length < 2 ? extended.value : withoutIdlePermissions(extended.value, app, composition.extensions, own)
  const ofFiles = layers.map(({ ofResources }) => ({ diagnostics: ofResources }))
  const words = [
    ...wordsOfPlugins.flatMap((one) => (one.value === undefined ? [] : [checkWords(one.value, false)])),
    ...layers.flatMap((layer, at) => layer.words.map((one) => checkWords(one, at === layers.length - 1))),
  ]
  const stages = [...plugins, ...wordsOfPlugins, ...ofFiles, ...placed.flat(), extended, ...words]
  const diagnostics = stages.flatMap((stage) => stage.diagnostics)
  const worded = words.flatMap((one) => one.value ?? [])
  return { value, broken, unread, diagnostics, words: worded, replaced: extended.replaced }
}

/** The catalog of what is written, in pieces. */
function* catalogPieces(
  app: Document<unknown> | undefined,
  { value: written, broken, unread, words, diagnostics: found }: Stack,
  composition: Composition,
): Pieces<Collected<Catalog>> {
  // The words of the other files are those of the plugins that app.yaml names.
  if (app === undefined) return { diagnostics: found }
  const checkedApp = checkApp(app)
  const bases = basesOf(written)
  const completed = completedByBase(written, bases, composition.vocabulary.fieldTypes)
  // Without the additions of a broken file, the plugin's resource would lack fields that others name.
  const documents = completed.filter((document) => !broken.includes(nameOf(document) ?? ''))
  const checked = yield* each(documents, (document) => checkResource(document, composition.vocabulary))
  const usable = checked.flatMap(({ value }) => value ?? [])
  const names = new Set(usable.map(({ value }) => value.resource))
  const known = [...broken, ...completed.flatMap((document) => nameOf(document) ?? [])]
  const unusable = new Set([...known.filter((name) => !names.has(name)), ...checked.flatMap(lostNames)])
  const before = [...checkedApp.diagnostics, ...found, ...checked.flatMap((stage) => stage.diagnostics)]
  const whole = isFailed(checkedApp.diagnostics) ? [APP] : []
  const definition = {
    app: checkedApp.value ?? NO_APP,
    resources: usable,
    bases,
    unread: new Set([...whole, ...broken, ...unread(before)]),
    words,
  }
  const resolved = yield* resolve(definition, composition.extensions, unusable)
  const diagnostics = [...before, ...resolved.diagnostics]
  const failed = checkedApp.value === undefined || isFailed(diagnostics)
  return failed || resolved.value === undefined ? { diagnostics } : { value: resolved.value, diagnostics }
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
