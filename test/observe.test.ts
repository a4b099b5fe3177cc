/** What the log says, to machines and to people. */
import { spawnSync } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createLogger } from '../engine/observe.ts'

function written(production: boolean, logLevel = 'info') {
  const out: string[] = []
  return { out, log: createLogger({ production, logLevel }, (text) => out.push(text)) }
}
const test = suite('observe')

test('in production each line is JSON with its time, level, message and fields', () => {
  const { out, log } = written(true)
  log.info({ requestId: 'r1', status: 200 }, 'request')
  const { time, ...line } = JSON.parse(out[0]!)
  assert.equal(line, { level: 30, requestId: 'r1', status: 200, msg: 'request' })
  assert.ok(Math.abs(Date.now() - time) < 5_000, 'milliseconds since the epoch')
})

test('in a terminal a line is read from left to right', () => {
  const { out, log } = written(false)
  log.warn({ route: '/api/v1/x', reason: 'two words', actorId: null }, 'slow')
  assert.match(out[0]!, /^\d\d:\d\d:\d\d\.\d{3} warn {2}slow route=\/api\/v1\/x reason="two words" actorId=null\n$/)
})

test('levels below the settings’ are silent', () => {
  const { out, log } = written(true, 'warn')
  log.debug({}, 'a')
  log.info({}, 'b')
  log.warn({}, 'c')
  assert.is(out.length, 1)
})

test('an error is told with its stack, its code and its cause, and without what libraries hang on it', () => {
  const { out, log } = written(true)
  const cause = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (email)=(ann@x.org)' })
  const error = Object.assign(new Error('insert failed', { cause }), { bindings: ['hunter2'] })
  log.error({ err: error }, 'request failed')
  const { err } = JSON.parse(out[0]!)
  assert.is(err.message, 'insert failed')
  assert.match(err.stack, /observe\.test\.ts/)
  assert.is(err.cause.code, '23505')
  assert.not.match(out[0]!, /hunter2|ann@x\.org/)
})

test('a message that may hold values is cut', () => {
  const { out, log } = written(true)
  log.error({ err: new Error(`insert into x values (${'y'.repeat(5_000)})`) }, 'request failed')
  assert.ok(out[0]!.length < 3_000)
})

test('a stack stands below its line in a terminal', () => {
  const { out, log } = written(false)
  log.error({ err: new Error('broken') }, 'request failed')
  assert.match(out[0]!, /error request failed\n {4}Error: broken\n {4}at /)
})

test('what is thrown but no error is told too', () => {
  const { out, log } = written(true)
  log.error({ err: 'a string' }, 'request failed')
  assert.is(JSON.parse(out[0]!).err, 'a string')
})

test('in production what was logged last is written when the process ends', () => {
  const program = `import { createLogger } from './engine/observe.ts'
    createLogger({ production: true, logLevel: 'info' }).info({ n: 1 }, 'last words')`
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    encoding: 'utf8',
  })
  assert.is(JSON.parse(stdout).msg, 'last words')
})

test.run()
