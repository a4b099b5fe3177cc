/** ⇄ Reads the folder of an application: app.yaml, every other YAML file below it, and the texts that they name. */
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { fileReason } from '../error.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { type Source, unchanged } from '../text/source.ts'
import { languageIn } from './words.ts'

const YAML = /\.ya?ml$/i
/** Scenarios lie next to the resources that they are about, and are not served. */
const SCENARIOS = /\.test\.ya?ml$/i

/** Texts of mails, which automations name. */
const TEXT = /\.liquid$/

/** The application that another one extends, and the folder of its plugins. */
export interface BaseSources extends Sources {
  readonly plugins: string
}

export interface Sources {
  readonly app: Source
  readonly resources: readonly Source[]
  readonly texts: readonly Source[]
  /** Files `<language>.words.yaml`. */
  readonly words: readonly Source[]
  /** The application that this one extends, and extends.lock. */
  readonly base?: BaseSources
  readonly lock?: Source
}

/**
 * Reads `app.yaml`, all other `*.yaml` files and all `*.liquid` files of a directory, sub-folders too, in the order of their paths.
 * Files are named relative to where the person works. No value without an app.yaml. A file that is as it was `before` is
 * the same source.
 */
export async function readSources(directory: string, before: readonly Source[] = []): Promise<Collected<Sources>> {
  const diagnostics: Diagnostic[] = []
  const paths = await ownFiles(directory, diagnostics)
  const sources: Source[] = []
  const known = unchanged(before)
  for (const path of paths) {
    const source = await readSource(path)
    if ('text' in source) sources.push(known(source))
    else diagnostics.push(source)
  }
  const name = shown(join(directory, 'app.yaml'))
  const app = sources.find((source) => source.file === name)
  if (app === undefined) {
    if (diagnostics.length === 0) diagnostics.push(missingApp(directory, paths))
    return { diagnostics }
  }
  const texts = sources.filter(({ file }) => TEXT.test(file))
  const words = sources.filter(({ file }) => languageIn(file) !== undefined)
  const resources = sources.filter((source) => source !== app && !texts.includes(source) && !words.includes(source))
  return { value: { app, resources, texts, words }, diagnostics }
}

function missingApp(directory: string, paths: readonly string[]): Diagnostic {
  const folder = shown(directory)
  const hint = paths.some((path) => path.endsWith('app.yml'))
    ? 'rename app.yml to app.yaml'
    : 'make an app.yaml with at least "name: …", or set RESOURCES_DIR to the folder that has one'
  return { code: 'missing_app', message: `There is no app.yaml in ${folder}`, hint }
}

async function ownFiles(directory: string, diagnostics: Diagnostic[]): Promise<string[]> {
  try {
    const { inside, outside } = await filesBelow(directory)
    diagnostics.push(...outside.map((path) => leadsOut(path, directory)))
    return inside
      .filter((path) => (YAML.test(path) && !SCENARIOS.test(path)) || TEXT.test(path))
      .sort((a, b) => (a < b ? -1 : 1))
  } catch (error) {
    diagnostics.push({
      code: 'source_unreadable',
      message: `The folder ${shown(directory)} cannot be read (${reason(error)})`,
      hint: 'set RESOURCES_DIR to the folder that holds app.yaml',
    })
    return []
  }
}

function leadsOut(path: string, directory: string): Diagnostic {
  const message = `${shown(path)} is a link that leads out of ${shown(directory)}`
  return { code: 'source_unreadable', message, hint: 'put the files themselves there: nothing else is read' }
}

/** Every file of scenarios of a directory, in the order of their paths. */
export async function readScenarios(directory: string): Promise<Required<Collected<readonly Source[]>>> {
  const { inside } = await filesBelow(directory)
  const read = await Promise.all(
    inside
      .filter((path) => SCENARIOS.test(path))
      .sort()
      .map(readSource),
  )
  const value = read.flatMap((one) => ('text' in one ? [one] : []))
  return { value, diagnostics: read.flatMap((one) => ('text' in one ? [] : [one])) }
}

/** Files below a folder, and links that lead out of it, to a file of ours or to a folder. */
interface Below {
  readonly inside: readonly string[]
  readonly outside: readonly string[]
}

/** Every file below a folder but hidden ones; links to folders are followed, in a circle only once. */
async function filesBelow(directory: string): Promise<Below> {
  const root = await realpath(directory)
  const outside: string[] = []
  const read = async (folder: string, above: readonly string[]): Promise<readonly string[]> => {
    const entries = await readdir(folder, { withFileTypes: true })
    const found = await Promise.all(
      entries.map(async (entry): Promise<readonly string[]> => {
        const path = join(folder, entry.name)
        if (entry.name.startsWith('.')) return []
        const isLink = entry.isSymbolicLink()
        // A link that leads nowhere is reported when it is read.
        const kind = isLink ? await stat(path).catch(() => undefined) : entry
        const isFolder = kind?.isDirectory() === true
        const real = isLink && kind !== undefined ? await realpath(path) : path
        if (isLink && kind !== undefined && !isWithin(root, real)) {
          if (isFolder || YAML.test(path) || TEXT.test(path)) outside.push(path)
          return []
        }
        if (!isFolder) return [path]
        return above.includes(real) ? [] : read(path, [...above, real])
      }),
    )
    return found.flat()
  }
  return { inside: await read(directory, [root]), outside }
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

export async function readSource(path: string): Promise<Source | Diagnostic> {
  const file = shown(path)
  if (YAML.test(path) && !path.endsWith('.yaml')) {
    const hint = `rename it to ${file.replace(YAML, '.yaml')}`
    return { code: 'source_unreadable', message: `${file} would not be read: files end in .yaml`, hint }
  }
  try {
    return { file, text: new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path)) }
  } catch (error) {
    const message = `${file} cannot be read (${reason(error)})`
    const isGone = error instanceof Error && Reflect.get(error, 'code') === 'ENOENT'
    const hint = isGone
      ? 'it is a link that leads nowhere: correct it, or take it away'
      : 'save it as UTF-8, readable by the user that runs Plinth'
    return { code: 'source_unreadable', message, hint }
  }
}

function reason(error: unknown): string {
  if (error instanceof TypeError) return 'it is not UTF-8'
  return fileReason(error)
}

function shown(path: string): string {
  const near = relative(process.cwd(), path)
  return near === '' ? '.' : near.split('\\').join('/')
}
