/**
 * The running package ⇄: its folder, its package.json, how npm installed it, and how a new application names it as a
 * dependency.
 */
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { programPackage } from '../../program.ts'

interface OwnPackage {
  readonly folder: string
  readonly version: string
  readonly devDependencies: Readonly<Record<string, string>>
  /** The tarball that npm installed it from, or `checkout` where it was not installed; undefined: a registry. */
  readonly origin: { readonly tarball: string } | 'checkout' | undefined
}

async function jsonOf<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T
  } catch {
    return undefined
  }
}

interface Lock {
  readonly packages?: Readonly<Record<string, { readonly resolved?: string }>>
}

/** npm notes in node_modules where each package came from; without the note it was a registry. */
async function originOf(folder: string): Promise<OwnPackage['origin']> {
  const modules = dirname(folder)
  if (!modules.endsWith(`${sep}node_modules`)) return 'checkout'
  const lock = await jsonOf<Lock>(join(modules, '.package-lock.json'))
  const resolved = lock?.packages?.['node_modules/plinth']?.resolved
  return resolved?.startsWith('file:') ? { tarball: resolve(dirname(modules), resolved.slice(5)) } : undefined
}

export async function ownPackage(): Promise<OwnPackage> {
  const { folder, version, devDependencies = {} } = await programPackage()
  return { folder, version, devDependencies, origin: await originOf(folder) }
}

export interface Dependency {
  /** The value in package.json. */
  readonly spec: string
  /** A file that is copied into `vendor/`, so that an image and other machines can install the application too. */
  readonly brings?: string
  /** A remark for people. */
  readonly note?: string
}

const TARBALL = /\.(?:tgz|tar\.gz)$/
/** A path, as opposed to a version, a range, a tag, a URL or the name of another package. */
const PATH = /^(?:file:|\.{0,2}[\\/]|~[\\/]|[A-Za-z]:[\\/])|\.(?:tgz|tar\.gz)$/
const ADDRESS = /^[a-z+]+:\/\/|^(?:git|github|npm|gitlab|bitbucket):/

/** The dependency for an application in `folder`; throws where `--plinth` names a path at which nothing exists. */
export async function dependencyFor(own: OwnPackage, folder: string, given: string | undefined): Promise<Dependency> {
  if (given !== undefined) return ADDRESS.test(given) || !PATH.test(given) ? written(given) : byPath(given, folder)
  if (own.origin === undefined) return { spec: `^${own.version}` }
  if (own.origin === 'checkout') return folderDependency(own.folder, folder)
  return byPath(own.origin.tarball, folder)
}

function written(spec: string): Dependency {
  if (/^[\w.*^~<>=| :@/+#-]+$/.test(spec)) return { spec }
  throw new Error(`--plinth takes what package.json takes: a version, a tarball, a folder or an address, not "${spec}"`)
}

async function byPath(path: string, folder: string): Promise<Dependency> {
  const found = resolve(path.replace(/^file:/, ''))
  const what = await stat(found).catch(() => undefined)
  if (what?.isDirectory()) return folderDependency(found, folder)
  if (what?.isFile() && TARBALL.test(found)) return { spec: `file:vendor/${basename(found)}`, brings: found }
  throw new Error(`--plinth names ${found}, which is no tarball and no folder`)
}

function folderDependency(found: string, folder: string): Dependency {
  const path = relative(folder, found).split(sep).join('/')
  return {
    spec: `file:${path}`,
    note: `Plinth itself is taken from the folder ${path}, which an image or another machine does not have: make a tarball of it by \`npm pack\` there, and \`npm install\` that here, before you go on to those.`,
  }
}
