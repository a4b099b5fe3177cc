/**
 * `plinth add resource|field|relation|plugin`: adds to the application's files, or says why it cannot and changes
 * nothing.
 */

import { existsSync } from 'node:fs'
import { posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Boot, readCatalog } from '../boot/boot.ts'
import { readLayers } from '../boot/layers.ts'
import { sentenceOf } from '../error.ts'
import { loadPlugins } from '../plugin/load.ts'
import { changedLines } from '../text/changes.ts'
import type { Collected } from '../text/diagnostic.ts'
import { nearest } from '../text/nearest.ts'
import { Files, Refused } from './add/files.ts'
import { addRelation } from './add/relation.ts'
import { addFields, addResource, type Notes } from './add/resource.ts'
import { showDiagnostics } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'
import { filesIn } from './init/template.ts'
import { nextOf } from './next.ts'

interface Kind {
  readonly usage: string
  /** The number of words after it, at least and at most. */
  readonly takes: readonly [least: number, most: number]
  readonly options: readonly string[]
  readonly add: (files: Files, boot: Boot, invocation: Invocation) => Notes | Promise<Notes>
}

const LISTED = ['filter', 'sort', 'index'] as const

const KINDS: Readonly<Record<string, Kind>> = {
  resource: {
    usage: 'resource <name> [<field>:<type> …] [--label <text>]',
    takes: [1, Number.POSITIVE_INFINITY],
    options: ['label'],
    add: (files, boot, { positionals, options }) => addResource(files, boot, positionals.slice(1), options),
  },
  field: {
    usage:
      'field <resource> <field>:<type> … [--required] [--unique] [--default <value>] [--label <text>] [--filter] [--sort] [--search] [--index]',
    takes: [2, Number.POSITIVE_INFINITY],
    options: ['required', 'unique', 'default', 'label', 'search', ...LISTED],
    add: (files, boot, { positionals, options }) => addFields(files, boot, positionals.slice(1), options),
  },
  relation: {
    usage:
      'relation <resource> <name> --to <resource> [--many] [--back <name> | --one-way] [--required] [--label <text>] [--filter] [--sort] [--index]',
    takes: [2, 2],
    options: ['to', 'many', 'back', 'one-way', 'required', 'label', ...LISTED],
    add: (files, boot, { positionals, options }) => addRelation(files, boot, positionals.slice(1), options),
  },
  plugin: {
    usage: 'plugin <name>',
    takes: [1, 1],
    options: [],
    add: (files, boot, { positionals, settings }) => addPlugin(files, boot, positionals.slice(1), settings.pluginsDir),
  },
}

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { complain, settings } = invocation
  const kind = kindOf(invocation)
  if (typeof kind === 'string') {
    complain(kind)
    return 2
  }
  const before = await readCatalog(settings)
  const sources = await readLayers(settings.resourcesDir)
  if (before.value === undefined || sources.value === undefined) {
    showDiagnostics(before, invocation)
    complain('Nothing was added: mend this first.')
    return 1
  }
  const files = new Files(sources.value)
  try {
    const notes = await kind.add(files, before.value, invocation)
    return await finish(files, { notes, before }, invocation)
  } catch (error) {
    complain(error instanceof Refused ? error.message : sentenceOf(error))
    return 1
  }
}

/** The kind of thing to add, or the mistake in the words. */
function kindOf({ positionals: [word = '', ...rest], options }: Invocation): Kind | string {
  const kind = Object.hasOwn(KINDS, word) ? KINDS[word] : undefined
  if (kind === undefined) {
    const meant = nearest(word, Object.keys(KINDS))
    const all = Object.values(KINDS).map(({ usage }) => `  plinth add ${usage}`)
    return `plinth add knows no "${word}".${meant === undefined ? '' : ` Did you mean ${meant}?`} Use one of:\n${all.join('\n')}`
  }
  const use = `Use: plinth add ${kind.usage}`
  const other = Object.keys(options).find((name) => name !== 'dry-run' && !kind.options.includes(name))
  if (other !== undefined) return `plinth add ${word} has no option --${other}. ${use}`
  if (rest.length < kind.takes[0]) return `plinth add ${word} needs more words. ${use}`
  if (rest.length > kind.takes[1])
    return `plinth add ${word} does not know what to do with "${rest[kind.takes[1]]}". ${use}`
  if (options['one-way'] === true && options.back !== undefined)
    return `--back and --one-way exclude each other. ${use}`
  const ofOne = (['required', 'sort', 'index'] as const).find((name) => options[name] === true)
  if (options.many === true && ofOne !== undefined)
    return `--many and --${ofOne} exclude each other: it is for a relation to one record. ${use}`
  return kind
}

interface Added {
  readonly notes: Notes
  readonly before: Collected<Boot>
}

async function finish(files: Files, { notes, before }: Added, invocation: Invocation): Promise<ExitCode> {
  const { complain, options, say, settings } = invocation
  const isTried = options['dry-run'] === true
  const told = files.changed.map(({ file, before, after }) => {
    return `${file}${before === undefined ? ' (new)' : ''}\n${changedLines(before, after)}`
  })
  let next: string | undefined
  await files.write(settings.pluginsDir, async (checked) => {
    const known = new Set(before.diagnostics.map(({ message }) => message))
    showDiagnostics({ diagnostics: checked.diagnostics.filter(({ message }) => !known.has(message)) }, invocation)
    // Asked before anything is written: a server that follows the files would already have migrated.
    if (checked.value !== undefined) next = await nextOf(checked.value, invocation)
    return next !== undefined && !isTried
  })
  if (next === undefined) {
    complain('Nothing was written: with this the application would have the mistakes above.')
    return 1
  }
  say([...told, ...new Set(notes), next, ...(isTried ? ['Nothing was written: this was a dry run.'] : [])].join('\n\n'))
  return 0
}

const FOLDER = fileURLToPath(new URL('./add/plugin-template', import.meta.url))
const NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/
/** The line of a plugin that names its page. */
const PAGE = /^ {2}console: .*\n/m

export async function addPlugin(
  files: Files,
  { composition }: Pick<Boot, 'composition'>,
  [name = '']: readonly string[],
  pluginsDir: string,
): Promise<Notes> {
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
  // A page is only for an application with screens.
  const hasConsole = composition.plugins.some((plugin) => plugin.name === 'console')
  for (const [file, text] of made)
    if (hasConsole || file !== 'console.tsx')
      files.make(posix.join(folder, file.replace(/^plugin\./, `${name}.`)), hasConsole ? text : text.replace(PAGE, ''))
  files.addEntry(files.app, ['plugins'], name, {})
  return [`Try it: npx plinth test ${name}`]
}
