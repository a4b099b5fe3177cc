/** ⇄ The package that runs: its folder, its package.json, and how npm came by it. */
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface OwnPackage {
  readonly folder: string
  readonly version: string
  readonly devDependencies: Readonly<Record<string, string>>
  /** The tarball that npm installed it from, or `checkout` where it was not installed; undefined: a registry. */
  readonly origin: { readonly tarball: string } | 'checkout' | undefined
}

interface Manifest {
  readonly name?: string
  readonly version: string
  readonly devDependencies?: Readonly<Record<string, string>>
}

async function jsonOf<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T
  } catch {
    return undefined
  }
}

/** The nearest folder above this file with the package's own package.json. */
async function find(folder: string): Promise<readonly [folder: string, manifest: Manifest]> {
  const manifest = await jsonOf<Manifest>(join(folder, 'package.json'))
  if (manifest?.name === 'plinth') return [folder, manifest]
  if (dirname(folder) === folder) throw new Error('The package.json of Plinth cannot be found')
  return find(dirname(folder))
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
  const [folder, { version, devDependencies = {} }] = await find(dirname(fileURLToPath(import.meta.url)))
  return { folder, version, devDependencies, origin: await originOf(folder) }
}
