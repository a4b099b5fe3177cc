/** Hooks for Node's imports of plugins, in Node's thread for hooks: they resolve specifiers and compile files. ⇄ */
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compiled } from './compile.ts'

export interface HookData {
  /** The module `'plinth'`: the engine that loads the plugin. */
  readonly own: string
  /** The module `'plinth/test'`: the test kit of the same engine. */
  readonly kit: string
  /** The module `'plinth/auth'`: the shipped plugin of accounts. */
  readonly auth: string
  /** The same file as TypeScript, which plugins in the engine's own project import by its path. */
  readonly source: string
  /** The folder of the engine, which exists once, whatever the version of a plugin. */
  readonly engine: string
  /** Whether TypeScript is compiled here; false where the program itself runs from source. */
  readonly compile: boolean
}

interface Resolved {
  readonly url: string
  readonly format?: string | null
  readonly shortCircuit?: boolean
}

interface Loaded {
  readonly format: string
  readonly source: string
  readonly shortCircuit: true
}

type Resolve<C> = (specifier: string, context: C) => Promise<Resolved>
type Load<C> = (url: string, context: C) => Promise<unknown>

const TYPESCRIPT = /^file:[^?#]*\.m?ts(?:[?#]|$)/

let data: HookData

export function initialize(given: HookData): void {
  data = given
}

/** The time of a file's last change, in milliseconds; 0 without a file. */
function changedAt(url: URL): number {
  return statSync(fileURLToPath(url), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/** TypeScript imports `./x.js` and means x.ts: that one is taken unless a newer x.js was compiled from it. */
function asWritten(specifier: string, parent: string | undefined): string {
  if (!data.compile || parent === undefined || !TYPESCRIPT.test(parent) || !/^\.{1,2}\/.*\.m?js$/.test(specifier)) {
    return specifier
  }
  const script = new URL(specifier, parent)
  const typescript = new URL(specifier.replace(/js$/, 'ts'), parent)
  const written = changedAt(typescript)
  return written !== 0 && written >= changedAt(script) ? typescript.href : specifier
}

function versionIn(url: string | undefined): string | undefined {
  return url === undefined ? undefined : (/[?&]v=(\w+)/.exec(url)?.[1] ?? undefined)
}

/** Whether a file belongs to plugins with the version of its importer. */
function isVersioned(url: string): boolean {
  return (
    url.startsWith('file:') &&
    !url.startsWith(data.engine) &&
    !url.includes('/node_modules/') &&
    versionIn(url) === undefined
  )
}

/** The files that a plugin imports have its version, so that a changed one is read again with it. */
export async function resolve<C extends { readonly parentURL?: string }>(
  specifier: string,
  context: C,
  next: Resolve<C>,
): Promise<Resolved> {
  const own = { url: data.own, format: 'module', shortCircuit: true }
  if (specifier === 'plinth') return own
  if (specifier === 'plinth/test') return { ...own, url: data.kit }
  if (specifier === 'plinth/auth') return { ...own, url: data.auth }
  // An entry file is meant by its exact name, also where tsx would take the TypeScript next to it.
  if (/^file:.*\.js(?:\?|$)/.test(specifier) && specifier !== data.own) return { url: specifier, shortCircuit: true }
  const found = await next(asWritten(specifier, context.parentURL), context)
  if (found.url === data.source) return own
  const version = versionIn(context.parentURL)
  if (version === undefined || !isVersioned(found.url)) return found
  return { ...found, url: `${found.url}${found.url.includes('?') ? '&' : '?'}v=${version}` }
}

export async function load<C>(url: string, context: C, next: Load<C>): Promise<unknown> {
  if (!data.compile || !TYPESCRIPT.test(url)) return next(url, context)
  const loaded: Loaded = { format: 'module', source: await compiled(fileURLToPath(url)), shortCircuit: true }
  return loaded
}
