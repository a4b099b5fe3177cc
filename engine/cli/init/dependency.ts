/** ⇄ Where npm finds Plinth for a new application: a registry, a tarball that the application brings along, or a folder. */
import { stat } from 'node:fs/promises'
import { basename, relative, resolve, sep } from 'node:path'
import type { OwnPackage } from './own-package.ts'

export interface Dependency {
  /** What stands in package.json. */
  readonly spec: string
  /** A file that is copied into `vendor/`, so that an image and another machine can install the application too. */
  readonly brings?: string
  /** What people should know of it. */
  readonly note?: string
}

const TARBALL = /\.(?:tgz|tar\.gz)$/
/** A path, as opposed to a version, a range, a tag, a URL or another package's name. */
const PATH = /^(?:file:|\.{0,2}[\\/]|~[\\/]|[A-Za-z]:[\\/])|\.(?:tgz|tar\.gz)$/
const ADDRESS = /^[a-z+]+:\/\/|^(?:git|github|npm|gitlab|bitbucket):/

/** The dependency of an application in `folder`; throws where `--plinth` names a path at which nothing is. */
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
