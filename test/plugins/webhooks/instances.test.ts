/** Two instances of one application share the webhooks: each message leaves once, in the order of its record. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Engine } from '../../../engine/engine.ts'
import { secondInstance } from '../../change/world.ts'
import { send } from '../../support/application.ts'
import { until } from '../../support/wait.ts'
import { type Data, type Library, openLibrary, openReceiver, type Receiver } from './world.ts'

let library: Library
let receiver: Receiver
let other: { readonly engine: Engine; readonly url: string }
const test = suite('webhooks on two instances')

test.before(async () => {
  library = await openLibrary()
  receiver = await openReceiver()
  other = await secondInstance(library.app)
})
test.after(async () => {
  await other.engine.close()
  await library.close()
  await receiver.close()
})

const hook = (): Promise<Data> =>
  library.must('POST', '/webhooks', { name: 'A', address: receiver.url, events: ['books.*'] })

test('many writes on both arrive once each, those of a record in order', async () => {
  const webhook = await hook()
  receiver.behave((response) => void setTimeout(() => response.writeHead(204).end(), Math.random() * 20))
  const books: readonly Data[] = await Promise.all(
    Array.from({ length: 5 }, (_, i) => library.must('POST', '/books', { title: `b${i}` })),
  )
  const places = [library.app.address, other.url]
  await Promise.all(
    books.map(async ({ id }) => {
      for (let pages = 1; pages <= 15; pages += 1) {
        const call = { token: library.admin, body: { pages } }
        assert.is((await send(places[pages % 2] ?? '', 'PUT', `/api/books/${id}`, call)).status, 200)
      }
    }),
  )
  await until(async () => {
    const answer = await library.call('GET', `/webhook-deliveries?webhook_id=${webhook.id}&status=delivered`)
    return answer.at('meta.pagination.total') === 80
  }, 20_000)
  assert.is(receiver.received.length, 80)
  assert.is(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 80)
  for (const { id } of books) {
    const pages = receiver.received
      .filter(({ json }) => json.data.id === id && json.type === 'books.update')
      .map(({ json }) => json.data.changes[0].to)
    assert.equal(
      pages,
      Array.from({ length: 15 }, (_, i) => i + 1),
    )
  }
})

test('an attempt whose process is gone is made again when its lease has run out', async () => {
  const webhook = await hook()
  const { database } = library.app.engine
  receiver.behave((response) => void response.writeHead(500).end())
  await library.must('POST', '/books', { title: 'Lost' })
  await until(async () => (await library.deliveries(webhook.id))[0]?.last_status === 500)
  const lease = (moment: string) =>
    database.adhoc.run(
      {
        text: `update webhook_deliveries set next_attempt_at = now(), leased_until = ${moment} where webhook_id = $1::int`,
      },
      [webhook.id],
    )
  const wake = () => library.must('POST', `/webhooks/${webhook.id}/test`)
  receiver.behave((response) => void response.writeHead(204).end())
  await lease(`now() + interval '1 hour'`)
  await wake()
  await until(async () =>
    (await library.deliveries(webhook.id)).some(
      ({ event, status }: Data) => event === 'webhooks.ping' && status === 'delivered',
    ),
  )
  assert.is((await library.deliveries(webhook.id))[0].status, 'pending', 'somebody else is at it')
  await lease(`now() - interval '1 second'`)
  await wake()
  await until(async () => (await library.deliveries(webhook.id))[0].status === 'delivered')
})

test.run()
