/** The tables of the documents that the plugins know: their keys, commands, variables, and what they are. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { flow } from '../definition/sentence.ts'
import type { Json, JsonSchema } from '../json.ts'
import type { Plugin } from '../plugin/plugin.ts'
import { deepKeys, propertiesOf, table } from './key-table.ts'
import { type Described, variableTable } from './tables.ts'
import { PLUGIN_KEYS } from './texts.ts'

/** Every file of TypeScript below a folder, sorted. */
async function files(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>
}

/** The tables by their names; `folder` is that of the plugins that come with Plinth. */
export async function pluginTables(folder: string): Promise<Readonly<Record<string, () => string>>> {
  const paths = await files(folder)
  const plugins: Plugin[] = []
  let variables: Described = {}
  let kinds: Readonly<Record<string, string>> = {}
  for (const path of paths) {
    const text = await readFile(path, 'utf8')
    if (path.endsWith('/index.ts')) plugins.push((await load(path)).default as Plugin)
    if (/^export const VARIABLES\b/m.test(text))
      variables = { ...variables, ...((await load(path)).VARIABLES as object) }
    if (/^export const KINDS\b.*\{$/m.test(text) && path.includes('notifications'))
      kinds = (await load(path)).KINDS as typeof kinds
  }
  return {
    plugins: () =>
      table(
        ['plugin', 'what it does'],
        plugins.map(({ name, description }) => [`\`${name}\``, description]),
      ),
    'commands of plugins': () =>
      table(
        ['command', 'plugin', 'does'],
        plugins.flatMap(({ name, commands = {} }) =>
          Object.entries(commands).map(([word, { description }]) => [
            `\`npx plinth ${word}\``,
            `\`${name}\``,
            description,
          ]),
        ),
      ),
    'options of plugins': () => table(['plugin', 'option', 'meaning', 'default'], plugins.flatMap(optionRows)),
    'variables of plugins': () => variableTable(variables),
    'kinds of notifications': () =>
      table(
        ['kind', 'tells'],
        Object.entries(kinds).map(([kind, tells]) => [`\`${kind}\``, tells]),
      ),
    'keys of plugins': () =>
      table(
        ['key', 'plugin', 'meaning'],
        plugins.flatMap(({ name, keys = {} }) =>
          Object.entries(keys).map(([key, { description }]) => keyRow(name, key, description)),
        ),
      ),
  }
}

function optionRows({ name, options }: Plugin): readonly (readonly string[])[] {
  const own = Object.entries(propertiesOf(options)).flatMap(([option, schema]) => [...deepKeys(option, schema)])
  return own.map(([option, schema]) => optionRow(name, option, schema))
}

function optionRow(plugin: string, option: string, schema: JsonSchema): readonly string[] {
  const { default: otherwise, description, properties } = schema
  // What is below it has a row of its own.
  const isSaid = otherwise === undefined || properties !== undefined
  return [`\`${plugin}\``, `\`${option}\``, String(description), isSaid ? '–' : `\`${flow(otherwise as Json)}\``]
}

function keyRow(plugin: string, key: string, description: string): readonly string[] {
  const link = PLUGIN_KEYS[key]
  return [link === undefined ? `\`${key}\`` : `[\`${key}\`](${link})`, `\`${plugin}\``, description]
}
