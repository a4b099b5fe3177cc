/** Imports files of plugins as they are on the disk, in TypeScript or JavaScript, with one engine for all ⇄. */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import module, { register } from 'node:module'
import { basename, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { filesBelow } from '../disk/below.ts'
import { inTurns, type Pieces, turns } from '../turns.ts'
import type { HookData } from './module-hooks.ts'

/** Whether this file runs as TypeScript: then its runner takes the TypeScript of plugins too. */
export const FROM_SOURCE = import.meta.url.endsWith('.ts')

const EXTENSION = FROM_SOURCE ? 'ts' : 'js'
/** Declaration files next to compiled code are not code. */
const CODE = /(?<!\.d)\.(?:[mc]?[jt]sx?|json|css)$/

function here(path: string): string {
  return new URL(path, import.meta.url).href
}

let registered = false

/** A second engine would have its own classes, and its refusals would be 500; so `'plinth'` is this engine. */
export function registerHooks(): void {
  if (registered) return
  registered = true
  const data: HookData = {
    own: here(`../index.${EXTENSION}`),
    kit: here(`../testing/index.${EXTENSION}`),
    auth: here(`../../plugins/auth/index.${EXTENSION}`),
    source: here(FROM_SOURCE ? '../index.ts' : '../../../engine/index.ts'),
    engine: here('../'),
    compile: !FROM_SOURCE,
  }
  register(here(`./module-hooks.${EXTENSION}`), { data })
  if (FROM_SOURCE) keepEntries()
}

type Resolve = (specifier: string, context: unknown, next: (specifier: string, context: unknown) => unknown) => unknown

/**
 * Entry files are meant by their exact names. From Node 22.15 on, the runner of TypeScript is asked before hooks in
 * their own thread, and would take the TypeScript next to a script.
 */
function keepEntries(): void {
  const registerSync: unknown = Reflect.get(module, 'registerHooks')
  if (typeof registerSync !== 'function') return
  const resolve: Resolve = (specifier, context, next) =>
    /^file:.*\.js(?:\?|$)/.test(specifier) ? { url: specifier, shortCircuit: true } : next(specifier, context)
  registerSync({ resolve })
}

/** The files of code below a folder. A look at the disk through a promise takes Node ten times as long. */
async function codeBelow(folder: string): Promise<readonly string[]> {
  const giveWay = turns()
  const found: string[] = []
  const isLeftOut = (name: string): boolean => name === 'node_modules' || name.startsWith('.')
  for (const path of filesBelow(folder, { isLeftOut })) {
    const name = basename(path)
    if (CODE.test(name) && !name.startsWith('.')) found.push(path)
    const rest = giveWay()
    if (rest !== undefined) await rest
  }
  return found.sort()
}

/** The hash of all code below a folder, including names; equal on every machine with the same files. */
export async function codeHash(folder: string): Promise<string> {
  const files = await codeBelow(folder)
  return inTurns(hashed(files, (file) => relative(folder, file).split(sep).join('/')))
}

/** The hash of files including names. */
function* hashed(files: readonly string[], nameOf: (file: string) => string): Pieces<string> {
  const hash = createHash('sha256')
  for (const file of files) {
    hash.update(`${nameOf(file)}\0`).update(contentOf(file))
    yield
  }
  return hash.digest('hex')
}

function contentOf(file: string): Buffer | string {
  try {
    return readFileSync(file)
  } catch {
    return ''
  }
}

/** What shows a change of files without reading them. */
async function look(files: readonly string[]): Promise<string> {
  const giveWay = turns()
  const lines: string[] = []
  for (const file of files) {
    const seen = statSync(file, { throwIfNoEntry: false })
    lines.push(`${file} ${seen?.mtimeMs} ${seen?.size}`)
    const rest = giveWay()
    if (rest !== undefined) await rest
  }
  return lines.join('\n')
}

/** Folder of plugins → its state when this process first imported from it. */
const first = new Map<string, string>()

/**
 * The version of the code in a folder: undefined while it is the code that this process first imported, else a hash of
 * all of it. Node imports an address once, so changed code needs a new address; and plugins share files, so a folder
 * changes as a whole.
 */
export async function versionOf(folder: string): Promise<string | undefined> {
  const files = await codeBelow(folder)
  const seen = await look(files)
  const before = first.get(folder)
  if (before === undefined) first.set(folder, seen)
  if (before === undefined || before === seen) return undefined
  return (await inTurns(hashed(files, (file) => file))).slice(0, 16)
}

/**
 * The default export of a plugin's entry file; rejects with any error of its code. Plugins in the engine's own project
 * need no version until they change.
 */
export async function importEntry(entry: string, version: string | undefined, own: boolean): Promise<unknown> {
  if (!own || version !== undefined) registerHooks()
  const { href } = pathToFileURL(entry)
  const imported: { readonly default?: unknown } = await import(version === undefined ? href : `${href}?v=${version}`)
  return imported.default
}
