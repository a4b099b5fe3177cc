/**
 * Finds and imports plugins ⇄: first in the application's own folder, then those that come with Plinth, then npm
 * packages.
 */

import { existsSync, realpathSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isFolder } from '../disk/below.ts'
import { sentenceOf } from '../error.ts'
import { type Manifest, manifestIn, otherProgram } from '../program.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { hintOf, nearest } from '../text/nearest.ts'
import type { Span } from '../text/source.ts'
import { CONTRIBUTIONS } from './contribution.ts'
import { FROM_SOURCE, importEntry, versionOf } from './modules.ts'
import type { Plugin } from './plugin.ts'

/** The folders in which plugins are looked for before those that come with Plinth. */
export interface PluginPlaces {
  readonly pluginsDir: string
  /** Those of the applications that this one extends, the highest first. */
  readonly below?: readonly string[] | undefined
}

export interface LoadOptions extends PluginPlaces {
  /** The place of a plugin's name, for diagnostics. */
  readonly place?: (name: string) => Span
}

const SHIPPED = fileURLToPath(new URL('../../plugins', import.meta.url))
/** The folder of compiled code, where this file is compiled. */
const DIST = resolve(SHIPPED, '..') + sep
const NAME = /^(@[a-z0-9][\w.-]*\/)?[A-Za-z0-9][\w.-]*$/

/** The entry file of a plugin, and the folder whose code shares a version with it; a package has none. */
interface Entry {
  readonly file: string
  readonly folder?: string
  /** A compiled index.js next to it that is older than its source. */
  readonly stale?: string
}

/**
 * Loads plugins by name, all at once. The value holds those that loaded, also with warnings. Never throws for a
 * plugin's mistake.
 */
export async function loadPlugins(
  names: readonly string[],
  options: LoadOptions,
): Promise<Required<Collected<readonly Plugin[]>>> {
  const search: Search = { versions: new Map(), folders: new Map() }
  const loaded = await Promise.all(names.map((name) => load(name, options, search)))
  const diagnostics = loaded.flatMap((one, index) =>
    one.diagnostics.map((diagnostic) => placed(diagnostic, options.place?.(names[index]!))),
  )
  return { value: loaded.flatMap(({ value }) => value ?? []), diagnostics }
}

/** What all plugins of one loading share. */
interface Search {
  readonly versions: Map<string, Promise<string | undefined>>
  /** Folder → the plugins in it. */
  readonly folders: Map<string, ReturnType<typeof entriesOf>>
}

function placed(diagnostic: Diagnostic, span: Span | undefined): Diagnostic {
  return span === undefined ? diagnostic : { ...diagnostic, span }
}

async function load(name: string, options: LoadOptions, { versions, folders }: Search): Promise<Collected<Plugin>> {
  const [entry, second] = NAME.test(name) ? await findEntries(name, foldersOf(options), folders) : []
  if (entry === undefined) return { diagnostics: [await missing(name, options)] }
  const { file, folder, stale } = entry
  if (second !== undefined) {
    const message = `Two folders hold a plugin "${name}": ${shown(file)} and ${shown(second.file)}`
    return { diagnostics: [{ code: 'plugin_clash', message, hint: 'rename one of them, or take it away' }] }
  }
  const other = await otherProgram(await manifestOf(entry))
  if (other !== undefined) {
    const hint = 'install a version of the plugin for this one, or write the present version there if it works with it'
    return { diagnostics: [{ code: 'wrong_plugin', message: `The plugin "${name}" ${other}`, hint }] }
  }
  const warnings = stale === undefined ? [] : [staleWarning(name, stale, file)]
  try {
    if (folder !== undefined && !versions.has(folder)) versions.set(folder, versionOf(folder))
    const version = folder === undefined ? undefined : await versions.get(folder)
    const exported = await importEntry(file, version, file.startsWith(SHIPPED))
    const { value, diagnostics } = judged(name, exported, file)
    return { ...(value === undefined ? {} : { value }), diagnostics: [...warnings, ...diagnostics] }
  } catch (error) {
    const reason = sentenceOf(error)
    const message = `The plugin "${name}" failed while it was loaded: ${reason}`
    return {
      diagnostics: [...warnings, { code: 'plugin_failed', message, hint: importHint(reason) ?? `see ${shown(file)}` }],
    }
  }
}

/** The package.json of a plugin: in its folder, or for an installed package in the nearest one above its entry. */
async function manifestOf({ file, folder }: Entry): Promise<Manifest | undefined> {
  if (file.startsWith(SHIPPED)) return undefined
  for (let place = dirname(file); ; place = dirname(place)) {
    const manifest = await manifestIn(place)
    if (manifest?.name !== undefined || folder !== undefined || dirname(place) === place) return manifest
  }
}

/** The import to write instead of one that finds nothing; undefined where that is not known. */
function importHint(reason: string): string | undefined {
  const [, found] = /^Cannot find package '([^']+)'/.exec(reason) ?? []
  if (found !== undefined) return `run npm install ${found}, or correct the import`
  const [, path] = /^Cannot find module '([^']+)' imported from/.exec(reason) ?? []
  const meant =
    path === undefined ? undefined : ['.ts', '.js', '/index.ts', '/index.js'].find((end) => existsSync(path + end))
  return meant === undefined
    ? undefined
    : `write the name of the file whole in the import: ${basename(path ?? '')}${meant}`
}

function staleWarning(name: string, stale: string, file: string): Diagnostic {
  return {
    code: 'stale_plugin',
    severity: 'warning',
    message: `The plugin "${name}" is loaded from ${shown(file)}, which is newer than ${shown(stale)}`,
    hint: 'take the older file away, or compile it again',
  }
}

/** The folders of plugins, in the order in which they are looked through. */
function foldersOf({ pluginsDir, below = [] }: PluginPlaces): readonly string[] {
  const places = [pluginsDir, ...below].map((folder) => resolve(folder))
  return [...new Set([...places.flatMap((folder) => [...compiledFolder(folder), folder]), SHIPPED])]
}

async function findEntries(
  name: string,
  places: readonly string[],
  folders: Search['folders'],
): Promise<readonly Entry[]> {
  for (const folder of places) {
    const entries = folders.get(folder) ?? entriesOf(folder)
    folders.set(folder, entries)
    const found = (await entries).get(name)
    if (found === undefined) continue
    // Code that was compiled with the engine only changes by a restart.
    return !FROM_SOURCE && folder.startsWith(DIST) ? found : found.map((entry) => ({ ...entry, folder }))
  }
  const file = findPackage(name, places)
  return file === undefined ? [] : [{ file }]
}

/**
 * The plugins of a folder: name → entry files. A folder with an entry file is a plugin; one without may be a group,
 * whose folders are looked at in the same way, one level deep.
 */
async function entriesOf(folder: string): Promise<ReadonlyMap<string, readonly Entry[]>> {
  const found = new Map<string, Entry[]>()
  const look = async (place: string, below: boolean): Promise<void> => {
    for (const [name, path] of await foldersIn(place)) {
      const entry = entryIn(path)
      if (entry !== undefined) found.set(name, [...(found.get(name) ?? []), entry])
      else if (below) await look(path, false)
    }
  }
  await look(folder, true)
  return found
}

/** The plugins that come with Plinth for any application; those in a group are left out. */
export async function shippedPlugins(): Promise<readonly string[]> {
  const found = await entriesOf(SHIPPED)
  return [...found].flatMap(([name, [entry]]) => (dirname(dirname(entry!.file)) === SHIPPED ? [name] : []))
}

/** Of a source and its compiled form, the newer one counts. */
function entryIn(folder: string): Entry | undefined {
  const [script, typescript] = [join(folder, 'index.js'), join(folder, 'index.ts')]
  const [compiledAt, writtenAt] = [changedAt(script), changedAt(typescript)]
  if (writtenAt === undefined) return compiledAt === undefined ? undefined : { file: script }
  if (compiledAt === undefined || compiledAt === writtenAt) return { file: typescript }
  return compiledAt > writtenAt ? { file: script } : { file: typescript, stale: script }
}

function changedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs
}

/** Compiled code runs compiled plugins: for a folder of this project's sources it takes the one below dist/. */
function compiledFolder(pluginsDir: string): readonly string[] {
  if (FROM_SOURCE) return []
  const below = relative(resolve(DIST, '..'), pluginsDir)
  const inside = !below.startsWith('..') && !below.startsWith(sep) && !pluginsDir.startsWith(DIST)
  return inside ? [join(DIST, below)] : []
}

/** The folders of these plugins: in the application, in Plinth, in packages. */
export async function codeFolders(names: readonly string[], places: PluginPlaces): Promise<readonly string[]> {
  const folders = foldersOf(places)
  const known = new Set((await Promise.all(folders.map(entriesOf))).flatMap((entries) => [...entries.keys()]))
  const packages = names.filter((name) => !known.has(name)).flatMap((name) => findPackage(name, folders) ?? [])
  return [...new Set([...folders, ...packages.map((file) => dirname(file))])].sort()
}

function findPackage(name: string, places: readonly string[]): string | undefined {
  const [own = process.cwd(), ...below] = places.filter((folder) => folder !== SHIPPED)
  for (const folder of [own, process.cwd(), ...below, SHIPPED]) {
    const from = join(folder, 'index.js')
    try {
      return createRequire(from).resolve(name)
    } catch {
      // Not installed there; the next place may have it.
    }
  }
  return undefined
}

async function missing(name: string, places: PluginPlaces): Promise<Diagnostic> {
  const { pluginsDir } = places
  const known = new Set((await Promise.all(foldersOf(places).map(entriesOf))).flatMap((found) => [...found.keys()]))
  const near = nearest(name, known)
  return {
    code: 'unknown_plugin',
    message: `There is no plugin "${name}"`,
    expected: [...known].sort(),
    hint:
      near === undefined
        ? `make ${join(shown(pluginsDir), name, 'index.ts')}, or install the package "${name}"`
        : `did you mean "${near}"?`,
  }
}

/** The folders in a folder: their names with their places. What a linked one imports lies where that is, and not where the link is. */
async function foldersIn(directory: string): Promise<readonly (readonly [name: string, path: string])[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true })
    return entries
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const path = join(directory, entry.name)
        if (entry.name.startsWith('.') || !isFolder(entry, path)) return []
        return [[entry.name, entry.isSymbolicLink() ? realpathSync(path) : path] as const]
      })
  } catch {
    return []
  }
}

/** Whether a module's default export is a plugin of that name with known contributions. */
function judged(name: string, exported: unknown, entry: string): Collected<Plugin> {
  const wrong = (message: string, rest: Partial<Diagnostic> = {}): Collected<Plugin> => ({
    diagnostics: [{ code: 'wrong_plugin', message, hint: `see ${shown(entry)}`, ...rest }],
  })
  if (typeof exported !== 'object' || exported === null) {
    return wrong(`The plugin "${name}" has no default export that is a plugin`, {
      expected: ['export default definePlugin({ … })'],
    })
  }
  if (!isPlugin(exported))
    return wrong(`The plugin "${name}" has no name and description`, {
      expected: [`name: '${name}'`, "description: '…'"],
    })
  if (exported.name !== name)
    return wrong(`The plugin "${name}" calls itself "${exported.name}"`, { expected: [`name: '${name}'`] })
  for (const key of Object.keys(exported)) {
    if (Object.hasOwn(CONTRIBUTIONS, key)) continue
    return wrong(`The plugin "${name}" contributes "${key}", which is nothing a plugin can contribute`, {
      expected: Object.keys(CONTRIBUTIONS),
      ...hintOf(key, Object.keys(CONTRIBUTIONS)),
    })
  }
  return { value: Object.freeze(exported), diagnostics: [] }
}

function isPlugin(value: object): value is Plugin {
  return (
    'name' in value && typeof value.name === 'string' && 'description' in value && typeof value.description === 'string'
  )
}

function shown(path: string): string {
  return relative(process.cwd(), resolve(path)) || '.'
}
