/** Tidiness is an ordinary test: who may import whom, how long things are, and that what exists is documented. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  circles,
  comments,
  functionLengths,
  importedPath,
  packageOf,
  projectFiles,
  readSources,
} from './conventions/source.ts'

const FILE_LINES = 400
const FUNCTION_LINES = 50

/** What stands at the top of the project. */
const TOP = [
  '.biome.json',
  '.ci',
  '.gitignore',
  '.npmrc',
  '.tsconfig.build.json',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'engine',
  'package-lock.json',
  'package.json',
  'plugins',
  'resources',
  'test',
  'tsconfig.json',
]

/** Room of engine/ → rank; a file imports from its own room or from a lower rank. */
const RANKS: Readonly<Record<string, number>> = {
  'breaker.ts': 0,
  'old-files.ts': 0,
  'program.ts': 0,
  'limits.ts': 0,
  'work-limits.ts': 0,
  'error.ts': 0,
  'field-error.ts': 0,
  'observe.ts': 0,
  'id.ts': 0,
  'json.ts': 0,
  'seal.ts': 0,
  'json-number.ts': 0,
  'actor.ts': 0,
  'acts.ts': 0,
  'address.ts': 0,
  'secret.ts': 0,
  'settings.ts': 0,
  'turns.ts': 0,
  'memo.ts': 0,
  text: 0,
  disk: 0,
  field: 1,
  calendar: 1,
  store: 1,
  database: 1,
  filter: 2,
  definition: 2,
  catalog: 3,
  resolve: 4,
  migration: 4,
  existing: 5,
  record: 4,
  plan: 4,
  ask: 5,
  statement: 6,
  dump: 6,
  run: 7,
  write: 8,
  context: 9,
  change: 10,
  rollout: 10,
  job: 10,
  automation: 11,
  doctor: 12,
  explain: 12,
  reader: 12,
  http: 13,
  stream: 14,
  access: 14,
  openapi: 14,
  plugin: 14,
  boot: 15,
  proposal: 16,
  'process.ts': 16,
  'engine.ts': 17,
  testing: 18,
  'index.ts': 18,
  cli: 19,
  documents: 20,
}

/** Library → the only folders that name it. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  koa: ['engine/http/'],
  objection: ['engine/record/', 'engine/run/'],
  ioredis: ['engine/store/'],
  re2js: ['engine/field/'],
  yaml: ['engine/definition/'],
  esbuild: ['engine/plugin/'],
  jose: ['plugins/auth/'],
  'openid-client': ['plugins/auth/provider/'],
  '@simplewebauthn/server': ['plugins/auth/factors/'],
  uqr: ['plugins/auth/factors/'],
  ldapts: ['plugins/ldap/'],
  knex: ['engine/database/', 'engine/migration/', 'engine/record/', 'engine/run/'],
  pdfkit: ['plugins/desk/reports/'],
  fontkit: ['plugins/desk/reports/'],
  'bidi-js': ['plugins/desk/reports/'],
  pg: ['engine/database/'],
  '@electric-sql/pglite': ['engine/database/'],
  ajv: ['engine/field/', 'plugins/desk/ai/'],
}

/** The rooms below engine/query that reach outside the process. */
const OUTSIDE = ['database', 'store', 'migration']

const files = projectFiles()
const production = readSources(files, ['engine', 'plugins'])
const everything = readSources(files, ['engine', 'plugins', 'test'])

const conventions = suite('conventions')

function none(violations: readonly string[], rule: string): void {
  assert.ok(violations.length === 0, `${rule}:\n${violations.map((violation) => `    ${violation}`).join('\n')}`)
}

function roomOf(path: string): string {
  return path.split('/')[1] ?? ''
}

function homesOf(library: string): readonly string[] | undefined {
  return HOMES[/^(@koa\/|koa)/.test(library) ? 'koa' : /^ajv/.test(library) ? 'ajv' : library]
}

conventions('an engine file imports from its own room or a lower rank', () => {
  const violations = production
    .filter((file) => file.path.startsWith('engine/'))
    .flatMap((file) => {
      const room = roomOf(file.path)
      const rank = RANKS[room]
      if (rank === undefined) return [`${file.path} lies in a room without a rank`]
      return file.imports.flatMap((specifier) => {
        const target = importedPath(file.path, specifier)
        if (target === undefined) return []
        if (!target.startsWith('engine/')) return [`${file.path} imports ${target}`]
        const targetRank = RANKS[roomOf(target)] ?? Number.POSITIVE_INFINITY
        const fine = roomOf(target) === room || targetRank < rank || (targetRank === 0 && rank === 0)
        return fine ? [] : [`${file.path} [${rank}] imports ${target} [${targetRank}]`]
      })
    })
  none(violations, 'imports never go upward')
})

conventions('engine/ask and engine/statement run nothing', () => {
  const violations = production
    .filter((file) => ['ask', 'statement'].includes(roomOf(file.path)))
    .flatMap((file) => {
      const outside = file.valueImports.filter((specifier) => {
        const target = importedPath(file.path, specifier)
        return target === undefined ? specifier !== 'node:crypto' : OUTSIDE.includes(roomOf(target))
      })
      const waits = /\b(async|await)\b/.test(file.code) ? ['an async function'] : []
      return [...outside, ...waits].map((found) => `${file.path}: ${found}`)
    })
  none(violations, 'engine/ask and engine/statement import only types of rooms with I/O, and await nothing')
})

conventions('no file imports itself by way of others, types included', () => {
  const targets = new Map(
    production.map((file) => [
      file.path,
      file.imports
        .flatMap((specifier) => importedPath(file.path, specifier) ?? [])
        .filter((path) => /\.tsx?$/.test(path)),
    ]),
  )
  none(circles(targets), 'imports have no circle')
})

conventions('folders of plugins import each other in one direction', () => {
  const folderOf = (path: string): string => /^plugins\/(?:desk\/)?[^/]+/.exec(path)![0]
  const targets = new Map<string, string[]>()
  for (const { path, imports } of production.filter((file) => file.path.startsWith('plugins/'))) {
    const folders = imports
      .flatMap((specifier) => importedPath(path, specifier) ?? [])
      .filter((target) => target.startsWith('plugins/'))
      .map(folderOf)
      .filter((folder) => folder !== folderOf(path))
    targets.set(folderOf(path), [...(targets.get(folderOf(path)) ?? []), ...folders])
  }
  none(circles(targets), 'no folder of plugins needs one that needs it')
})

conventions('a plugin reaches the engine through engine/index.ts alone', () => {
  const violations = production
    .filter((file) => file.path.startsWith('plugins/'))
    .flatMap((file) =>
      file.imports
        .map((specifier) => importedPath(file.path, specifier))
        .filter((target) => target?.startsWith('engine/') && target !== 'engine/index.ts')
        .map((target) => `${file.path} imports ${target}`),
    )
  none(violations, 'plugins import engine/index.ts and nothing behind it')
})

conventions('a library is named only in its home', () => {
  const violations = production.flatMap((file) =>
    file.imports
      .filter((specifier) => importedPath(file.path, specifier) === undefined)
      .filter((specifier) => homesOf(packageOf(specifier))?.every((home) => !file.path.startsWith(home)))
      .map((specifier) => `${file.path} imports ${specifier}`),
  )
  none(violations, 'one home for each library')
})

conventions('engine and plugins import only what a production install has', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
  // What browsers load is bundled when it is built.
  const run = production.filter(({ path }) => !/^plugins\/(?:[^/]+\/){1,2}(?:page\/|console\.tsx$)/.test(path))
  const violations = run.flatMap((file) =>
    file.imports
      .filter((specifier) => importedPath(file.path, specifier) === undefined && !specifier.startsWith('node:'))
      .filter((specifier) => dependencies[packageOf(specifier)] === undefined)
      .map((specifier) => `${file.path} imports ${specifier}`),
  )
  none(violations, 'imports are Node, dependencies or files')
})

conventions(`no file is longer than ${FILE_LINES} lines`, () => {
  const lengths = everything.map((file) => ({ path: file.path, lines: file.text.trimEnd().split('\n').length }))
  const longest = lengths.sort((a, b) => b.lines - a.lines)
  const violations = longest.filter((file) => file.lines > FILE_LINES).map((file) => `${file.path} has ${file.lines}`)
  none(violations, `a file above ${FILE_LINES} lines is two`)
})

conventions(`no function is longer than ${FUNCTION_LINES} lines`, () => {
  const longest = production.flatMap(functionLengths).sort((a, b) => b.lines - a.lines)
  const violations = longest.filter((found) => found.lines > FUNCTION_LINES)
  const shown = violations.length === 0 ? [] : longest.slice(0, Math.max(5, violations.length))
  none(
    shown.map((found) => `${found.path}:${found.line} ${found.name} has ${found.lines}`),
    'a function fits a screen',
  )
})

conventions('every file opens with one sentence on what it is in charge of', () => {
  const violations = everything.filter((file) => !/^(?:#![^\n]*\n)?\/\*\*[\s\S]*?\.\s*\*\//.test(file.text))
  none(
    violations.map((file) => file.path),
    'the first line is /** A sentence. */',
  )
})

conventions('comments say it in plain words', () => {
  const stilted = /\b(?:whoever|of which|tells? of|stands?|beside|never else)\b/i
  const violations = production.flatMap(comments).flatMap(({ path, line, words }) => {
    const found = stilted.exec(words)
    return found === null ? [] : [`The comment at ${path}:${line} says "${found[0]}"`]
  })
  none(violations, 'a plain verb, "next to", "whose": no word of a translated style')
})

conventions('no folder or file is a drawer for anything', () => {
  const violations = files.filter((path) =>
    /(^|[/.-])(utils?|helpers?|services?|managers?|misc|common)([/.-]|$)/i.test(path),
  )
  none(violations, 'a file is named after what it gives')
})

conventions('only the command line ends the process', () => {
  const violations = production.filter(
    (file) => file.path !== 'engine/cli/main.ts' && /\bprocess\.exit\(/.test(file.code),
  )
  none(
    violations.map((file) => file.path),
    'process.exit lives in engine/cli/main.ts',
  )
})

conventions('no type is talked out of what it knows', () => {
  // A plain `any` is the linter's to find.
  const escapes = new RegExp(
    ['\\bas unknown as\\b', ...['ts-ignore', 'ts-expect-error', 'ts-nocheck'].map((word) => `@${word}`)].join('|'),
  )
  const violations = everything.filter((file) => escapes.test(file.code) || /\/\/ @ts-/.test(file.text))
  none(
    violations.map((file) => file.path),
    'no double cast, no ignored error',
  )
})

conventions('where a relation leads says one function', () => {
  const looked = /\bresources\.get\([^)\n]*\btarget\b[^)\n]*\)/
  const violations = production.filter(
    ({ code, path }) =>
      !/^engine\/(resolve|automation)\/|^engine\/catalog\/stored\.ts$/.test(path) && looked.test(code),
  )
  none(
    violations.map((file) => file.path),
    '`targetOf` of engine/catalog/stored.ts',
  )
})

conventions('no table has the name of a part of a statement, and no column that of its row', () => {
  const part = /\b(?!plinth_)[a-z]\w* as (?:materialized )?\(/
  // PostgreSQL takes a name alone for a column first; with `.*` it is the row.
  const row = /\b(?:row_to_json|to_jsonb?|jsonb?_agg|jsonb?_populate_record)\([a-z]\b[,) ]/
  const made = /^engine\/(statement|run|write|context|explain|testing)\/|^engine\/migration\/online\.ts$|^plugins\//
  const violations = production.filter(({ code, path }) => made.test(path) && (part.test(code) || row.test(code)))
  none(
    violations.map((file) => file.path),
    '`with plinth_found as (…)`, `row_to_json(o.*)`',
  )
})

conventions('what is remembered of an object is a memo', () => {
  const violations = everything.filter((file) => file.path !== 'engine/memo.ts' && /\bnew WeakMap\b/.test(file.code))
  none(
    violations.map((file) => file.path),
    '`memo` of engine/memo.ts instead of a WeakMap by hand',
  )
})

conventions('a statement is known by what it is compiled from', () => {
  const violations = production.flatMap((file) =>
    [...file.code.matchAll(/\bstatements\s*\.get\(\s*([^,)]*)/g)]
      .filter(([, compile = '']) => !/^compile\w*$/.test(compile.trim()))
      .map(([call]) => `${file.path}: ${call}`),
  )
  none(violations, 'a function of its own module and its parts, no key by hand')
})

conventions('a filter is walked by filter/walk.ts alone', () => {
  const walks = /\bfilter\.kind [!=]== '(?:and|or|not)'|\bcase '(?:and|or|related)':|\bpart\.kind [!=]== 'not'/
  const violations = production.filter(
    ({ path, text }) => !/^engine\/(?:filter\/walk|statement\/write)\.ts$/.test(path) && walks.test(text),
  )
  none(
    violations.map(({ path }) => path),
    '`fold`, `leaves`, `comparisons` and `mapLeaves` walk over every kind of part',
  )
})

conventions('nothing is left for later', () => {
  const marks = new RegExp(
    `\\b(${['TO', 'FIX'].map((start) => `${start}${start === 'TO' ? 'DO' : 'ME'}`).join('|')})\\b`,
  )
  none(
    everything.filter((file) => marks.test(file.text)).map((file) => file.path),
    'finished or not there',
  )
})

conventions('a world of tests says why the desk, the library or a few lines of YAML are not enough', () => {
  const page = readFileSync('test/README.md', 'utf8')
  none(
    files.filter((path) => path.startsWith('test/') && path.endsWith('/world.ts') && !page.includes(`| \`${path}\` |`)),
    'test/README.md has a line for each',
  )
})

conventions('the top of the project holds what was agreed', () => {
  const found = [...new Set(files.map((path) => path.split('/')[0] ?? ''))]
  none(
    found.filter((name) => !TOP.includes(name)),
    'nothing else stands at the top',
  )
})

conventions('no file names a path of somebody’s machine', () => {
  const places = new RegExp(`(^|[\\s'"\`(=:])/(${['work', 'root', 'home', 'Users'].join('|')})/[\\w.-]+`, 'm')
  const violations = files
    .filter((path) => /\.(ts|mjs|json|ya?ml|md|sh)$|^\.ci\//.test(path))
    .filter((path) => places.test(readFileSync(path, 'utf8')))
  none(violations, 'a clone knows nothing of where it was made')
})

conventions.run()
