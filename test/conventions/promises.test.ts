/** What the documents promise of changes over live data is run: promises.md names the tests of each sentence. */
import { existsSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LIMITS } from '../../engine/limits.ts'
import { projectFiles } from './source.ts'

const promises = suite('promises')

const DOCUMENTS = projectFiles().filter(
  (path) => path.endsWith('.md') && !path.startsWith('test/') && !path.endsWith('CHANGELOG.md'),
)

/** Sections that are about such changes from the first sentence to the last. */
const WHOLE: ReadonlySet<string> = new Set([
  'engine/guide/changing-a-live-system.md: Without a restart',
  'engine/guide/changing-a-live-system.md: Before a change',
  'resources/guide/changing-fields.md: Changing a field',
  'resources/guide/changing-fields.md: Renaming',
  'engine/guide/inside-migrations.md: Changing a live database',
  'engine/guide/inside-migrations.md: Earlier names',
  'engine/guide/inside-migrations.md: Remembered catalog',
  'engine/guide/inside-migrations.md: Rolling out new files',
])
/** Words by which a sentence of any other section is about them. */
const WORDS =
  /plinth (?:plan|apply|history|purge|restore-field)|--data\b|`renamed_from`|`backfill`|sets? aside by|values set aside|a person applies|older YAML|\ba start (?:never|adds)|no start brings|refused by the plan/i

interface Said {
  /** The document and the heading. */
  readonly section: string
  readonly text: string
  /** Whether the code made it: a row of a table. */
  readonly isMade?: boolean
}

/** The sentences of a document; of a table what its rows say of their first cell, of code its first line. */
function* sentences(document: string): Generator<Said> {
  let section = ''
  let isCode = false
  let isFirst = false
  let isMade = false
  for (const line of readFileSync(document, 'utf8').split('\n')) {
    const heading = isCode ? null : /^#+ (.*)/.exec(line)
    if (/^<!-- /.test(line)) isMade = line !== '<!-- end -->'
    else if (line.startsWith('Next: ')) continue
    else if (/^\s*```/.test(line)) [isCode, isFirst] = [!isCode, !isCode]
    else if (heading !== null) section = `${document}: ${heading[1]}`
    else if (isCode) {
      if (isFirst) yield { section, text: line }
      isFirst = false
    } else if (line.startsWith('|')) for (const text of rowOf(line)) yield { section, text, isMade }
    else for (const text of splitted(line)) yield { section, text }
  }
}

function splitted(line: string): readonly string[] {
  const text = line.replace(/^\s*(?:-|\d+\.) /, '').trim()
  return text === '' ? [] : text.split(/(?<=[a-z0-9)`"][.!?]) (?=[A-Z`"])/)
}

function rowOf(line: string): readonly string[] {
  const [, of = '', ...cells] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
  return cells.filter((text) => !/^(?:-+|`[^`]*`|)$/.test(text)).map((text) => `${of}: ${text}`)
}

interface Promised extends Said {
  /** `test/…: the name of a test`, `test/…` where the sentence is its name, or `not run: why`. */
  readonly run: readonly string[]
}

function promised(): readonly Promised[] {
  const found: { section: string; text: string; run: string[] }[] = []
  let section = ''
  for (const line of readFileSync('test/conventions/promises.md', 'utf8').split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3)
    else if (line.startsWith('> ')) found.push({ section, text: line.slice(2), run: [] })
    else if (line.startsWith('- ')) found.at(-1)?.run.push(line.slice(2))
  }
  return found
}

const keyOf = ({ section, text }: Said): string => `${section}\n      ${text}`
const none = (wrong: readonly string[], rule: string): void =>
  assert.ok(wrong.length === 0, `${rule}:\n${wrong.map((one) => `    ${one}`).join('\n')}`)

const said = DOCUMENTS.flatMap((document) => [...sentences(document)])

promises('every sentence on changes is in promises.md, word for word, and every one there is still said', () => {
  const there = new Set(said.map(keyOf))
  const listed = new Set(promised().map(keyOf))
  none(
    [...listed].filter((key) => !there.has(key)),
    'no document says so any more: see whether its tests hold what is said now',
  )
  const about = said.filter(({ section, text, isMade }) => (WHOLE.has(section) && isMade !== true) || WORDS.test(text))
  none(
    about.map(keyOf).filter((key) => !listed.has(key)),
    'name its tests in test/conventions/promises.md',
  )
})

promises('every sentence there has its tests', () => {
  const texts = new Map<string, string>()
  const textOf = (path: string): string => {
    const text = texts.get(path) ?? (existsSync(path) ? readFileSync(path, 'utf8') : '')
    texts.set(path, text)
    return text
  }
  const isThere = (run: string, sentence: string): boolean => {
    const [path = '', ...name] = run.split(': ')
    if (path === 'not run') return name.length > 0
    return textOf(path).includes(name.length === 0 ? sentence : name.join(': '))
  }
  none(
    promised().flatMap((one) => (one.run.length === 0 ? [keyOf(one)] : [])),
    'no test is named',
  )
  none(
    promised().flatMap(({ text, run }) => run.filter((one) => !isThere(one, text))),
    'no such test',
  )
})

/** Words of the documents for figures, and what the program has. */
const FIGURES: readonly (readonly [words: string, figure: number, is: number])[] = [
  ['does not answer within ten seconds', LIMITS.rolloutAnswerMs, 10_000],
  ['nothing is expected after five seconds', LIMITS.instanceSilenceMs, 5_000],
  ['A request that has waited for ten seconds gets 503', LIMITS.heldMs, 10_000],
  ['A server that has served for a second', LIMITS.rememberAfterMs, 1_000],
  ['of a table with more than a million records a million are looked at', LIMITS.plannedRecords, 1_000_000],
  ['rows are filled or converted a thousand at a time', LIMITS.migrationBatch, 1_000],
  ['up to ten of the rows in its way by their id', LIMITS.obstaclesShown, 10],
  ['Rows are changed a thousand at a time', LIMITS.migrationBatch, 1_000],
]

promises('figures of the documents are those of the program', () => {
  const sentences = promised().map(({ text }) => text)
  for (const [words, figure, is] of FIGURES) {
    assert.ok(
      sentences.some((text) => text.includes(words)),
      words,
    )
    assert.is(figure, is, words)
  }
})

promises.run()
