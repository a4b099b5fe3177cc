/** `plinth init`: makes a new application in a folder, from an example or for a database, and says what to do next. */

import { basename, relative, resolve } from 'node:path'
import { readCatalog } from '../boot/boot.ts'
import { sentenceOf } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { ExitCode, Invocation } from './command.ts'
import { writeForEditors } from './for-editors.ts'
import { type Adopted, accessText, adopted, withAddress, withoutPassword } from './init/from.ts'
import { nextSteps, nextStepsFrom, pageWords } from './init/next-steps.ts'
import { filesOn } from './init/on.ts'
import { type Dependency, dependencyFor, ownPackage } from './init/own-package.ts'
import { appOf, filesOf, filesOfPlugin, PLUGIN_WORDS, placeFor, writeAll } from './init/template.ts'

const VALID = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
/** Names with another meaning: the package itself, and folders of every application. */
const TAKEN = new Set(['plinth', 'node-modules', 'resources', 'plugins', 'data'])

function isValid(name: string): boolean {
  return VALID.test(name) && name.length <= LIMITS.applicationName && !TAKEN.has(name)
}

/** The mistake in a name, with the nearest valid one; undefined for a valid name. */
export function wrongName(name: string): string | undefined {
  if (isValid(name)) return undefined
  const rule = TAKEN.has(name)
    ? `"${name}" is the name of something else.`
    : `"${name}" is no name for an application: small letters and digits, with single "-" between them, ${LIMITS.applicationName} at most, a letter first.`
  return `${rule} Use for example: plinth init ${nearestName(name)}`
}

/** The name that was probably meant, in valid letters. */
function nearestName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, LIMITS.applicationName)
    .replace(/-+$/, '')
  if (isValid(plain)) return plain
  return plain === '' ? 'my-app' : `my-${plain}`.slice(0, LIMITS.applicationName)
}

/** `room-bookings` for people: "Room bookings". */
export function titleOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ')
}

export async function run({ positionals, options, say, complain, log }: Invocation): Promise<ExitCode> {
  const [given = ''] = positionals
  const folder = resolve(given)
  const name = basename(folder)
  const wrong = wrongName(name)
  if (wrong !== undefined) {
    complain(wrong)
    return 1
  }
  const isWithPlugin = options['with-plugin'] === true
  if (isWithPlugin && options.from !== undefined) {
    complain('--with-plugin is for the example, and --from for a database: leave one of them out.')
    return 1
  }
  const on = typeof options.on === 'string' ? options.on : undefined
  if (on !== undefined && (isWithPlugin || options.from !== undefined)) {
    complain('--on is for an application on another one: leave --with-plugin and --from out.')
    return 1
  }
  try {
    const place = await placeFor(folder)
    const spec = typeof options.plinth === 'string' ? options.plinth : undefined
    const { words, dependency } = await wordsOf(folder, name, spec)
    const path = relative(process.cwd(), folder)
    if (typeof options.from !== 'string') {
      const files = on === undefined ? filesOfSample(words, isWithPlugin) : filesOnOther(folder, on, words)
      await writeAll(place, await files, dependency.brings)
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

/** The words that the templates of every application need. */
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
    react: devDependencies['@types/react'] ?? '*',
    typescript: devDependencies.typescript ?? '*',
    vendored: dependency.brings === undefined ? '' : 'COPY vendor vendor\n',
    local: dependency.note === undefined ? '' : `\n\n${dependency.note}`,
  }
  return { words, dependency }
}

/** The files of the example, which needs no plugin of its own. */
async function filesOfSample(words: Words, isWithPlugin: boolean): Promise<ReadonlyMap<string, string>> {
  if (!isWithPlugin) return filesOf('sample', { ...words, office: '', hooks: '', row: '' })
  const all = { ...words, ...PLUGIN_WORDS }
  return new Map([...(await filesOf('sample', all)), ...(await filesOfPlugin(all))])
}

/** The files of an application that extends another one, with everything of the example but its resources. */
async function filesOnOther(folder: string, on: string, words: Words): Promise<ReadonlyMap<string, string>> {
  const common = [...(await filesOf('sample', { ...words, office: '', hooks: '', row: '' }))]
  const own = await filesOn({ folder, on }, words)
  return new Map([...common.filter(([name]) => !name.startsWith('resources/')), ...own])
}

/** The files of an application for a database: the templates, and those made of its tables. */
async function filesFor(found: Adopted, words: Words): Promise<ReadonlyMap<string, string>> {
  const made = [...found.files].map(([file, text]) => [`resources/${file}`, text] as const)
  const tests = [
    ['test/schema.sql', found.schema],
    ['resources/access.test.yaml', accessText(found)],
  ] as const
  return new Map([...(await filesOf('from', { ...words, ...pageWords(found) })), ...made, ...tests])
}

/** Editors can complete before the first start; a folder that cannot be read yet gets the schemas then. */
async function completed(folder: string): Promise<void> {
  const resourcesDir = resolve(folder, 'resources')
  const { value } = await readCatalog({ resourcesDir, pluginsDir: resolve(folder, 'plugins') })
  if (value !== undefined) await writeForEditors(value, { resourcesDir })
}
