/** The runner is strict: every way in which a test can fail to pass ends in a failure that names its reason. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { projectFiles } from '../conventions/source.ts'
import { asksForServer, isAboutServer, NAMES } from './selection.ts'

const run = suite('test runner')

function runner(...args: string[]): { code: number | null; output: string; last: string } {
  const child = spawnSync(process.execPath, ['--import', 'tsx', 'test/run.ts', ...args], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
    timeout: 600_000,
  })
  const output = child.stdout + child.stderr
  return { code: child.status, output, last: child.stdout.trimEnd().split('\n').at(-1) ?? '' }
}

const FAILURES: readonly [fixture: string, says: string, last: string][] = [
  ['fails', 'is wrong', '1 passed, 1 failed, 0 skipped'],
  ['before-throws', 'no database today', '0 passed, 1 failed, 0 skipped'],
  ['after-throws', 'could not clean up', '0 passed, 1 failed, 0 skipped'],
  ['after-each-throws', 'the second error', '0 passed, 1 failed, 0 skipped'],
  ['throws-string', 'just a word', '0 passed, 1 failed, 0 skipped'],
  ['never-run', 'suite "second" was never run', '1 passed, 1 failed, 0 skipped'],
  ['empty', 'the file ran no test', '0 passed, 1 failed, 0 skipped'],
  ['rejects', 'nobody listens', '1 passed, 1 failed, 0 skipped'],
  ['hangs', 'last seen in "hangs: waits for ever"', '0 passed, 1 failed, 0 skipped'],
  ['dries-up', 'last seen in "dries up: waits for nothing"', '0 passed, 1 failed, 0 skipped'],
  ['exits', 'the process ended during "exits: leaves early"', '0 passed, 1 failed, 0 skipped'],
  ['does-not-load', 'broken at the top', '0 passed, 1 failed, 0 skipped'],
]

for (const [fixture, says, last] of FAILURES) {
  run(`fails a file that is like ${fixture}, and says why`, () => {
    const result = runner(`test/run/fixture/${fixture}.ts`, '--timeout', '700')
    assert.is(result.code, 1)
    assert.match(result.output, says)
    assert.is(result.last, last)
  })
}

run('passes a file whose tests all pass, and counts what was skipped', () => {
  const result = runner('test/run/fixture/passes.ts')
  assert.is(result.code, 0)
  assert.is(result.last, '1 passed, 0 failed, 1 skipped')
})

run('draws the same inputs in each run, and others by --seed', () => {
  const drawn = (...args: string[]) => /drawn: (\d+)$/m.exec(runner('test/run/fixture/draws.ts', ...args).output)?.[1]
  const usual = drawn()
  assert.ok(usual !== undefined)
  assert.is(drawn(), usual)
  assert.is.not(drawn('--seed', '5'), usual)
  assert.is(drawn('--seed', '5'), drawn('--seed', '5'))
  assert.match(runner('test/run/fixture/draws.ts', '--seed', 'random').output, /^inputs are drawn by --seed \d+$/m)
})

run('fails when no file matches', () => {
  const result = runner('test/nothing-like-this')
  assert.is(result.code, 1)
  assert.match(result.output, 'no test file matches test/nothing-like-this')
  assert.is(result.last, '0 passed, 1 failed, 0 skipped')
})

run('goes on after a failing file, in the order of the names, and stops there with --bail', () => {
  const files = ['test/run/fixture/passes.ts', 'test/run/fixture/fails.ts', '--jobs', '1']
  assert.is(runner(...files).last, '2 passed, 1 failed, 1 skipped')
  assert.is(runner(...files, '--bail').last, '1 passed, 1 failed, 0 skipped')
})

run('several processes fail the same files for the same reasons, and the others go on', () => {
  const files = FAILURES.map(([fixture]) => `test/run/fixture/${fixture}.ts`)
  const result = runner(...files, 'test/run/fixture/passes.ts', '--timeout', '1500', '--jobs', '2')
  assert.is(result.code, 1)
  for (const [fixture, says] of FAILURES) {
    assert.match(result.output, `✘ test/run/fixture/${fixture}.ts`)
    assert.match(result.output, says)
  }
  assert.is(result.last, '4 passed, 12 failed, 1 skipped')
})

run('what a process prints at its end is printed where several run', () => {
  const { output } = runner('test/run/fixture/passes.ts', 'test/run/fixture/says-goodbye.ts', '--jobs', '2')
  assert.match(output, 'goodbye')
})

run('--server leaves out files that run the same without one', () => {
  const files = ['test/run/fixture/passes.ts', 'test/run/fixture/asks-for-server.ts']
  const { last, output } = runner(...files, '--server')
  assert.is(last, '1 passed, 0 failed, 0 skipped')
  assert.match(output, '1 of 2 files run the same without a server and are left out')
  assert.not.match(output, 'passes.ts')
})

run('a file asks for a server by what it imports, forks or starts; types of others are no reason', () => {
  const asks = (file: string): boolean => asksForServer(`test/${file}.test.ts`)
  for (const file of [
    'desk/tickets',
    'database/lagging',
    'job/queue',
    'store/redis',
    'cli/without-desk',
    'testing/time',
  ])
    assert.ok(asks(file), file)
  for (const file of ['text/nearest', 'definition/broken', 'http/order', 'openapi/types']) assert.not(asks(file), file)
})

run(
  'a run on a server takes what is about a database and what is long, and leaves out what applications declare or say',
  () => {
    for (const file of [
      'desk/cells',
      'cli/from/schemas',
      'cli/plan',
      'plugins/auth/session',
      'action/list',
      'job/queue',
    ])
      assert.ok(isAboutServer(`test/${file}.test.ts`), file)
    for (const file of ['boot/acme', 'migration/machine/machine'])
      assert.ok(isAboutServer(`test/${file}.test.ts`), file)
    for (const file of ['desk/entered', 'cli/without-desk', 'cli/plan-keys', 'plugins/auth/reset', 'text/nearest'])
      assert.not(isAboutServer(`test/${file}.test.ts`), file)
    const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).map((name) => `test/${name}`)
    for (const name of NAMES)
      assert.ok(
        files.some((file) => file.startsWith(name) && file.endsWith('.test.ts')),
        name,
      )
  },
)

run('the program reads its environment where it starts, and in the test kit', () => {
  const reads = projectFiles().filter(
    (path) => /^(engine|plugins)\/.*\.m?ts$/.test(path) && readFileSync(path, 'utf8').includes('process.env'),
  )
  assert.equal(reads, ['engine/cli/main.ts', 'engine/testing/application.ts'])
})

run.run()
