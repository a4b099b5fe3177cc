/** Which version of an application's files was read ⇄: the same on every machine that has the same files. */
import { createHash } from 'node:crypto'
import { basename, relative, resolve, sep } from 'node:path'
import { codeHash } from '../plugin/modules.ts'
import type { Boot, BootOptions } from './boot.ts'

/** A hash of the YAML that was read, by its names below the folder, and of the code of the application's plugins. */
export async function fileVersion({ sources }: Boot, { resourcesDir, pluginsDir }: BootOptions): Promise<string> {
  const hash = createHash('sha256')
  for (const { file, text } of sources) {
    const below = relative(resolve(resourcesDir), resolve(file))
    // A plugin brings files from wherever it is installed.
    const name = below.startsWith('..') ? basename(file) : below.split(sep).join('/')
    hash.update(`${name}\0${text}\0`)
  }
  return hash
    .update(await codeHash(resolve(pluginsDir)))
    .digest('hex')
    .slice(0, 16)
}
