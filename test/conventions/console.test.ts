/** The page of the console: it stays small, knows no application, and writes no HTML as text. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { projectFiles, readSources } from './source.ts'

const page = suite('the page of the console')
/** Lists that people keep under a name and conditions that they build are 700 of them, and what plugins import and add 800. */
const MOST_LINES = 12_000

const files = projectFiles()
const sources = readSources(files, ['plugins/console'])
const styles = files.filter((path) => path.startsWith('plugins/console/') && path.endsWith('.css'))

function none(violations: readonly string[], rule: string): void {
  assert.ok(violations.length === 0, `${rule}:\n${violations.map((violation) => `    ${violation}`).join('\n')}`)
}

/** The resources of the shipped desk that no other application needs to have. */
function deskWords(): readonly string[] {
  const resources = files.filter((path) => /^(resources|plugins\/desk)\/.*\.yaml$/.test(path))
  const names = resources.flatMap((path) => /^resource: (\w+)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? [])
  const general = new Set([
    'users',
    'roles',
    'media',
    'notes',
    'types',
    'messages',
    'notifications',
    'replies',
    'posts',
  ])
  return [...new Set(names)].filter((name) => !general.has(name))
}

page(`it has at most ${MOST_LINES} lines, without its words`, () => {
  const code = sources.filter(({ path }) => !path.startsWith('plugins/console/page/words/'))
  const lines = [...code.map(({ text }) => text), ...styles.map((path) => readFileSync(path, 'utf8'))]
  const sum = lines.reduce((total, text) => total + text.split('\n').length, 0)
  assert.ok(sum > 1000 && sum <= MOST_LINES, `${sum} lines`)
})

page('it names no resource of the desk', () => {
  const words = deskWords()
  assert.ok(words.includes('tickets') && words.length > 10, words.join(' '))
  // Answers have a status, too.
  const singular = words
    .map((word) => word.replace(/ies$/, 'y').replace(/(?<=s)es$|s$/, ''))
    .filter((word) => word !== 'status')
  const named = new RegExp(`\\b(${[...words, ...singular].join('|')})\\b`, 'i')
  none(
    sources.flatMap(({ path, text }) => {
      // The name of a picture.
      const said = named.exec(text.replace(/^ {2}ticket: 'M/m, ''))
      return said === null ? [] : [`${path}: ${said[0]}`]
    }),
    'the console draws any application',
  )
})

page('it writes no HTML as text, and asks no path that is not in the catalog', () => {
  const writes = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(/i
  const asks = /(?:ask|read|fetch)\(\s*['"`]\/(?!catalog\.json)/
  none(
    sources.filter(({ text }) => writes.test(text) || asks.test(text)).map(({ path }) => path),
    'values become text nodes, and paths come from the catalog',
  )
})

page('its style has logical properties alone, and colours as tokens', () => {
  const sides =
    /(?:^|[\s;{])(?:left|right|(?:margin|padding|border|inset)-(?:left|right|top|bottom)|(?:min-|max-)?(?:width|height))\s*:/
  const colors = /#[0-9a-f]{3,8}\b|\brgb\(/i
  for (const path of styles) {
    const lines = readFileSync(path, 'utf8').split('\n')
    none(
      lines.flatMap((line, at) => {
        const isToken = /^\s*--/.test(line)
        const isQuery = line.startsWith('@media')
        return (!isQuery && sides.test(line)) || (!isToken && colors.test(line)) ? [`${path}:${at + 1}: ${line}`] : []
      }),
      'right-to-left text needs no style of its own',
    )
  }
})

page.run()
