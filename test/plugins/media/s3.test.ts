/** A file storage that cannot be reached: tried again for a moment, then left alone, so that nobody waits for it in vain. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createBreaker } from '../../../engine/breaker.ts'
import { ApiError } from '../../../engine/index.ts'
import { LIMITS } from '../../../engine/limits.ts'
import { s3Storage } from '../../../plugins/files/s3.ts'
import { freePort } from '../../support/port.ts'

const test = suite('a file storage that is out')

const thrown = (work: Promise<unknown>): Promise<ApiError> =>
  work.then(
    () => assert.unreachable('it was answered'),
    (error: unknown) => (error instanceof ApiError ? error : assert.unreachable(String(error))),
  ) as Promise<ApiError>

test('after three calls it is asked no more for a while, each call is a 503, and one finds out that it is back', async () => {
  const port = await freePort()
  let clock = 0
  const breaker = createBreaker('s3', { clock: () => clock })
  const endpoint = `http://127.0.0.1:${port}`
  const storage = s3Storage({ breaker, endpoint, region: 'x', bucket: 'b', accessKey: 'a', secretKey: 's' })
  for (let n = 0; n < LIMITS.breakerFailures; n++) assert.is((await thrown(storage.read('media/x'))).status, 503)
  assert.is(breaker.standing().state, 'open')
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    response.writeHead(asked === 1 ? 500 : 404).end()
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const refused = await thrown(storage.read('media/x'))
  assert.equal([refused.status, refused.params.retryAfter, asked], [503, LIMITS.breakerPauseMs / 1000, 0])
  clock += LIMITS.breakerPauseMs
  assert.is(await storage.read('media/x'), undefined, 'there is no such file')
  assert.is(breaker.standing().state, 'closed')
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
})

test('a server that answers with an error is there: it is not left alone', async () => {
  const server = createServer((_request, response) => void response.writeHead(503).end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const breaker = createBreaker('s3')
  const endpoint = `http://127.0.0.1:${port}`
  const storage = s3Storage({ breaker, endpoint, region: 'x', bucket: 'b', accessKey: 'a', secretKey: 's' })
  for (let n = 0; n < LIMITS.breakerFailures + 1; n++) assert.is((await thrown(storage.read('media/x'))).status, 503)
  assert.is(breaker.standing().state, 'closed')
  server.closeAllConnections()
  server.close()
})

test('a server that changes the protocol is a 503 like every other failure', async () => {
  const server = createServer().on('connection', (socket) => {
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const breaker = createBreaker('s3')
  const storage = s3Storage({ breaker, endpoint, region: 'x', bucket: 'b', accessKey: 'a', secretKey: 's' })
  const refused = await thrown(storage.read('media/x'))
  assert.is(refused.status, 503)
  assert.match(String(refused.cause), /answered 101/)
  server.closeAllConnections()
  server.close()
})
test.run()
