/** ⇄ Finds and imports plugins: the application's own folder first, then those shipped with Plinth, then npm packages. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { nearest } from '../text/nearest.ts'
import type { Span } from '../text/source.ts'
import { CONTRIBUTIONS } from './contribution.ts'
import { nameOwnPackage } from './own-package.ts'
import type { Plugin } from './plugin.ts'

export interface LoadOptions {
  readonly pluginsDir: string
  /** Where a plugin is named, for complaints. */
  readonly place?: (name: string) => Span
}

const SHIPPED = fileURLToPath(new URL('../../plugins', import.meta.url))
/** Whether this very file runs as TypeScript: then whatever runs it takes plugins' TypeScript too. */
const FROM_SOURCE = import.meta.url.endsWith('.ts')
const NAME = /^(@[a-z0-9][\w.-]*\/)?[A-Za-z0-9][\w.-]*$/

/** Loads plugins by name, all at once; the value holds those that could be loaded. Never throws for what a plugin does. */
export async function loadPlugins(
  names: readonly string[],
  options: LoadOptions,
): Promise<Required<Collected<readonly Plugin[]>>> {
  const loaded = await Promise.all(names.map((name) => load(name, options)))
  const plugins: Plugin[] = []
  const diagnostics: Diagnostic[] = []
  for (const [index, one] of loaded.entries()) {
    if ('plugin' in one) plugins.push(one.plugin)
    else diagnostics.push(placed(one, options.place?.(names[index]!)))
  }
  return { value: plugins, diagnostics }
}

function placed(diagnostic: Diagnostic, span: Span | undefined): Diagnostic {
  return span === undefined ? diagnostic : { ...diagnostic, span }
}

async function load(name: string, options: LoadOptions): Promise<{ readonly plugin: Plugin } | Diagnostic> {
  const [entry, second] = NAME.test(name) ? await findEntries(name, resolve(options.pluginsDir)) : []
  if (entry === undefined) return missing(name, options.pluginsDir)
  if (second !== undefined) {
    const message = `Two folders hold a plugin "${name}": ${shown(entry)} and ${shown(second)}`
    return { code: 'plugin_clash', message, hint: 'rename one of them, or take it away' }
  }
  if (entry.endsWith('.ts') && !takesTypeScript()) {
    const hint = 'compile it to index.js beside it, or run a Node that reads TypeScript (22.18 or later)'
    return {
      code: 'plugin_failed',
      message: `The plugin "${name}" is TypeScript, which this Node (${process.version}) does not run`,
      hint,
    }
  }
  try {
    if (!entry.startsWith(SHIPPED)) nameOwnPackage()
    const module: { readonly default?: unknown } = await import(pathToFileURL(entry).href)
    return judged(name, module.default, entry)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return {
      code: 'plugin_failed',
      message: `The plugin "${name}" failed while it was loaded: ${reason}`,
      hint: `see ${shown(entry)}`,
    }
  }
}

async function findEntries(name: string, pluginsDir: string): Promise<readonly string[]> {
  for (const folder of [...compiledFolder(pluginsDir), pluginsDir, SHIPPED]) {
    const found = (await entriesOf(folder)).get(name)
    if (found !== undefined) return found
  }
  const found = findPackage(name, pluginsDir)
  return found === undefined ? [] : [found]
}

/**
 * The plugins of a folder: name → entry files. A folder with an entry file is a plugin; one without may be a group,
 * whose own folders are looked at in the same way, one level deep.
 */
async function entriesOf(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>()
  const look = async (place: string, below: boolean): Promise<void> => {
    for (const name of await foldersOf(place)) {
      const entry = entryIn(join(place, name))
      if (entry !== undefined) found.set(name, [...(found.get(name) ?? []), entry])
      else if (below) await look(join(place, name), false)
    }
  }
  await look(folder, true)
  return found
}

function entryIn(folder: string): string | undefined {
  return [join(folder, 'index.js'), join(folder, 'index.ts')].find((path) => existsSync(path))
}

/** Compiled code runs compiled plugins: a folder of this project's sources stands for the one below dist/. */
function compiledFolder(pluginsDir: string): readonly string[] {
  if (FROM_SOURCE) return []
  const dist = resolve(SHIPPED, '..')
  const project = resolve(dist, '..')
  const below = relative(project, pluginsDir)
  const inside = !below.startsWith('..') && !below.startsWith(sep) && !pluginsDir.startsWith(dist + sep)
  return inside ? [join(dist, below)] : []
}

function findPackage(name: string, pluginsDir: string): string | undefined {
  for (const from of [join(pluginsDir, 'index.js'), join(process.cwd(), 'index.js'), import.meta.url]) {
    try {
      return createRequire(from).resolve(name)
    } catch {
      // Not installed there; the next place may have it.
    }
  }
  return undefined
}

function takesTypeScript(): boolean {
  return (
    FROM_SOURCE ||
    Boolean(Reflect.get(process.features, 'typescript')) ||
    process.execArgv.some((argument) => argument.includes('tsx'))
  )
}

async function missing(name: string, pluginsDir: string): Promise<Diagnostic> {
  const known = new Set([...(await entriesOf(pluginsDir)).keys(), ...(await entriesOf(SHIPPED)).keys()])
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

async function foldersOf(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    return folders.map((entry) => entry.name).sort()
  } catch {
    return []
  }
}

/** Whether a module's default export is a plugin of that name, with contributions that exist. */
function judged(name: string, exported: unknown, entry: string): { readonly plugin: Plugin } | Diagnostic {
  const wrong = (message: string, rest: Partial<Diagnostic> = {}): Diagnostic => ({
    code: 'wrong_plugin',
    message,
    hint: `see ${shown(entry)}`,
    ...rest,
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
    const near = nearest(key, Object.keys(CONTRIBUTIONS))
    return wrong(`The plugin "${name}" contributes "${key}", which is nothing a plugin can contribute`, {
      expected: Object.keys(CONTRIBUTIONS),
      ...(near === undefined ? {} : { hint: `did you mean "${near}"?` }),
    })
  }
  return { plugin: Object.freeze(exported) }
}

function isPlugin(value: object): value is Plugin {
  return (
    'name' in value && typeof value.name === 'string' && 'description' in value && typeof value.description === 'string'
  )
}

function shown(path: string): string {
  return relative(process.cwd(), resolve(path)) || '.'
}
