/** Which test files a run takes: where a server of PostgreSQL or Redis can make a difference, and which are long. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * What a module of the tests says when a server makes a difference to it: the variables that name one, a server that it
 * starts, the test kit, which reads those variables too, or a command that runs tests.
 */
const SERVER =
  /TEST_DATABASE_URL|TEST_REDIS_URL|redis-server|engine\/testing|plinth\/test\b|'test'|(?:npm|plinth) test|test\/run\.ts/

/**
 * Tests of what is declared, said, printed or answered by an application that needs some database and asks no more of it:
 * one run shows it. What they store is stored by statements that other tests run on both databases. The longer name
 * decides.
 */
const ONCE = [
  'test/boot/',
  'test/cli/',
  'test/conventions',
  'test/database/embedded.test.ts',
  'test/database/private.test.ts',
  'test/desk/',
  'test/library/',
  'test/openapi/',
  'test/plan/',
  'test/plugins/auth/',
  'test/plugins/desk/',
  'test/plugins/schema/',
  'test/reader/',
  'test/readme.test.ts',
  'test/resolve/',
  'test/run/run.test.ts',
  'test/testing/',
]
const TWICE = [
  // Commands that are about databases.
  ...['database', 'day', 'dump', 'from/', 'plan.test', 'plan-documented', 'plan-more-rows', 'starting'].map(
    (name) => `test/cli/${name}`,
  ),
  // Statements of the desk alone, and what several instances of it share.
  ...['cells', 'instances', 'leaks', 'other-ids', 'search', 'statements'].map((name) => `test/desk/${name}`),
  // Statements that plugins write themselves.
  ...['cookies', 'guesses', 'keys', 'quota', 'session'].map((name) => `test/plugins/auth/${name}`),
  ...['ai/', 'dashboards/', 'merging/', 'notifications/notifications', 'reports/'].map(
    (name) => `test/plugins/desk/${name}`,
  ),
]

/**
 * Matrices and drawn sequences, which take as long as all the rest. A run without names leaves them to `--long` and to a
 * server, where the same takes a third of the time.
 */
const LONG = [
  'test/boot/acme.test.ts',
  'test/desk/left-out.test.ts',
  'test/drawn/',
  'test/dump/drawn.test.ts',
  'test/dump/existing.test.ts',
  'test/migration/machine/',
  'test/rollout/killed.test.ts',
  'test/testing/left-out.test.ts',
  'test/upgrade/yaml.test.ts',
]

/** Types are gone when a module runs. */
const TYPES = /^(?:import|export) type [^']*'[^']*'$/gm
/** Modules are imported, forked and named in the same way: by a path relative to the module or to the project. */
const NAMED = /['"`]([\w@./-]+\.(?:ts|mjs))['"`]/g

/** The program itself reads the variables in its test kit alone; test/run/run.test.ts holds it to that. */
const TESTS = resolve('test')

interface Module {
  readonly asks: boolean
  readonly names: readonly string[]
}

const modules = new Map<string, Module>()

function moduleOf(path: string): Module {
  const known = modules.get(path)
  if (known !== undefined) return known
  const text = readFileSync(path, 'utf8').replaceAll(TYPES, '')
  const names = [...text.matchAll(NAMED)]
    .flatMap(([, name = '']) => [resolve(dirname(path), name), resolve(name)])
    .filter((place) => place.startsWith(TESTS) && existsSync(place) && statSync(place).isFile())
  const read = { asks: SERVER.test(text), names }
  modules.set(path, read)
  return read
}

/** How much of the name of a file the longest of these names is. */
function longest(names: readonly string[], file: string): number {
  return Math.max(0, ...names.filter((name) => file.startsWith(name)).map((name) => name.length))
}

/** Whether a run on a server alone takes a file: the server makes a difference to what it is about, or it is long. */
export function isAboutServer(file: string): boolean {
  return isLong(file) || (asksForServer(file) && longest(TWICE, file) >= longest(ONCE, file))
}

export function isLong(file: string): boolean {
  return longest(LONG, file) > 0
}

/** Files that take minutes, or wait for most of their time: begun last, they would be left to one process at the end. */
const FIRST = ['test/upgrade/upgrade.test.ts', 'test/testing/']

/** The files in the order in which they begin. */
export function inTurn(files: readonly string[]): readonly string[] {
  const isFirst = (file: string): boolean => longest(FIRST, file) > 0
  return [...files.filter(isFirst), ...files.filter((file) => !isFirst(file))]
}

/** The names of the lists, for the test that each of them is one of a file. */
export const NAMES: readonly string[] = [...ONCE, ...TWICE, ...LONG, ...FIRST]

/** Whether a file, or a module of the tests that it names, asks for a server; any other runs the same without one. */
export function asksForServer(file: string): boolean {
  const waiting = [resolve(file)]
  const seen = new Set(waiting)
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const { asks, names } = moduleOf(path)
    if (asks) return true
    for (const name of names.filter((place) => !seen.has(place))) {
      seen.add(name)
      waiting.push(name)
    }
  }
  return false
}
