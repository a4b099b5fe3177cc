/** The version of the files of an application ⇄: a hash that is the same on every machine with the same files. */
import { createHash } from 'node:crypto'
import { basename, dirname, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Composition } from '../plugin/compose.ts'
import { codeFolders, type PluginPlaces } from '../plugin/load.ts'
import { codeHash } from '../plugin/modules.ts'
import type { Source } from '../text/source.ts'

/** A hash of the YAML that was read, app.yaml first, by its names below the folder, and of the `code` of the application's plugins. */
export function fileVersion(sources: readonly Source[], code: string): string {
  const hash = createHash('sha256')
  const folder = dirname(resolve(sources[0]?.file ?? ''))
  for (const { file, text } of sources) {
    const below = relative(folder, resolve(file))
    // A plugin brings files from wherever it is installed.
    const name = below.startsWith('..') ? basename(file) : below.split(sep).join('/')
    hash.update(`${name}\0${text}\0`)
  }
  return hash.update(code).digest('hex').slice(0, 16)
}

const ENGINE = fileURLToPath(new URL('..', import.meta.url))

let program: Promise<string> | undefined

/** A hash of the program's own code, which a process reads once. */
export function programVersion(): Promise<string> {
  program ??= codeHash(ENGINE)
  return program
}

/** A hash of all that an application is made from: its files of that version, the code of every plugin, and Plinth itself. */
export async function madeFrom(
  version: string,
  { plugins }: Pick<Composition, 'plugins'>,
  { pluginsDir, below }: PluginPlaces,
): Promise<string> {
  const names = plugins.map(({ name }) => name)
  const hash = createHash('sha256')
    .update(version)
    .update(await programVersion())
  for (const folder of await codeFolders(names, { pluginsDir, below })) hash.update(await codeHash(folder))
  return hash.digest('hex')
}
