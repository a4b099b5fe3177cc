/** `plinth init`: a new application in a folder of its own, and what to do next. */
import { basename, relative, resolve } from 'node:path'
import { readCatalog } from '../boot/boot.ts'
import { sentenceOf } from '../error.ts'
import type { ExitCode, Invocation } from './command.ts'
import { writeForEditors } from './for-editors.ts'
import { dependencyFor } from './init/dependency.ts'
import { titleOf, wrongName } from './init/name.ts'
import { ownPackage } from './init/own-package.ts'
import { filesOf } from './init/template.ts'
import { placeFor, writeAll } from './init/write.ts'

export async function run({ positionals, options, say, complain }: Invocation): Promise<ExitCode> {
  const [given = ''] = positionals
  const folder = resolve(given)
  const name = basename(folder)
  const wrong = wrongName(name)
  if (wrong !== undefined) {
    complain(wrong)
    return 1
  }
  try {
    const place = await placeFor(folder)
    const own = await ownPackage()
    const spec = typeof options.plinth === 'string' ? options.plinth : undefined
    const dependency = await dependencyFor(own, folder, spec)
    const { devDependencies } = own
    const words = {
      name,
      title: titleOf(name),
      node: String(process.versions.node.split('.')[0]),
      plinth: dependency.spec,
      types: devDependencies['@types/node'] ?? '*',
      typescript: devDependencies.typescript ?? '*',
      vendored: dependency.brings === undefined ? '' : 'COPY vendor vendor\n',
      local: dependency.note === undefined ? '' : `\n\n${dependency.note}`,
    }
    await writeAll(place, await filesOf(words), dependency.brings)
    await completed(folder)
    say(nextSteps(folder, name, dependency.note))
    return 0
  } catch (error) {
    complain(sentenceOf(error))
    return 1
  }
}

/** What editors complete from is there before the first start; a folder that can't be read yet gets it then. */
async function completed(folder: string): Promise<void> {
  const resourcesDir = resolve(folder, 'resources')
  const { value } = await readCatalog({ resourcesDir, pluginsDir: resolve(folder, 'plugins') })
  if (value !== undefined) await writeForEditors(value, { resourcesDir })
}

function nextSteps(folder: string, name: string, note: string | undefined): string {
  const path = relative(process.cwd(), folder)
  const steps = [
    ...(path === '' ? [] : [`cd ${/^[\w./-]+$/.test(path) ? path : JSON.stringify(path)}`]),
    'npm install',
    'npm test          # the tests of its example',
    'npm run dev       # serves it at http://127.0.0.1:3000, and follows your changes',
  ]
  return [
    `Made ${name}.${note === undefined ? '' : ` ${note}`}`,
    '',
    ...steps.map((step) => `  ${step}`),
    '',
    `Its README.md goes on from there.`,
  ].join('\n')
}
