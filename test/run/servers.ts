/** Which test files a server of PostgreSQL or Redis can make a difference to. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * What a module of the tests says when a server makes a difference to it: the variables that name one, a server that it
 * starts, the test kit, which reads those variables too, or a command that runs tests.
 */
const SERVER =
  /TEST_DATABASE_URL|TEST_REDIS_URL|redis-server|engine\/testing|plinth\/test\b|'test'|(?:npm|plinth) test|test\/run\.ts/

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
