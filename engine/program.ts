/** The program that runs ⇄: its package, its version, and the version whose data it shares. */
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Json } from './json.ts'
import { isInRange } from './text/version.ts'

/** A version of the program, and the oldest one that may serve what it writes. */
export interface Program {
  readonly version: string
  readonly oldest: string
}

/** The package.json of the program. */
interface ProgramPackage {
  readonly folder: string
  readonly version: string
  readonly devDependencies?: Readonly<Record<string, string>>
}

let own: Promise<ProgramPackage> | undefined

/** The package that this code belongs to, with its folder; read once. */
export function programPackage(): Promise<ProgramPackage> {
  own ??= packageAbove(dirname(fileURLToPath(import.meta.url)))
  return own
}

async function packageAbove(folder: string): Promise<ProgramPackage> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}')
  const manifest = JSON.parse(text) as { readonly name?: string; readonly version: string }
  if (manifest.name === 'plinth') return { ...manifest, folder }
  if (dirname(folder) === folder) throw new Error('The package.json of Plinth cannot be found')
  return packageAbove(dirname(folder))
}

let running: Promise<Program> | undefined

/** The version of the program, and the one before it, which may serve the same data: the last one with another minor number. */
export function thisProgram(): Promise<Program> {
  running ??= programWithPrevious()
  return running
}

async function programWithPrevious(): Promise<Program> {
  const { folder, version } = await programPackage()
  const known = await readdir(join(folder, 'engine', 'changes'))
  return { version, oldest: previousVersion(version, known) ?? version }
}

/** The last version before those with the same minor number. */
export function previousVersion(version: string, known: readonly string[]): string | undefined {
  const minor = version.split('.').slice(0, 2).join('.')
  const order = new Intl.Collator('en', { numeric: true }).compare
  return known
    .filter((one) => isInRange(one, `<${minor}`) === true)
    .sort(order)
    .at(-1)
}

/** What a package.json says of the package and of the versions that it is made for. */
export interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly plinth?: { readonly applications?: Readonly<Record<string, Json>> }
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** The package.json in a folder; undefined where there is none that can be read. */
export async function manifestIn(folder: string): Promise<Manifest | undefined> {
  try {
    const read: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    return typeof read === 'object' && read !== null ? read : undefined
  } catch {
    return undefined
  }
}

/** For which other versions of the program a package is, as a part of a sentence; undefined where it is for this one. */
export async function otherProgram(manifest: Manifest | undefined): Promise<string | undefined> {
  const range = manifest?.peerDependencies?.plinth
  const { version } = await programPackage()
  if (typeof range !== 'string' || isInRange(version, range) !== false) return undefined
  return `is for plinth ${range}, and this is ${version}`
}
