/** Breakers: a server that cannot be reached is left alone for a growing time, and one call finds out whether it is back. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Breaker, BreakerOpen, createBreaker, isUnreachable } from '../engine/breaker.ts'
import { ApiError } from '../engine/error.ts'
import { LIMITS } from '../engine/limits.ts'

const test = suite('breakers')

const { breakerFailures, breakerPauseMs, breakerPauseMostMs } = LIMITS
const silent = () => Promise.reject(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }))
const refused = () => Promise.reject(new Error('550 no such address'))
const outcome = (breaker: Breaker, work: () => Promise<unknown>): Promise<string> =>
  breaker.run(work).then(String, (error: Error) => (error instanceof BreakerOpen ? 'left alone' : error.message))

/** A breaker whose clock is moved by hand, and the states that it tells of. */
function world() {
  const time = { now: 5_000 }
  const told: string[] = []
  const breaker = createBreaker('smtp', { clock: () => time.now, told: ({ state }) => void told.push(state) })
  return { breaker, time, told }
}

async function open(breaker: Breaker): Promise<void> {
  for (let n = 0; n < breakerFailures; n++) assert.is(await outcome(breaker, silent), 'no answer')
}

test('three calls in a row without an answer open it, and nothing runs then', async () => {
  const { breaker, told } = world()
  await open(breaker)
  let ran = false
  assert.is(await outcome(breaker, async () => (ran = true)), 'left alone')
  assert.equal([ran, told], [false, ['open']])
  assert.equal(breaker.standing(), { server: 'smtp', state: 'open', failures: 3, retryInMs: breakerPauseMs })
})

test('an answer in between, even a refusal, begins the count anew', async () => {
  const { breaker } = world()
  for (const work of [silent, silent, refused, silent, silent, async () => 'ok', silent, silent])
    await outcome(breaker, work)
  assert.is(breaker.standing().state, 'closed')
})

test('after the pause one call is let through, the others wait for what becomes of it', async () => {
  const { breaker, time, told } = world()
  await open(breaker)
  time.now += breakerPauseMs
  assert.equal([breaker.standing().state, breaker.places()], ['half_open', 1])
  let answer: (word: string) => void = () => undefined
  const probe = outcome(breaker, () => new Promise((resolve) => (answer = resolve)))
  assert.is(breaker.places(), 0)
  assert.is(await outcome(breaker, async () => 'too early'), 'left alone')
  answer('back')
  assert.is(await probe, 'back')
  assert.is(await outcome(breaker, async () => 'ok'), 'ok')
  assert.equal(told, ['open', 'closed'])
})

test('the pause doubles with every probe that finds nobody, up to the longest', async () => {
  const { breaker, time } = world()
  await open(breaker)
  const pauses = []
  for (let n = 0; n < 8; n++) {
    const { retryInMs } = breaker.standing()
    pauses.push(retryInMs)
    time.now += retryInMs
    assert.is(await outcome(breaker, silent), 'no answer')
  }
  assert.equal(pauses.slice(0, 3), [breakerPauseMs, 2 * breakerPauseMs, 4 * breakerPauseMs])
  assert.is(pauses.at(-1), breakerPauseMostMs)
})

test('calls that began before it opened do not lengthen the pause, and one that is answered closes it', async () => {
  const { breaker } = world()
  const ends: { fail: (error: Error) => void; succeed: (word: string) => void }[] = []
  const waiting = [0, 1].map(() =>
    outcome(breaker, () => new Promise((resolve, reject) => ends.push({ fail: reject, succeed: resolve }))),
  )
  await open(breaker)
  ends[0]?.fail(Object.assign(new Error('late'), { code: 'ETIMEDOUT' }))
  await waiting[0]
  assert.is(breaker.standing().retryInMs, breakerPauseMs)
  ends[1]?.succeed('there')
  await waiting[1]
  assert.is(breaker.standing().state, 'closed')
})

test('for a request it is a 503 that says when to come back', async () => {
  const { breaker } = world()
  await open(breaker)
  const error = await breaker.run(async () => 1).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof ApiError)
  assert.equal([error.status, error.params.retryAfter], [503, breakerPauseMs / 1000])
})

test('what nobody answered is told from what was refused, also as the cause of another error', () => {
  const wrapped = new Error('fetch failed', {
    cause: Object.assign(new Error('x'), { code: 'UND_ERR_HEADERS_TIMEOUT' }),
  })
  const codes = ['ECONNREFUSED', 'ECONNRESET', 'ECONNECTION', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE', 'ESOCKET']
  for (const code of codes) assert.ok(isUnreachable(Object.assign(new Error('x'), { code })), code)
  assert.ok(isUnreachable(wrapped))
  assert.ok(isUnreachable(new DOMException('x', 'TimeoutError')))
  for (const code of ['EENVELOPE', 'EAUTH', 'EMESSAGE', 'ERR_INVALID_ARG_TYPE'])
    assert.not(isUnreachable(Object.assign(new Error('x'), { code })), code)
  for (const value of [undefined, null, 'ETIMEDOUT', 7]) assert.not(isUnreachable(value))
})

test.run()
