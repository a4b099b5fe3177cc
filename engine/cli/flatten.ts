/**
 * `plinth flatten` ⇄: the whole application as files that extend nothing, each part with its origin. `plinth explain
 * --source`: the origin of one part.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readWritten, type WrittenApplication } from '../boot/boot.ts'
import { nameOf } from '../boot/extend-resource.ts'
import { applicationScenarios } from '../boot/scenario-files.ts'
import { nodeAt } from '../boot/without.ts'
import { type DocumentNode, entriesOf, isMapNode, itemsOf, mapOf, within } from '../definition/document-node.ts'
import { flow } from '../definition/sentence.ts'
import { sentenceOf } from '../error.ts'
import { isObject, type Json } from '../json.ts'
import { nearest } from '../text/nearest.ts'
import { placeOf } from '../text/source.ts'
import { showDiagnostics } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

/** What of a value is shown on one line. */
const WIDTH = 110

type Origin = (node: DocumentNode) => string

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { complain, options, say, settings } = invocation
  const written = await readWritten(settings)
  showDiagnostics(written, invocation)
  if (written.value === undefined) return 1
  try {
    const files = await filesOf(written.value, settings.resourcesDir)
    if (typeof options.out !== 'string') {
      say(
        [...files]
          .map(([name, text]) => `# ${name}\n${text}`)
          .join('---\n')
          .trimEnd(),
      )
      return 0
    }
    await mkdir(options.out, { recursive: true })
    if ((await readdir(options.out)).length > 0)
      throw new Error(`${options.out} is not empty: name a folder that is not there yet`)
    for (const [name, text] of files) await writeFile(join(options.out, name), text)
    say(`wrote ${files.size} files into ${options.out}`)
    return 0
  } catch (error) {
    complain(sentenceOf(error))
    return 1
  }
}

/** The files of the flat application, by name. What a plugin alone writes stays with the plugin. */
async function filesOf(
  { app, catalog, resources, words, layerOf }: WrittenApplication,
  directory: string,
): Promise<ReadonlyMap<string, string>> {
  const origin: Origin = (node) => placeOf(node.place([], 'key'))
  const own = new Map([...entriesOf(app)].filter(([key]) => key !== 'extends' && key !== 'without'))
  const files = new Map([['app.yaml', lines(mapOf(own, app), '', origin).join('')]])
  for (const resource of resources) {
    if (layerOf(resource.place([]).source.file) === undefined) continue
    files.set(`${nameOf(resource)}.yaml`, lines(resource, '', origin).join(''))
  }
  for (const [language, known] of catalog.words) {
    const own = words.filter((file) => file.language === language && layerOf(file.place([]).source.file) !== undefined)
    if (own.length > 0) files.set(`${language}.words.yaml`, lines(wordsOver(own, known), '', origin).join(''))
  }
  const { value: scenarios } = await applicationScenarios(directory)
  for (const { source, value } of scenarios) {
    if (value === undefined) continue
    const name = basename(source.file)
    const free = files.has(name) ? `${files.size}-${name}` : name
    files.set(free, lines(value, '', origin).join(''))
  }
  return files
}

/** Files of words laid over each other, the lowest first, with those that are for something. */
function wordsOver(files: readonly DocumentNode[], known: unknown): DocumentNode {
  const last = files.at(-1)!
  if (!isObject(known as Json)) return last
  const children = Object.entries(known as object).flatMap(([key, value]): [string, DocumentNode][] => {
    const having = files.filter((file) => isMapNode(file) && Object.hasOwn(file.value, key))
    return having.length === 0
      ? []
      : [
          [
            key,
            wordsOver(
              having.map((file) => within(file, key)),
              value,
            ),
          ],
        ]
  })
  return mapOf(new Map(children.filter(([, { value }]) => Object.keys(value as object | string).length > 0)), last)
}

/** A map or list as lines of YAML; what comes from elsewhere than what is around it, and each entry of a map, says where from. */
function lines(node: DocumentNode, margin: string, origin: Origin): readonly string[] {
  const entries: readonly (readonly [string, DocumentNode])[] = isMapNode(node)
    ? [...entriesOf(node)].map(([key, child]) => [`${flow(key)}:`, child] as const)
    : itemsOf(node).map((child) => ['-', child] as const)
  return entries.flatMap(([begin, child]) => {
    const text = flow(child.value as Json)
    const comment = `  # ${origin(child)}\n`
    const isEmpty = typeof child.value !== 'object' || child.value === null || Object.keys(child.value).length === 0
    const isShort = text.length + margin.length < WIDTH && (margin !== '' || !isMapNode(child))
    if (isEmpty || isShort) return [`${margin}${begin} ${text}${comment}`]
    return [`${margin}${begin}${comment}`, ...lines(child, `${margin}  `, origin)]
  })
}

/** Where each part of a path of the application is written; undefined, with the reason, where nothing is there. */
export async function sourceReport(path: string, { settings }: Pick<Invocation, 'settings'>): Promise<string> {
  const { value, diagnostics } = await readWritten(settings)
  if (value === undefined)
    throw new Error(`The application has mistakes (${diagnostics[0]?.message}): see plinth check.`)
  const [first = '', ...rest] = path.split('.')
  const resource = value.resources.find((one) => nameOf(one) === first)
  const found = resource === undefined ? nodeAt(value.app, [first, ...rest]) : nodeAt(resource, rest)
  if (found === undefined) {
    const near = nearest(resource === undefined ? first : (rest.at(-1) ?? ''), namesIn(value, resource))
    throw new Error(`There is no ${path} in the files.${near === undefined ? '' : ` Did you mean ${near}?`}`)
  }
  const origin: Origin = (node) => {
    const span = node.place([], 'key')
    return `${value.layerOf(span.source.file) ?? 'a plugin'}, ${placeOf(span)}`
  }
  return parts(found, path, origin).join('\n')
}

function namesIn({ app, resources }: WrittenApplication, resource: DocumentNode | undefined): readonly string[] {
  if (resource === undefined) return [...entriesOf(app).keys(), ...resources.flatMap((one) => nameOf(one) ?? [])]
  return [...entriesOf(resource)].flatMap(([key, node]) => [key, ...entriesOf(node).keys()])
}

/** A line for each part that comes from one file. */
function parts(node: DocumentNode, path: string, origin: Origin): readonly string[] {
  const inside = isMapNode(node)
    ? [...entriesOf(node)].map(([key, child]) => [`${path}.${key}`, child] as const)
    : itemsOf(node).map((child, index) => [`${path}[${index}]`, child] as const)
  const files = new Set(sourcesIn(node))
  if (inside.length === 0 || (files.size === 1 && !Array.isArray(node.value))) {
    return [`${path}: ${flow(node.value as Json)}\n  ${origin(node)}`]
  }
  return inside.flatMap(([name, child]) => parts(child, name, origin))
}

function sourcesIn(node: DocumentNode): readonly string[] {
  const inside = [...entriesOf(node).values(), ...itemsOf(node)]
  return inside.length === 0 ? [node.place([]).source.file] : inside.flatMap(sourcesIn)
}
