/** `plinth add plugin`: makes a folder with a small plugin and its test, and names it in app.yaml. */
import { existsSync } from 'node:fs'
import { posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadPlugins } from '../../plugin/load.ts'
import { filesIn } from '../init/template.ts'
import { type Files, Refused } from './files.ts'
import type { Notes } from './resource.ts'

const FOLDER = fileURLToPath(new URL('./plugin-template', import.meta.url))
const NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/

export async function addPlugin(files: Files, [name = '']: readonly string[], pluginsDir: string): Promise<Notes> {
  if (!NAME.test(name) || name.length > 50)
    throw new Refused(`"${name}" is no name of a plugin: small letters and digits, with "_" between words: late_fees.`)
  const folder = posix.join(relative(process.cwd(), pluginsDir).split(sep).join('/') || '.', name)
  if (existsSync(folder)) throw new Refused(`${folder} is there already; nothing is written over.`)
  const known = await loadPlugins([name], { pluginsDir })
  if (known.value.length > 0)
    throw new Refused(
      `There is a plugin "${name}" already; it is used by its name in ${files.app}: plugins: { ${name}: {} }`,
    )
  const made = await filesIn(FOLDER, { name, path: name.replaceAll('_', '-') })
  for (const [file, text] of made) files.make(posix.join(folder, file.replace(/^plugin\./, `${name}.`)), text)
  files.addEntry(files.app, ['plugins'], name, {})
  return [`Try it: npx plinth test ${name}`]
}
