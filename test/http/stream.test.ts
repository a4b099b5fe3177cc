/** Answers that are streams: sent as they come, and closed however they end. */
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { AS_AGENT, route, serve, type World } from './world.ts'

interface Desk {
  world: World
  source: Readable
}

const test = suite<Desk>('http: streams')
test.before(async (desk) => {
  desk.world = await serve([
    route({
      method: 'GET',
      path: '/csv',
      handle: async () => ({ etag: 'e', raw: { type: 'text/csv', body: desk.source } }),
      access: 'public',
    }),
  ])
})
test.before.each(({ world }) => {
  world.lines.length = 0
})
test.after(async ({ world }) => {
  await world.close()
})

async function* endless() {
  for (;;) {
    yield 'row\n'
    await turn()
  }
}

/** Breaks when its first row has arrived. */
async function* broken(arrived: Promise<unknown>) {
  yield 'row\n'
  await arrived
  throw new Error('the database went away')
}

test('a stream arrives whole, and its line in the log comes at its end', async (desk) => {
  desk.source = Readable.from(['a\n', 'b\n'])
  assert.is((await desk.world.ask('GET /api/v1/csv', { headers: AS_AGENT })).text, 'a\nb\n')
  await until(() => desk.world.lines.length > 0)
  assert.is(desk.world.lines.length, 1)
})

test('a stream that breaks ends the connection, so that nobody takes a half for the whole', async (desk) => {
  const socket = connect(desk.world.port, '127.0.0.1')
  let received = ''
  const arrived = new Promise<void>((resolve) => {
    socket.on('data', (part) => {
      received += part.toString()
      if (received.includes('row')) resolve()
    })
  })
  const ended = once(socket, 'close')
  desk.source = Readable.from(broken(arrived))
  socket.write('GET /api/v1/csv HTTP/1.1\r\nHost: x\r\n\r\n')
  await ended
  assert.match(received, /^HTTP\/1\.1 200 [\s\S]*row\n\r\n$/, 'no chunk says that this is all')
  const broke = () => desk.world.lines.filter(({ level }) => level === 'error')
  await until(() => broke().length > 0)
  assert.equal(
    broke().map(({ message }) => message),
    ['an answer broke off'],
  )
})

test('a source is closed when its reader goes away', async (desk) => {
  desk.source = Readable.from(endless())
  const socket = connect(desk.world.port, '127.0.0.1')
  socket.write('GET /api/v1/csv HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  socket.destroy()
  await until(() => desk.source.destroyed && desk.world.inFlight() === 0)
  assert.equal(
    desk.world.lines.filter(({ level }) => level === 'error'),
    [],
  )
})

for (const [name, target, headers] of [
  ['HEAD', 'HEAD /api/v1/csv', {}],
  ['304', 'GET /api/v1/csv', { 'If-None-Match': '"e"' }],
] as const) {
  test(`${name} closes the source unread`, async (desk) => {
    desk.source = Readable.from(endless())
    const { bytes } = await desk.world.ask(target, { headers })
    assert.is(bytes.length, 0)
    assert.ok(desk.source.destroyed)
  })
}

test('a stream is compressed for those who ask', async (desk) => {
  desk.source = Readable.from(['row\n'.repeat(2_000)])
  const { headers, bytes } = await desk.world.ask('GET /api/v1/csv', { headers: { 'Accept-Encoding': 'gzip' } })
  assert.is(headers['content-encoding'], 'gzip')
  assert.ok(bytes.length < 1_000)
})

test.run()
