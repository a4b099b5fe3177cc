/** The pages of the project: their links lead somewhere, each is short enough to be read, and their English is plain. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { projectFiles } from './source.ts'

const pages = suite('pages')

const PAGES = projectFiles().filter((path) => path.endsWith('.md'))
/** What people read; the figures of tests and the list of promises are kept by programs. */
const READ = PAGES.filter((path) => path !== 'test/conventions/promises.md')
/** Pages that are read at one sitting. */
const SHORT: Readonly<Record<string, number>> = {
  'README.md': 150,
  'engine/ARCHITECTURE.md': 150,
  'resources/README.md': 200,
}
const LONGEST = 400
/** Words of a translation, for which English has plainer ones. */
const WORDS = /\b(whoever|of which|tells? of|stands?|beside|never else|can not)\b/i

const texts = new Map(PAGES.map((path) => [path, readFileSync(path, 'utf8')]))

function none(violations: readonly string[], rule: string): void {
  assert.ok(violations.length === 0, `${rule}:\n${violations.map((violation) => `    ${violation}`).join('\n')}`)
}

/** The lines outside of blocks of code. */
function prose(text: string): readonly string[] {
  return text.replaceAll(/^( *)```[\s\S]*?^ *```$/gm, '').split('\n')
}

/** The anchors of a page, as hosts of Git make them from its headings. */
function anchors(path: string): ReadonlySet<string> {
  const headings = prose(texts.get(path) ?? '').flatMap((line) => /^#+ (.*)$/.exec(line)?.[1] ?? [])
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

/** The links of a page to files and headings of the project. */
function linksOf(path: string): readonly string[] {
  const text = prose(texts.get(path) ?? '')
    .map((line) => line.replaceAll(/(`+)[^`]+?\1(?!\])/g, ''))
    .join('\n')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => to).filter((to) => !/^(https?|mailto):/.test(to))
}

/** The files of the program that a page names outside of its examples. */
function namedFiles(path: string): readonly string[] {
  const text = prose(texts.get(path) ?? '').join('\n')
  return [...text.matchAll(/(?<![\w./*-])((?:[\w-]+\/)*\w[\w.-]*\.(?:ts|mjs))(?![\w.])/g)].map(([, name = '']) => name)
}

function isLost(from: string, to: string): boolean {
  const [file = '', anchor] = to.split('#')
  const path = file === '' ? from : join(dirname(from), file)
  if (!existsSync(path)) return true
  return anchor !== undefined && (statSync(path).isDirectory() || !anchors(path).has(anchor))
}

function wrongLinks(paths: readonly string[], isWrong: (from: string, to: string) => boolean): readonly string[] {
  return paths.flatMap((path) => linksOf(path).flatMap((to) => (isWrong(path, to) ? [`${path}: ${to}`] : [])))
}

pages('every link leads to a file, and to a heading in it', () => {
  none(wrongLinks(READ, isLost), 'nothing is there')
})

pages('every guide is found by links that begin at README.md', () => {
  const found = new Set(['README.md'])
  for (const path of found)
    for (const to of linksOf(path)) {
      const next = join(dirname(path), to.split('#')[0]!)
      if (texts.has(next)) found.add(next)
    }
  none(
    READ.filter((path) => path.includes('/guide/') && !found.has(path)),
    'nobody is led to',
  )
})

pages('a page that the package has links to what the package has', () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: readonly string[] }
  const isPacked = (path: string): boolean =>
    ['README.md', 'LICENSE', ...files].some((packed) => path === packed || path.startsWith(`${packed}/`))
  // README.md is the page of the repository, too.
  const packed = READ.filter((path) => isPacked(path) && path !== 'README.md')
  const leaves = (from: string, to: string): boolean => {
    const [file = ''] = to.split('#')
    return file !== '' && !isPacked(join(dirname(from), file))
  }
  none(wrongLinks(packed, leaves), 'not in the package')
})

pages('every page can be read in ten minutes', () => {
  none(
    READ.flatMap((path) => {
      const lines = (texts.get(path) ?? '').trimEnd().split('\n').length
      const most = SHORT[path] ?? LONGEST
      return lines > most ? [`${path} has ${lines} lines, not ${most}`] : []
    }),
    'too long',
  )
})

pages('every guide begins with an example and ends with where to go on', () => {
  const guides = READ.filter((path) => /\/guide\//.test(path))
  assert.ok(guides.length > 20)
  none(
    guides.filter((path) => !/^# .*\n\n```/.test(texts.get(path) ?? '')),
    'no example at the head',
  )
  none(
    guides.filter((path) => !/\n\nNext: .*\n$/.test(texts.get(path) ?? '')),
    'no "Next:" at the end',
  )
})

/** The places of words that match in files. */
function found(words: RegExp, paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, at) => {
        const [word] = words.exec(line) ?? []
        return word === undefined ? [] : [`${path}:${at + 1}: "${word}"`]
      }),
  )
}

pages('the English of the pages is plain', () => {
  none(found(WORDS, READ), 'say it in plainer words')
})

pages('no relative pronoun is a subject in what the program and its files say', () => {
  const program = projectFiles().filter((path) =>
    /^(?:engine|plugins|resources)\/.*\.(?:ts|tsx|mjs|yaml|template|liquid)$/.test(path),
  )
  assert.ok(program.length > 800)
  none(found(/\bwhoever\b/i, program), 'name the people')
})

pages('a file of the program that a page names is there', () => {
  const files = projectFiles()
  const isThere = (name: string): boolean => files.some((file) => file === name || file.endsWith(`/${name}`))
  const lost = PAGES.flatMap((path) =>
    namedFiles(path).flatMap((name) => (isThere(name) ? [] : [`${path} names ${name}`])),
  )
  none(lost, 'pages name files of the program that are there')
})

pages.run()
