/** Calls of outside servers: whatever a server does with a connection, the call comes to an end. */
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { answerTo, isUnreachable, unlessAborted } from '../engine/breaker.ts'

const test = suite('calls of outside servers')

/** How a server ends what it says. */
const ENDS = ['end', 'destroy', 'reset'] as const

interface Said {
  readonly pieces: readonly string[]
  readonly end: (typeof ENDS)[number]
}

/** What became of a call of a server that says this to it. */
async function called({ end, pieces }: Said): Promise<string> {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      for (const piece of pieces) socket.write(piece)
      if (end === 'end') socket.end()
      else if (end === 'destroy') socket.destroy()
      else socket.resetAndDestroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sent = request({ port, host: '127.0.0.1', method: 'POST', agent: false })
  sent.end('{}')
  const became = answerTo(sent).then(
    (answer) => {
      answer.on('error', () => undefined).resume()
      return String(answer.statusCode)
    },
    (error: Error) => error.message,
  )
  try {
    return await became
  } finally {
    server.close()
  }
}

const status = fc.constantFrom(100, 101, 102, 103, 199, 200, 204, 304, 426, 500, 999)
const head = fc
  .tuple(status, fc.subarray(['upgrade: websocket', 'connection: upgrade', 'connection: close', 'content-length: 5']))
  .map(([code, lines]) => `HTTP/1.1 ${code} X\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`)
const piece = fc.oneof(head, fc.constantFrom('HTTP/1.1 ', '\r\n\r\n', 'hello'), fc.string({ maxLength: 20 }))

test('a call settles whatever a server says and however it ends it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.record({ pieces: fc.array(piece, { maxLength: 4 }), end: fc.constantFrom(...ENDS) }), (said) =>
      called(said).then((became) => assert.type(became, 'string')),
    ),
    { numRuns: 300 },
  )
})

test('a change of the protocol is a failure with a sentence', async () => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'
  assert.match(await called({ pieces: [upgrade], end: 'end' }), /answered 101: it changes the protocol/)
})

test('a request that is destroyed without an error ends as one that reached nobody', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sent = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false })
  const answered = answerTo(sent)
  sent.once('socket', () => sent.destroy())
  const error = await answered.catch((failure: unknown) => failure)
  assert.ok(isUnreachable(error), String(error))
  server.close()
})

test('what is waited for ends with its signal, before and after it was aborted', async () => {
  const never = new Promise<never>(() => undefined)
  const stop = new AbortController()
  const waited = unlessAborted(never, stop.signal).catch((error: Error) => error.message)
  stop.abort(new Error('too late'))
  assert.is(await waited, 'too late')
  assert.is(await unlessAborted(never, stop.signal).catch((error: Error) => error.message), 'too late')
  assert.is(await unlessAborted(Promise.resolve(7), new AbortController().signal), 7)
})

test.run()
