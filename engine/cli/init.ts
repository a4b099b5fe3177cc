/** `plinth init`: a new application in a folder of its own, from an example or for a database, and what to do next. */
import { basename, relative, resolve } from 'node:path'
import { readCatalog } from '../boot/boot.ts'
import { sentenceOf } from '../error.ts'
import type { ExitCode, Invocation } from './command.ts'
import { writeForEditors } from './for-editors.ts'
import { type Dependency, dependencyFor } from './init/dependency.ts'
import { type Adopted, adopted, withAddress, withoutPassword } from './init/from.ts'
import { titleOf, wrongName } from './init/name.ts'
import { ownPackage } from './init/own-package.ts'
import { accessText } from './init/scenarios.ts'
import { appOf, filesOf } from './init/template.ts'
import { nextSteps, nextStepsFrom, pageWords } from './init/told.ts'
import { placeFor, writeAll } from './init/write.ts'

export async function run({ positionals, options, say, complain, log }: Invocation): Promise<ExitCode> {
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
    const spec = typeof options.plinth === 'string' ? options.plinth : undefined
    const { words, dependency } = await wordsOf(folder, name, spec)
    const path = relative(process.cwd(), folder)
    if (typeof options.from !== 'string') {
      await writeAll(place, await filesOf('sample', words), dependency.brings)
      await completed(folder)
      say(nextSteps(path, name, dependency.note))
      return 0
    }
    const address = options.from
    const app = await appOf('from', words)
    const found = await withAddress(address, log, (database) => adopted(database, app))
    await writeAll(place, await filesFor(found, { ...words, address: withoutPassword(address) }), dependency.brings)
    await completed(folder)
    say(nextStepsFrom(path, name, found, dependency.note))
    return 0
  } catch (error) {
    complain(sentenceOf(error))
    return 1
  }
}

type Words = Readonly<Record<string, string>>

/** What the templates of every application ask for. */
async function wordsOf(
  folder: string,
  name: string,
  spec: string | undefined,
): Promise<{ readonly words: Words; readonly dependency: Dependency }> {
  const own = await ownPackage()
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
  return { words, dependency }
}

/** The files of an application for a database: the templates, and what was made of its tables. */
async function filesFor(found: Adopted, words: Words): Promise<ReadonlyMap<string, string>> {
  const made = [...found.files].map(([file, text]) => [`resources/${file}`, text] as const)
  const tests = [
    ['test/schema.sql', found.schema],
    ['resources/access.test.yaml', accessText(found)],
  ] as const
  return new Map([...(await filesOf('from', { ...words, ...pageWords(found) })), ...made, ...tests])
}

/** What editors complete from is there before the first start; a folder that cannot be read yet gets it then. */
async function completed(folder: string): Promise<void> {
  const resourcesDir = resolve(folder, 'resources')
  const { value } = await readCatalog({ resourcesDir, pluginsDir: resolve(folder, 'plugins') })
  if (value !== undefined) await writeForEditors(value, { resourcesDir })
}
