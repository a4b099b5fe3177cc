/** Documentation cannot rot: every code, command, contribution and variable is documented, and what is documented exists. */
import { existsSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { COMMANDS } from '../../engine/cli/commands.ts'
import { readChanges } from '../../engine/documents/changelog.ts'
import { tablesIn } from '../../engine/documents/page.ts'
import { pluginTables } from '../../engine/documents/plugin-tables.ts'
import { TABLES } from '../../engine/documents/tables.ts'
import { oldPages, pages } from '../../engine/documents/write.ts'
import { ERRORS } from '../../engine/error.ts'
import { FIELD_ERRORS } from '../../engine/field-error.ts'
import { VARIABLES } from '../../engine/settings.ts'
import { pluginEntries, projectFiles, readSources } from './source.ts'

const documentation = suite('documentation')

/** A document, or nothing as long as it is not written: then everything is missing from it. */
function read(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function none(violations: readonly string[], rule: string): void {
  assert.ok(violations.length === 0, `${rule}:\n${violations.map((violation) => `    ${violation}`).join('\n')}`)
}

/** The text under the headings that match, up to the next heading of the same or a higher level. */
function sections(text: string, heading: RegExp): string {
  const lines = text.split('\n')
  let level = 0
  const kept: string[] = []
  for (const line of lines) {
    const match = /^(#+)\s+(.*)/.exec(line)
    if (match !== null && (level === 0 || (match[1] ?? '').length <= level)) {
      level = heading.test(match[2] ?? '') ? (match[1] ?? '').length : 0
    }
    if (level > 0) kept.push(line)
  }
  return kept.join('\n')
}

/** Every `word` in the first cell of a table's rows. */
function firstCells(text: string): string[] {
  return [...text.matchAll(/^\|([^|]*)\|/gm)].flatMap((row) =>
    [...(row[1] ?? '').matchAll(/`([^`]+)`/g)].map((cell) => cell[1] ?? ''),
  )
}

function names(text: string, word: string): boolean {
  return text.includes(`\`${word}\``)
}

documentation('every table is as the code makes it: `npm run docs` writes them', async () => {
  none([...(await oldPages()).keys()], 'run `npm run docs`')
})

documentation('every table that the code makes is in a page', async () => {
  const shown = new Set((await pages()).flatMap((path) => tablesIn(read(path))))
  none(
    Object.keys({ ...TABLES, ...(await pluginTables('plugins')) }).filter((name) => !shown.has(name)),
    'in no page',
  )
})

documentation('every option of a shipped plugin has a description', async () => {
  const rows = (await pluginTables('plugins'))['options of plugins']!().split('\n').slice(2)
  assert.ok(rows.length > 40)
  none(
    rows.filter((row) => row.includes('| undefined |')),
    'no description',
  )
})

documentation('the newest version of the changelog is that of the package', async () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  assert.is(/^## (.*)$/m.exec(read('engine/CHANGELOG.md'))?.[1], version)
  for (const change of await readChanges('engine/changes')) assert.match(change.new, /[.]$/, change.new)
})

documentation('every error code is in engine/guide/api.md, and no other', () => {
  const text = read('engine/guide/api.md')
  const codes = [...Object.keys(ERRORS), ...Object.keys(FIELD_ERRORS)]
  none(
    codes.filter((code) => !names(text, code)),
    'not documented',
  )
  const documented = firstCells(sections(text, /\berror/i))
  none(
    documented.filter((code) => /^[a-z_]+$/.test(code) && !codes.includes(code)),
    'documented, but no error code',
  )
})

documentation('every command is in engine/guide/commands.md, and no page names another', () => {
  const text = read('engine/guide/commands.md')
  const pages = projectFiles().filter((path) => path.endsWith('.md') && !path.endsWith('promises.md'))
  const known = COMMANDS.map((command) => command.name)
  none(
    known.filter((name) => !text.includes(`plinth ${name}`)),
    'not documented as `plinth <name>`',
  )
  const plugins = readSources(projectFiles(), ['plugins']).filter((file) => /\bcommands\s*[:,]/.test(file.code))
  // `remind` is the command of the plugin in the examples.
  const given = (word: string): boolean => word === 'remind' || plugins.some((file) => file.text.includes(word))
  const documented = [
    ...pages
      .map(read)
      .join('\n')
      .matchAll(/`(?:npx )?plinth ([a-z][a-z-]*)/g),
  ].map((match) => match[1] ?? '')
  none(
    documented.filter((word) => !known.includes(word) && !given(word)),
    'documented, but no command',
  )
})

documentation(
  'every variable that the engine reads is in engine/guide/configuration.md, and every one there is read',
  () => {
    const text = read('engine/guide/configuration.md')
    none(
      Object.keys(VARIABLES).filter((name) => !names(text, name)),
      'not documented',
    )
    const code = readSources(projectFiles(), ['plugins'])
      .map((file) => file.text)
      .join('\n')
    const documented = firstCells(text).filter((word) => /^[A-Z][A-Z0-9_]+$/.test(word))
    const isRead = (name: string): boolean => name in VARIABLES || new RegExp(`\\b${name}\\b`).test(code)
    none(
      documented.filter((name) => !isRead(name)),
      'documented, but read nowhere',
    )
  },
)

documentation(
  'every dependency is in engine/guide/changing-the-engine.md with the reason for it, and is imported',
  () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
    const packages = Object.keys(dependencies)
    const table = sections(read('engine/guide/changing-the-engine.md'), /^dependencies$/i)
    const reasons = new Map(
      [...table.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(([, name = '', why = '']) => [name, why]),
    )
    none(
      packages.filter((name) => (reasons.get(name) ?? '').length < 20),
      'no reason in engine/guide/changing-the-engine.md',
    )
    none(
      [...reasons.keys()].filter((name) => !packages.includes(name)),
      'in engine/guide/changing-the-engine.md, but no dependency',
    )
    const code = readSources(projectFiles(), ['engine', 'plugins']).map((file) => file.text)
    none(
      packages.filter((name) => !code.some((text) => text.includes(`'${name}'`) || text.includes(`'${name}/`))),
      'no file of engine/ or plugins/ names it: what tests alone need is a devDependency',
    )
  },
)

/** `>= 20.19.0` as a number that compares: major and minor. */
function oldest(range: string): number {
  const [, major = '0', minor = '0'] = /^>?=? ?\^?(\d+)(?:\.(\d+))?/.exec(range.trim()) ?? []
  return Number(major) * 1_000 + Number(minor)
}

documentation('the oldest Node is one that every dependency runs on, and is the same wherever it is said', () => {
  const said = 20_019
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { dev?: boolean; engines?: { node?: string } }>
  }
  none(
    Object.entries(packages).flatMap(([name, { dev, engines }]) => {
      const ranges = dev === true ? undefined : engines?.node?.split('||')
      return ranges === undefined || ranges.some((range) => oldest(range) <= said) ? [] : [name]
    }),
    'needs a newer Node',
  )
  const manifests = projectFiles().filter((path) => /(^|\/)package\.json(\.template)?$/.test(path))
  const engines = manifests.flatMap((path) => /"node": "(>=[^"]+)"/.exec(read(path))?.[1] ?? [])
  assert.ok(engines.length > 2)
  const sentences = [...projectFiles(), 'README.md'].filter((path) => /\.md(\.template)?$|cli\/main\.ts$/.test(path))
  const words = sentences.flatMap((path) =>
    [...read(path).matchAll(/Node (\d+\.\d+) or later/g)].map(([, at]) => `>=${at}`),
  )
  assert.ok(words.length > 3)
  assert.equal([...new Set([...engines, ...words].map(oldest))], [said])
})

documentation('every contribution of a plugin is in plugins/README.md', () => {
  const text = read('plugins/README.md')
  const contract = /export interface Plugin \{([\s\S]*?)\n\}/.exec(read('engine/plugin/plugin.ts'))?.[1] ?? ''
  const keys = [...contract.matchAll(/^ {2}readonly (\w+)\??:/gm)].map((match) => match[1] ?? '')
  assert.ok(keys.length > 5)
  none(
    keys.filter((key) => !names(text, key)),
    'not documented in plugins/README.md',
  )
})

documentation('every plugin is in plugins/README.md', () => {
  const text = read('plugins/README.md')
  const entries = pluginEntries()
  assert.ok(entries.length > 10)
  none(
    entries.map((path) => path.split('/').at(-2) ?? '').filter((name) => !names(text, name)),
    'not documented',
  )
})

documentation('test/README.md names every folder of tests, and only places that exist', () => {
  const text = read('test/README.md')
  const named = [...text.matchAll(/`(test\/[^`]*)`/g)].map((match) => match[1] ?? '')
  none(
    named.filter((path) => !existsSync(path)),
    'a place in test/README.md exists',
  )
  const folders = projectFiles()
    .filter((path) => path.startsWith('test/') && path.endsWith('.test.ts'))
    .map((path) => path.split('/').slice(0, -1).join('/'))
  none(
    [...new Set(folders)].filter(
      (folder) => folder !== 'test' && !named.some((path) => `${folder}/`.startsWith(`${path}/`)),
    ),
    'a folder of tests stands in test/README.md',
  )
})

documentation('every action that a page has an automation run is one that a page shows how to make', () => {
  const pages = projectFiles().filter((path) => path.endsWith('.md') && !path.endsWith('CHANGELOG.md'))
  const text = pages.map(read).join('\n')
  const run = [...text.matchAll(/\brun: \{ (\w+)\.(\w+):/g)].map(
    ([, plugin = '', action = '']) => `${plugin}.${action}`,
  )
  const made = sections(read('plugins/guide/contributions.md'), /^Actions$/)
  const shown = [...made.matchAll(/^ {2}(\w+): \{$/gm)].map(([, action]) => `loans.${action}`)
  assert.ok(run.length > 1)
  none(
    run.filter((name) => !shown.includes(name)),
    'no plugin that comes with Plinth has this action, and no page makes it',
  )
})

documentation('the guide of routes has every key of a route, and that of plugins the shape of an actor', () => {
  const keysOf = (path: string, name: string): readonly string[] => {
    const [, body = ''] = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(read(path)) ?? []
    return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, key = '']) => key)
  }
  const page = read('plugins/guide/routes.md') + sections(read('plugins/guide/contributions.md'), /^Routes$/)
  const keys = keysOf('engine/http/route.ts', 'Route')
  const actor = keysOf('engine/actor.ts', 'Actor').filter((key) => key !== 'quota')
  assert.ok(keys.includes('openToRestricted') && actor.includes('permissions'))
  none(
    [...keys, ...actor].filter((key) => !new RegExp(`\\b${key}\\b`).test(page)),
    'the guide of routes lacks it',
  )
})

documentation('the pages of the YAML say what nobody could guess', () => {
  const said: readonly (readonly [page: string, what: RegExp])[] = [
    ['resources/README.md', /booking_lines is at \/booking-lines/],
    ['resources/README.md', /\(guide\/mail-and-notifications\.md\)/],
    ['resources/guide/mail-and-notifications.md', /\| date: "%H:%M", "Europe\/Berlin"/],
    ['resources/guide/mail-and-notifications.md', /`notifications\.own`/],
    ['resources/guide/lists-and-filters.md', /`\$today` \| the day of the request in UTC/],
    ['resources/guide/automations.md', /under `set` there is one more, which `create` does not have/],
    ['resources/guide/field-types.md', /single hyphens or underscores/],
    ['engine/guide/configuration.md', /arrived as a whole after 60 seconds/],
    ['plugins/guide/context.md', /secretsOf/],
    ['plugins/guide/contributions.md', /`actions: \[\]`/],
  ]
  none(
    said.filter(([page, what]) => !what.test(read(page))).map(([page, what]) => `${page}: ${what}`),
    'it is said nowhere',
  )
})

documentation.run()
