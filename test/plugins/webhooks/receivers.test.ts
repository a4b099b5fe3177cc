/** Receivers that are slow, refuse, break, lie or lead elsewhere: they hold up nothing but themselves. */
import { createServer, type Server, type Socket } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { freePort } from '../../support/port.ts'
import { until } from '../../support/wait.ts'
import { type Data, type Library, openLibrary, openReceiver, type Receiver } from './world.ts'

let library: Library
let receiver: Receiver
const test = suite('receivers of webhooks')

test.before(async () => {
  library = await openLibrary(`http: true, networks: [127.0.0.0/8], timeout_ms: 1500`)
})
test.after(() => library.close())
test.before.each(async () => {
  receiver = await openReceiver()
})
test.after.each(async () => {
  for (const { id } of await library.must('GET', '/webhooks')) await library.must('DELETE', `/webhooks/${id}`)
  await receiver.close()
})

const hook = (more: object = {}): Promise<Data> =>
  library.must('POST', '/webhooks', { name: 'A', address: receiver.url, events: ['books.*'], ...more })
const book = (title: string): Promise<Data> => library.must('POST', '/books', { title })

/** The first delivery of a webhook once so many attempts of it have ended. */
async function tried(webhook: Data, times = 1): Promise<Data> {
  let found: Data
  await until(async () => {
    const [first] = await library.deliveries(webhook.id)
    found = first && (await library.must('GET', `/webhook-deliveries/${first.id}`))
    return found?.attempts.length >= times
  })
  return found
}

/** Lets everything that waits of a webhook be due. */
async function letTimePass(webhook: Data): Promise<void> {
  const text = `update webhook_deliveries set next_attempt_at = now() where webhook_id = $1::int and status = 'pending'`
  await library.app.engine.database.adhoc.run({ text }, [webhook.id])
  await library.must('POST', `/webhooks/${webhook.id}/test`)
}

/** A server that answers each connection with these bytes as soon as it hears anything, and never ends it by itself. */
async function openRaw(answer: (socket: Socket) => void): Promise<{ readonly url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => answer(socket))
  })
  const port = await freePort()
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((closed) => void server.close(() => closed()))
    },
  }
}

test('a receiver that says nothing, and one that is not there, delay neither others nor each other', async () => {
  const silent = await openRaw(() => undefined)
  const absent = `http://127.0.0.1:${await freePort()}/`
  const [slow, out] = [await hook({ address: silent.url }), await hook({ address: absent })]
  const good = await hook()
  for (let i = 0; i < 30; i += 1) await book(`b${i}`)
  await receiver.until(30)
  const late = await tried(slow)
  assert.match(late.last_error, /did not answer within 1.5 s/)
  assert.is(late.last_status, null)
  assert.ok(late.attempts[0].duration_ms >= 1400)
  assert.match((await tried(out)).last_error, /ECONNREFUSED/)
  await until(async () => (await library.deliveries(good.id)).every(({ status }: Data) => status === 'delivered'))
  const made = (await library.deliveries(out.id)).reduce((sum: number, one: Data) => sum + one.attempts_made, 0)
  assert.ok(made < 30, `${made} attempts: a receiver that nobody reaches is left alone`)
  await silent.close()
})

test('500 is tried again after a pause, with the same id and a new signature', async () => {
  const webhook = await hook()
  receiver.behave((response) => void response.writeHead(500).end('{"secret":"of the receiver"}'))
  await book('Five hundred')
  const first = await tried(webhook)
  assert.equal([first.status, first.last_status, first.last_error], ['pending', 500, 'The receiver answered 500'])
  const pause = Date.parse(first.next_attempt_at) - Date.parse(first.attempts[0].created_at)
  assert.ok(pause > 4_000 && pause < 6_000, `${pause} ms`)
  const state = await library.must('GET', `/webhooks/${webhook.id}`)
  assert.equal([state.failures, state.last_error, state.active], [1, 'The receiver answered 500', true])
  receiver.behave((response) => void response.writeHead(200).end('ok'))
  await letTimePass(webhook)
  await until(async () => (await library.deliveries(webhook.id))[0].status === 'delivered')
  const [one, two] = receiver.received.filter(({ json }) => json.type === 'books.create')
  assert.is(one?.headers['webhook-id'], two?.headers['webhook-id'])
  const { attempts } = await library.must('GET', `/webhook-deliveries/${first.id}`)
  assert.equal(
    attempts.map(({ number, status }: Data) => [number, status]),
    [
      [1, 500],
      [2, 200],
    ],
  )
  assert.is((await library.must('GET', `/webhooks/${webhook.id}`)).failures, 0)
  assert.not.match(JSON.stringify(attempts), /of the receiver/)
})

test('after eight attempts a message is given up, and the later one of its record goes on', async () => {
  const webhook = await hook()
  receiver.behave(
    (response, _, { json }) => void response.writeHead(json.data.record?.title === 'Bad' ? 500 : 204).end(),
  )
  const { id } = await book('Bad')
  await tried(webhook)
  await library.must('PUT', `/books/${id}`, { title: 'Bad', pages: 7 })
  await until(async () => (await library.deliveries(webhook.id)).length === 2)
  for (let times = 2; times <= 8; times += 1) {
    await letTimePass(webhook)
    await tried(webhook, times)
  }
  const [first] = await library.deliveries(webhook.id)
  assert.equal([first.status, first.attempts_made, first.next_attempt_at], ['failed', 8, null])
  assert.ok(first.ended_at)
  await until(async () =>
    (await library.deliveries(webhook.id)).some((one: Data) => one.event === 'books.update' && one.attempts_made > 0),
  )
})

test('a record waits for its earlier change, and no other record does', async () => {
  const webhook = await hook()
  const one = await book('Held')
  await receiver.until(1)
  receiver.behave((response, _, { json }) => void response.writeHead(json.data.id === one.id ? 503 : 204).end())
  for (let pages = 1; pages <= 5; pages += 1) await library.must('PUT', `/books/${one.id}`, { pages })
  const other = await book('Free')
  await until(() => receiver.received.some(({ json }) => json.data.id === other.id))
  await until(async () => {
    const all: readonly Data[] = await library.deliveries(webhook.id)
    return all.filter(({ record_id, status }) => record_id === one.id && status === 'pending').length === 5
  })
  const held: readonly Data[] = await library.deliveries(webhook.id)
  assert.equal(
    held.filter(({ event }) => event === 'books.update').map(({ attempts_made }) => attempts_made > 0),
    [true, false, false, false, false],
  )
  receiver.behave((response) => void response.writeHead(204).end())
  await letTimePass(webhook)
  await until(async () => (await library.deliveries(webhook.id)).every(({ status }: Data) => status === 'delivered'))
  const pages = receiver.received
    .filter(({ json }) => json.type === 'books.update')
    .map(({ json }) => json.data.changes[0].to)
  assert.equal(pages.slice(-5), [1, 2, 3, 4, 5])
})

test('Retry-After is obeyed, by all messages when the receiver is busy', async () => {
  const webhook = await hook()
  receiver.behave((response) => void response.writeHead(429, { 'retry-after': '3600' }).end())
  await book('Busy')
  const { attempts, next_attempt_at } = await tried(webhook)
  const pause = Date.parse(next_attempt_at) - Date.parse(attempts[0].created_at)
  assert.ok(pause > 3_590_000 && pause < 3_700_000, `${pause} ms`)
  const { not_before } = await library.must('GET', `/webhooks/${webhook.id}`)
  assert.ok(Date.parse(not_before) - Date.parse(attempts[0].created_at) > 3_590_000)
  const before = receiver.received.length
  await book('Waits')
  await until(async () => (await library.deliveries(webhook.id)).length === 2)
  const good = await hook({ name: 'Good' })
  receiver.behave((response) => void response.writeHead(204).end())
  await book('Goes')
  await until(async () => (await library.deliveries(good.id))[0]?.status === 'delivered')
  assert.is(receiver.received.length, before + 1, 'the busy one was left alone')
})

test('410 switches a webhook off', async () => {
  const webhook = await hook()
  receiver.behave((response) => void response.writeHead(410).end())
  await book('Gone')
  assert.is((await tried(webhook)).status, 'failed')
  await until(async () => (await library.must('GET', `/webhooks/${webhook.id}`)).active === false)
  assert.match((await library.must('GET', `/webhooks/${webhook.id}`)).paused_reason, /410 Gone/)
})

test('a redirect is not followed, into the own network or elsewhere', async () => {
  const target = await openReceiver()
  const webhook = await hook()
  receiver.behave((response) => void response.writeHead(307, { location: target.url }).end())
  await book('Elsewhere')
  assert.match((await tried(webhook)).last_error, /answered 307; redirects are not followed/)
  assert.is(target.received.length, 0)
  await target.close()
})

const ANSWERS: readonly {
  readonly what: string
  readonly says: (socket: Socket) => void
  readonly status: number | null
}[] = [
  {
    what: 'whose body is shorter than it says',
    says: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nshort'),
    status: 200,
  },
  {
    what: 'whose body is longer than it says',
    says: (socket) => void socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n${'x'.repeat(100_000)}`),
    status: 200,
  },
  {
    what: 'with two lengths',
    says: (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n'),
    status: null,
  },
  {
    what: 'whose body never ends',
    says: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const more = (): void =>
        void (socket.destroyed || socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`, () => setImmediate(more)))
      more()
    },
    status: 200,
  },
  {
    what: 'whose headers never end',
    says: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const more = (): void =>
        void (socket.destroyed || socket.write(`x-more: ${'y'.repeat(1000)}\r\n`, () => setImmediate(more)))
      more()
    },
    status: null,
  },
  { what: 'that is no HTTP', says: (socket) => void socket.write('220 mail.example ESMTP\r\n'), status: null },
  { what: 'that is cut off', says: (socket) => socket.destroy(), status: null },
  {
    what: 'that changes the protocol',
    says: (socket) =>
      void socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    status: null,
  },
  {
    what: 'that is always still to come',
    says: (socket) => {
      const more = (): void =>
        // It goes on for as long as somebody listens.
        void (socket.destroyed || socket.write('HTTP/1.1 102 Processing\r\n\r\n', () => setTimeout(more, 10)))
      more()
    },
    status: null,
  },
]

for (const { says, status, what } of ANSWERS) {
  test(`an answer ${what} is ${status === null ? 'a failure' : 'known by its status'} and holds nothing up`, async () => {
    const raw = await openRaw(says)
    const [webhook, good] = [await hook({ address: raw.url }), await hook()]
    await book(what)
    await until(async () => (await library.deliveries(good.id))[0]?.status === 'delivered')
    await until(
      async () => (await library.must('GET', `/webhook-deliveries?webhook_id=${webhook.id}`))[0]?.attempts_made === 1,
    )
    await until(async () => {
      const [{ id }] = await library.deliveries(webhook.id)
      return (await library.must('GET', `/webhook-deliveries/${id}`)).attempts.length === 1
    })
    const [found] = await library.deliveries(webhook.id)
    assert.equal(
      [found.last_status, found.status],
      [status, status === null ? 'pending' : 'delivered'],
      found.last_error,
    )
    await raw.close()
  })
}

test.run()
