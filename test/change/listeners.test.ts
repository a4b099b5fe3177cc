/** Listeners get every committed write, once, in order, with its values and without its secrets. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Engine } from '../../engine/engine.ts'
import { send, type TestApplication } from '../support/application.ts'
import { until } from '../support/wait.ts'
import { echoes, openBooks, RESOURCES, secondInstance } from './world.ts'

let app: TestApplication
let other: { readonly engine: Engine; readonly url: string }
const test = suite('listeners')

test.before(async () => {
  app = await openBooks()
  other = await secondInstance(app)
})
test.after(async () => {
  await other.engine.close()
  await app.close()
})

interface Row {
  readonly id: number
}

async function write(method: string, path: string, body?: object, token = 'ada'): Promise<Row> {
  const answer = await app.call(method, path, { token, ...(body && { body }) })
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
  return answer.body?.data
}

async function heard(atLeast: number) {
  await until(async () => (await echoes(app)).length >= atLeast)
  return echoes(app)
}

test('a write is heard with its action, its author and its values, without secrets', async () => {
  const shelf = await write('POST', '/shelves', { name: 'A', keeper: 2 })
  const book = await write('POST', '/books', {
    title: 'One',
    price: '9.50',
    pin: '12345678',
    shelf_id: shelf.id,
    bought_at: '2026-01-02T03:04:05Z',
  })
  await write('PUT', `/books/${book.id}`, { title: 'Two', pin: 'another secret' }, 'bob')
  await write('DELETE', `/books/${book.id}`)
  await write('POST', `/books/${book.id}/restore`)
  const all = await heard(4)
  assert.equal(
    all.map(({ action, actor, record }) => [action, actor, record]),
    [
      ['create', 1, book.id],
      ['update', 2, book.id],
      ['delete', 1, book.id],
      ['restore', 1, book.id],
    ],
  )
  const [created, updated, deleted] = all
  const named = (name: string) => created?.fields.find(({ field }) => field === name)
  assert.equal(named('title'), { field: 'title', from: null, to: 'One' })
  assert.equal(named('pages'), { field: 'pages', from: null, to: 100, given: false })
  assert.equal(named('bought_at')?.to, '2026-01-02T03:04:05.000000Z')
  assert.equal(updated?.fields, [{ field: 'title', from: 'One', to: 'Two' }])
  assert.equal(deleted?.fields, [])
  assert.not.match(JSON.stringify(all), /pin|12345678|another secret|\$argon/)
})

test('what changes nothing, is refused or is rolled back is not heard', async () => {
  const before = (await echoes(app)).length
  const book = await write('POST', '/books', { title: 'Same' })
  await write('PUT', `/books/${book.id}`, { title: 'Same' })
  assert.is((await app.call('POST', '/books', { token: 'ada', body: { title: '' } })).status, 422)
  assert.is((await app.call('POST', '/books', { token: 'ada', body: { title: 'x', shelf_id: 999 } })).status, 422)
  await write('PUT', `/books/${book.id}`, { title: 'Other' })
  const all = (await heard(before + 2)).slice(before)
  assert.equal(
    all.map(({ action }) => action),
    ['create', 'update'],
  )
})

test('many writes on two instances are heard once each, those of a record in order', async () => {
  const before = (await echoes(app)).length
  const books = await Promise.all(Array.from({ length: 5 }, (_, i) => write('POST', '/books', { title: `b${i}-0` })))
  const places = [app.address, other.url]
  await Promise.all(
    books.map(async ({ id }, i) => {
      for (let n = 1; n <= 20; n += 1) {
        const answer = await send(places[n % 2] ?? '', 'PUT', `/books/${id}`, {
          token: 'ada',
          body: { title: `b${i}-${n}` },
        })
        assert.is(answer.status, 200, answer.text)
      }
    }),
  )
  const all = (await heard(before + 105)).slice(before)
  assert.is(all.length, 105)
  books.forEach(({ id }, i) => {
    const titles = all
      .filter(({ record }) => record === id)
      .map(({ fields }) => fields.find(({ field }) => field === 'title')?.to)
    assert.equal(
      titles,
      Array.from({ length: 21 }, (_, n) => `b${i}-${n}`),
    )
  })
})

test('a part of the log that ends with a full batch is closed, and what comes after it is heard', async () => {
  const narrow = (RESOURCES['app.yaml'] ?? '').replace('limits: {', 'limits: { listenerBatch: 1,')
  const small = await openBooks({ ...RESOURCES, 'app.yaml': narrow })
  try {
    for (const title of ['first', 'second', 'third']) {
      const before = (await echoes(small)).length
      assert.is((await small.call('POST', '/books', { token: 'ada', body: { title } })).status, 201)
      await until(async () => (await echoes(small)).length === before + 1)
    }
  } finally {
    await small.close()
  }
})

test.run()
