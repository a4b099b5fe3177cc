/** Who is let in when more is asked than can be done, and what the others are told. */
import { Readable } from 'node:stream'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createAdmission, nextLimit } from '../../engine/http/admission.ts'
import { LIMITS } from '../../engine/limits.ts'
import { SILENT } from '../support/database.ts'
import { until } from '../support/wait.ts'
import { AS_AGENT, route, serve } from './world.ts'

const test = suite('http: admission')

/** A route that answers when it is told to, and how many requests have reached it. */
function held() {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const seen = { count: 0 }
  const given = route({
    method: 'POST',
    path: '/things',
    access: 'public',
    handle: async () => {
      seen.count += 1
      await opened
      return { data: 1 }
    },
  })
  return { given, seen, open: () => open() }
}

test('while requests wait too long inside, as many as help are let in, and the others are refused unread', async () => {
  const { given, seen, open } = held()
  const world = await serve([given], { waited: () => LIMITS.waitTargetMs * 10 })
  const inside = []
  for (let window = 0; window < 4; window++) {
    for (let i = 0; i < LIMITS.inFlightLeast; i++) inside.push(world.ask('POST /api/v1/things', { json: {} }))
    await sleep(LIMITS.admissionWindowMs * 1.2)
  }
  // Neither its token nor its body is looked at: both are wrong.
  const refused = await world.ask('POST /api/v1/things', {
    headers: { Authorization: 'Bearer broken', 'Content-Type': 'application/json', 'X-Request-Id': 'mine' },
    body: '{',
  })
  assert.is(refused.status, 503)
  assert.is(refused.json.code, 'unavailable')
  assert.is(refused.json.message, 'The service is busy; try again')
  assert.ok(Number(refused.headers['retry-after']) >= 1)
  assert.is(refused.headers['x-request-id'], 'mine')
  assert.is(refused.headers['x-content-type-options'], 'nosniff')
  assert.is((await world.ask('GET /livez')).status, 200)
  assert.is((await world.ask('GET /readyz?from=proxy')).status, 200)
  const { text } = await world.ask('GET /metrics')
  assert.match(text, new RegExp(`plinth_admission_in_flight ${seen.count}\\n`))
  assert.match(text, /plinth_admission_total\{outcome="refused"\} [1-9]/)
  assert.match(text, /plinth_admission_wait_seconds 1\n/)
  open()
  const statuses = (await Promise.all(inside)).map(({ status }) => status)
  assert.is(statuses.filter((status) => status === 200).length, seen.count)
  assert.ok(statuses.every((status) => status === 200 || status === 503))
  const told = world.lines.filter(({ message }) => message === 'overload: requests are refused')
  assert.is(told.length, 1, 'the log says it once')
  await world.close()
})

test('a refused client that asked before it sent its body is not told to send it', async () => {
  const { given, open } = held()
  const world = await serve([given], { waited: () => LIMITS.waitTargetMs * 10 })
  const inside = []
  for (let i = 0; i < LIMITS.inFlightMost; i++) inside.push(world.ask('POST /api/v1/things', { json: {} }))
  const ask = 'POST /api/v1/things HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n'
  let said = ''
  await until(async () => {
    said = await world.raw(ask)
    return said.startsWith('HTTP/1.1 503 ')
  })
  assert.match(said, /\r\nConnection: close\r\n/i)
  open()
  await Promise.all(inside)
  assert.match(await world.raw(`${ask}{}`), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 4/)
  await world.close()
})

test('what nobody waits for begins when no request is in flight, or after the longest wait', async () => {
  const admission = createAdmission({ waited: () => 0, log: SILENT })
  const begun: string[] = []
  const begin = (name: string, mostMs: number) => admission.gap(mostMs).then(() => void begun.push(name))
  await begin('on a quiet server', 60_000)
  admission.enter()
  admission.enter()
  const waits = begin('in the gap', 60_000)
  await begin('after the longest wait', 1)
  admission.leave()
  await turn()
  assert.equal(begun, ['on a quiet server', 'after the longest wait'])
  admission.leave()
  await waits
  assert.is(begun.at(-1), 'in the gap')
})

test('the limit falls with the wait, by little or by more, and grows back', () => {
  assert.is(nextLimit(500, LIMITS.waitTargetMs * 1.02, 200, false), 190)
  assert.is(nextLimit(500, LIMITS.waitTargetMs * 20, 200, true), 140)
  assert.is(nextLimit(33, LIMITS.waitTargetMs * 20, 33, true), LIMITS.inFlightLeast)
  assert.is(nextLimit(100, 0, 100, true), 111)
  assert.is(nextLimit(100, 0, 3, false), 125)
  assert.is(nextLimit(490, 0, 3, false), LIMITS.inFlightMost)
  let limit: number = LIMITS.inFlightLeast
  for (let look = 0; look < 20; look++) limit = nextLimit(limit, 0, 1, false)
  assert.is(limit, LIMITS.inFlightMost, 'within two seconds')
})

test('a large answer has one of a few places, until its reader has it or has gone', async () => {
  const streams: Readable[] = []
  const large = route({
    method: 'GET',
    path: '/export',
    access: 'public',
    large: true,
    handle: async () => {
      const body = new Readable({ read() {} })
      body.push('begun')
      streams.push(body)
      return { raw: { type: 'text/csv', body } }
    },
  })
  const small = route({ method: 'GET', path: '/things', handle: async () => ({ data: 1 }) })
  const world = await serve([large, small], { settings: { trustProxy: 1 } })
  /** As another caller for each number. */
  const ask = (caller: number) =>
    world.ask('GET /api/v1/export', { headers: { 'X-Forwarded-For': `10.0.0.${Math.trunc(caller)}` } })
  const reading = Array.from({ length: LIMITS.largeAnswers }, (_, at) => ask(at / LIMITS.largeAnswersPerCaller))
  await until(() => streams.length === LIMITS.largeAnswers)
  const refused = await ask(99)
  assert.is(refused.status, 503)
  assert.is(refused.json.message, 'Too many exports are under way; try again')
  assert.is((await world.ask('GET /api/v1/things', { headers: AS_AGENT })).status, 200)
  streams[0]?.push(null)
  await Promise.race(reading)
  const next = ask(99)
  await until(() => streams.length === LIMITS.largeAnswers + 1)
  for (const stream of streams) stream.push(null)
  const all = await Promise.all([...reading, next])
  assert.ok(all.every(({ status, text }) => status === 200 && text === 'begun'))
  await world.close()
})

test('one caller holds two places, a user however many addresses and an address however it is written', async () => {
  const streams: Readable[] = []
  const handle = async () => {
    const body = new Readable({ read() {} })
    streams.push(body)
    return { raw: { type: 'text/csv', body } }
  }
  const world = await serve([route({ method: 'GET', path: '/export', access: 'public', large: true, handle })], {
    settings: { trustProxy: 1 },
  })
  const ask = (from: string, more: Record<string, string> = {}) =>
    world.ask('GET /api/v1/export', { headers: { 'X-Forwarded-For': from, ...more } })
  const reading = [ask('10.0.0.1'), ask('::ffff:10.0.0.1'), ask('10.0.0.2', AS_AGENT), ask('10.0.0.3', AS_AGENT)]
  await until(() => streams.length === reading.length)
  for (const refused of [await ask('::ffff:a00:1'), await ask('10.0.0.4', AS_AGENT)]) {
    assert.is(refused.status, 429)
    assert.is(refused.json.message, 'You have 2 exports under way; read one to its end first')
    assert.is(refused.headers['retry-after'], '5')
  }
  const other = ask('10.0.0.4')
  await until(() => streams.length === reading.length + 1)
  for (const stream of streams) stream.push(null)
  assert.equal(
    (await Promise.all([...reading, other])).map(({ status }) => status),
    [200, 200, 200, 200, 200],
  )
  const again = ask('10.0.0.1')
  await until(() => streams.length === reading.length + 2)
  streams.at(-1)?.push(null)
  assert.is((await again).status, 200)
  await world.close()
})

test.run()
