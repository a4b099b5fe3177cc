/**
 * ⇄ Applications on applications: reads the folder of an application and of those below it, which its app.yaml names by
 * `extends`.
 */
import { realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { within } from '../definition/document-node.ts'
import { parseDocument } from '../definition/parse.ts'
import { readSource, readSources, type Sources } from '../definition/read.ts'
import { isObject } from '../json.ts'
import type { Collected } from '../text/diagnostic.ts'
import { nearest } from '../text/nearest.ts'
import type { Source } from '../text/source.ts'
import { type Manifest, manifestIn, otherProgram, programPackage } from '../program.ts'

/** An application that is found: the folder of its YAML, the folder of its plugins, and the package.json that it belongs to. */
interface Found {
  readonly folder: string
  readonly plugins: string
  readonly manifest: Manifest | undefined
}

/**
 * Reads an application with all those below it. No value where one of them cannot be found or read, or where they go
 * round in a circle. A file that is as it was `before` is the same source.
 */
export async function readLayers(directory: string, before: readonly Source[] = []): Promise<Collected<Sources>> {
  return readAbove(directory, [], before)
}

async function readAbove(
  directory: string,
  above: readonly string[],
  before: readonly Source[],
): Promise<Collected<Sources>> {
  const own = await readSources(directory, before)
  if (own.value === undefined) return own
  const { value: document, diagnostics: unreadable } = parseDocument(own.value.app)
  // Without the application below, every other file would have mistakes that are none.
  if (document === undefined && /^extends\s*:/m.test(own.value.app.text))
    return { diagnostics: [...own.diagnostics, ...unreadable] }
  const named = document && within(document, 'extends')
  if (typeof named?.value !== 'string') return own
  const refused = (message: string, hint: string): Collected<Sources> => ({
    diagnostics: [...own.diagnostics, { code: 'wrong_base', message, span: named.place([]), hint }],
  })
  const chain = [...above, await realpath(directory)]
  const found = await findApplication(named.value, directory)
  if ('message' in found) return refused(found.message, found.hint)
  const wanted = await otherProgram(found.manifest)
  if (wanted !== undefined)
    return refused(
      `"${named.value}" ${wanted}`,
      'install that version of plinth, or a version of the other for this one',
    )
  const below = await realpath(found.folder)
  const start = chain.indexOf(below)
  if (start >= 0) {
    const circle = [...chain.slice(start), chain[start]!].map(shown).join(' → ')
    return refused(`Applications extend each other in a circle: ${circle}`, 'take "extends" out of one of them')
  }
  if (isInside(below, chain.at(-1)!) || isInside(chain.at(-1)!, below))
    return refused(
      `${shown(found.folder)} and ${shown(directory)} are one inside the other`,
      'put them beside each other',
    )
  const base = await readAbove(found.folder, chain, before)
  const diagnostics = [...own.diagnostics, ...base.diagnostics]
  if (base.value === undefined) return { diagnostics }
  const lock = await lockIn(directory)
  const value = { ...own.value, base: { ...base.value, plugins: shown(found.plugins) } }
  return { value: lock === undefined ? value : { ...value, lock }, diagnostics }
}

/** The lock of an application; undefined where it has none. */
async function lockIn(directory: string): Promise<Source | undefined> {
  const path = join(directory, LOCK)
  const read = (await isFile(path)) ? await readSource(path) : undefined
  return read !== undefined && 'text' in read ? read : undefined
}

/** The file next to app.yaml that keeps what was replaced. */
export const LOCK = 'extends.lock'

type Missing = { readonly message: string; readonly hint: string }

/** An application by a path from the folder of the one that names it, or by its package and its name there. */
export async function findApplication(name: string, directory: string): Promise<Found | Missing> {
  if (/^\.{0,2}[\\/]|^\.{1,2}$/.test(name) || isAbsolute(name)) {
    const folder = resolve(directory, name)
    const found = await applicationIn(folder)
    if (found === undefined)
      return {
        message: `There is no app.yaml in ${shown(folder)}`,
        hint: 'name a folder that holds app.yaml, or one whose folder resources does',
      }
    return { folder: found, plugins: join(dirname(found), 'plugins'), manifest: await manifestOf(found) }
  }
  const [, owner, application] = /^((?:@[^/]+\/)?[^@/][^/]*)(?:\/(.+))?$/.exec(name) ?? []
  if (owner === undefined)
    return {
      message: `"${name}" is neither a package nor a folder`,
      hint: 'write plinth/desk, or a path that begins with ./ or ../',
    }
  const root = await packageFolder(owner, directory)
  const manifest = root === undefined ? undefined : await manifestIn(root)
  if (root === undefined || manifest === undefined)
    return {
      message: `The package "${owner}" is not installed`,
      hint: `run npm install ${owner}, or write a path that begins with ./ or ../`,
    }
  const applications = manifest.plinth?.applications
  const known = Object.keys(isObject(applications) ? applications : {})
  const path = application === undefined ? undefined : applications?.[application]
  if (typeof path !== 'string') {
    const near = nearest(application ?? '', known) ?? known[0]
    const hint =
      near === undefined ? 'its package.json names none under plinth.applications' : `did you mean "${owner}/${near}"?`
    return {
      message: `The package "${owner}" has no application ${application === undefined ? 'without a name' : `"${application}"`}`,
      hint,
    }
  }
  const folder = resolve(root, path)
  const found = isInside(folder, root) ? await applicationIn(folder) : undefined
  if (found === undefined)
    return {
      message: `The package "${owner}" names ${path} as "${application}", and there is no app.yaml`,
      hint: 'correct plinth.applications in its package.json',
    }
  return { folder: found, plugins: join(dirname(found), 'plugins'), manifest }
}

async function applicationIn(folder: string): Promise<string | undefined> {
  for (const one of [folder, join(folder, 'resources')]) if (await isFile(join(one, 'app.yaml'))) return one
  return undefined
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true
}

/** The folder of a package, as Node finds it: in the node_modules of a folder or of one above it. The program itself needs none. */
async function packageFolder(name: string, directory: string): Promise<string | undefined> {
  const program = await programPackage()
  if (name === 'plinth') return program.folder
  for (const start of [resolve(directory), process.cwd()]) {
    for (let folder = start; ; folder = dirname(folder)) {
      const root = join(folder, 'node_modules', name)
      if (await isFile(join(root, 'package.json'))) return root
      if (dirname(folder) === folder) break
    }
  }
  return undefined
}

/** The package.json next to the YAML or above its folder. */
async function manifestOf(folder: string): Promise<Manifest | undefined> {
  return (await manifestIn(folder)) ?? (await manifestIn(dirname(folder)))
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** The files of each application, the lowest first. */
export function layersOf(sources: Sources): readonly Sources[] {
  return sources.base === undefined ? [sources] : [...layersOf(sources.base), sources]
}

/** The folders of the plugins of the applications below, the highest first. */
export function pluginFolders({ base }: Sources): readonly string[] {
  return base === undefined ? [] : [resolve(base.plugins), ...pluginFolders(base)]
}

/** The folders of the YAML of the applications below, the highest first. */
export function foldersBelow({ base }: Sources): readonly string[] {
  return base === undefined ? [] : [dirname(resolve(base.app.file)), ...foldersBelow(base)]
}

function shown(path: string): string {
  return relative(process.cwd(), path).split(sep).join('/') || '.'
}
