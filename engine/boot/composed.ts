/** The plugins of an application composed into one ⇄, with the files that they bring; made once of the same plugins and files. */
import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Additions } from '../catalog/addition.ts'
import type { Document, PluginsDefinition } from '../definition/definition.ts'
import { sentenceOf } from '../error.ts'
import { memo, sameLists } from '../memo.ts'
import { additionsOf } from '../plugin/additions.ts'
import { type Composition, compose } from '../plugin/compose.ts'
import { shippedPlugins } from '../plugin/load.ts'
import type { Plugin } from '../plugin/plugin.ts'
import type { Extensions } from '../resolve/extensions.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { type Source, unchanged } from '../text/source.ts'

const samePlugins = sameLists<Plugin>()
const compositionOf = memo((plugins: readonly Plugin[], options: Document<PluginsDefinition>) => {
  const made = new Map<string, ReturnType<typeof compose>>()
  return (additions: Additions): ReturnType<typeof compose> => {
    const key = [...additions.values()].map(({ plugin, version }) => `${plugin} ${version}`).join()
    const known = made.get(key) ?? compose(plugins, options, additions)
    made.clear()
    made.set(key, known)
    return known
  }
})

interface Composed {
  readonly composed: ReturnType<typeof compose>
  readonly additions: Required<Collected<Additions>>
  readonly brought: Required<Collected<readonly Source[]>>
  /** The composition with what the passes know of its plugins. */
  readonly composition: Composition
}

/** Composes loaded plugins and reads their files; those that are as they were `before` are the same sources. */
export async function composedOf(
  plugins: readonly Plugin[],
  options: Document<PluginsDefinition>,
  before: readonly Source[],
): Promise<Composed> {
  const additions = await additionsOf(plugins)
  const composed = compositionOf(samePlugins(plugins), options)(additions.value)
  const texts = await textsOf(composed.value)
  const { diagnostics, value } = await pluginSources(composed.value, before)
  const brought = { value, diagnostics: [...texts.diagnostics, ...diagnostics] }
  return { composed, additions, brought, composition: await knowing(composed.value, value, texts.value) }
}

const sameSources = sameLists<Source>()
const withKnown = memo((_: Composition) => memo((_brought: readonly Source[]): { value?: Composition } => ({})))

async function knowing(composition: Composition, files: readonly Source[], texts: Known): Promise<Composition> {
  const held = withKnown(composition)(sameSources(files))
  if (held.value !== undefined) return held.value
  const routed = routedBy(composition, await shippedPlugins())
  const known = { authenticates: composition.authenticate !== undefined, brought: new Set(files), routed }
  held.value = { ...composition, extensions: { ...composition.extensions, ...known, texts } }
  return held.value
}

/** Routes of a plugin of the application's own can write every resource, and others those that have a key of the plugin. */
function routedBy({ resourceRoutes, routes, vocabulary }: Composition, shipped: readonly string[]) {
  const own = [...routes, ...resourceRoutes].some(({ plugin }) => !shipped.includes(plugin))
  const known = new Set(resourceRoutes.map(({ plugin }) => plugin))
  return (keys: readonly string[]): boolean =>
    own || keys.some((key) => known.has(vocabulary.keys.get(key)?.plugin ?? ''))
}

type Known = NonNullable<Extensions['texts']>

/** The texts of plugins by their names, with those of files. */
async function textsOf({ texts }: Composition): Promise<Required<Collected<Known>>> {
  const value = new Map<string, { readonly text: string; readonly url?: string }>()
  const diagnostics: Diagnostic[] = []
  for (const { name, plugin, value: given } of texts) {
    const isFile = given instanceof URL
    const text = isFile ? await readBrought(given, `The text "${name}" of the plugin "${plugin}"`, diagnostics) : given
    if (text !== undefined) value.set(`${plugin}.${name}`, { text, ...(isFile && { url: given.href }) })
  }
  return { value, diagnostics }
}

/** A file that a plugin brings; undefined, and reported as `what`, where it cannot be read. */
async function readBrought(url: URL, what: string, diagnostics: Diagnostic[]): Promise<string | undefined> {
  try {
    return await readFile(url, 'utf8')
  } catch (error) {
    diagnostics.push({ code: 'source_unreadable', message: `${what} cannot be read: ${sentenceOf(error)}` })
    return undefined
  }
}

/** What the program itself says, in other languages. */
const WORDS = [{ plugin: 'plinth', value: new URL('../catalog/de.words.yaml', import.meta.url) }]

async function pluginSources(
  composition: Composition,
  before: readonly Source[],
): Promise<Required<Collected<readonly Source[]>>> {
  const value: Source[] = []
  const known = unchanged(before)
  const diagnostics: Diagnostic[] = []
  for (const { plugin, value: url } of [...WORDS, ...composition.resources]) {
    const text = await readBrought(url, `A resource file of the plugin "${plugin}"`, diagnostics)
    if (text !== undefined) value.push(known({ file: relative(process.cwd(), fileURLToPath(url)), text }))
  }
  return { value, diagnostics }
}
