/** The project without the support desk: what remains is built, and serves an application of another kind. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bare, startServer } from './server.ts'

const test = suite('engine without the desk')
// Below the project, so that its packages are found: a link to them would be another place for the compiler.
mkdirSync('dist', { recursive: true })
const folder = mkdtempSync(resolve('dist', 'without-desk-'))
test.after(() => rmSync(folder, { recursive: true, force: true }))

const DESK = resolve('plugins/desk')
/** The engine, the plugins of any application, and the tests of a library with what they are built with. */
const REMAINS = ['engine', 'plugins', 'test/library', 'test/support', 'test/run', 'test/cli/world.ts', 'test/run.ts']
const SETTINGS = ['package.json', 'tsconfig.json', '.tsconfig.build.json']

const PROGRAM = join(folder, 'dist/engine/cli/main.js')
const LIBRARY = { RESOURCES_DIR: 'test/library/resources', DATA_DIR: 'data' }

function node(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  assert.is(status, 0, stdout + stderr)
  return stdout
}

test.before(() => {
  for (const place of REMAINS)
    cpSync(place, join(folder, place), { recursive: true, filter: (source) => resolve(source) !== DESK })
  for (const file of SETTINGS) copyFileSync(file, join(folder, file))
  for (const gone of ['plugins/desk', 'resources']) assert.not(existsSync(join(folder, gone)))
})

test('its types are whole, and what is built serves the files of a library', async () => {
  node('engine/build.mjs')
  const server = await startServer(PROGRAM, folder, bare(LIBRARY))
  try {
    assert.is((await fetch(`${server.url}/library/books`)).status, 200)
  } finally {
    await server.stop('SIGTERM')
  }
})

test('the tests of the library pass', () => {
  assert.match(node('--import', 'tsx', 'test/run.ts', 'test/library'), /\n\d\d+ passed, 0 failed, 0 skipped\n$/)
})

test.run()
