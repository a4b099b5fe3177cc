/** A resource that is a part of another's table: what belongs to it, what it makes, and that nothing leaves it unnoticed. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/application.ts'
import { ANN, type Library, library, STAFF } from './library.ts'

const test = suite('part of a table')
let app: Library

test.before(async () => {
  app = await library()
})
test.after(() => app.close())

const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
  app.call(method, `/api/v1${path}`, { token: ANN, ...(body === undefined ? {} : { body }) })

test('what is made through the part has what the part says, and the defaults of the whole', async () => {
  const { status, body, text } = await call('POST', '/novels', { title: 'Emma' })
  assert.is(status, 201, text)
  assert.is(body.data.kind, 'novel')
  assert.equal(body.data.shelf, { id: 1, name: 'Main' })
  const whole = await app.expect(200, 'GET', `/books/${body.data.id}`)
  assert.is(whole.lent, false)
  assert.is(whole.title, 'Emma')
})

test('only what belongs to the part is read, listed, changed and deleted through it', async () => {
  const poem = await app.expect(201, 'POST', '/books', STAFF, { title: 'Odes', kind: 'poetry' })
  const cellar = await app.expect(201, 'POST', '/books', STAFF, { title: 'Damp', shelf_id: 2 })
  for (const { id } of [poem, cellar]) {
    for (const [method, body] of [['GET'], ['PATCH', { title: 'x' }], ['DELETE']] as const)
      assert.is((await call(method, `/novels/${id}`, body)).status, 404, method)
    assert.is((await call('POST', `/novels/${id}/restore`)).status, 404)
  }
  const { data } = (await call('GET', '/novels?per_page=100')).body
  assert.ok(data.length > 0 && data.every((novel: { kind: string }) => novel.kind === 'novel'))
  assert.not.ok(data.some((novel: { id: number }) => novel.id === poem.id || novel.id === cellar.id))
})

test('a write that would put the record outside is refused by the field that does it', async () => {
  const { id } = (await call('POST', '/novels', { title: 'Stays' })).body.data
  for (const [field, value] of [
    ['kind', 'poetry'],
    ['shelf_id', 2],
    ['shelf_id', null],
  ] as const) {
    const made = await call('POST', '/novels', { title: 'x', [field]: value })
    assert.is(made.status, 422, made.text)
    assert.equal(Object.keys(made.body.errors), [field])
    const changed = await call('PATCH', `/novels/${id}`, { [field]: value })
    assert.is(changed.status, 422, changed.text)
    assert.equal(Object.keys(changed.body.errors), [field])
  }
  assert.is((await call('PATCH', `/novels/${id}`, { kind: 'novel', shelf_id: 1, title: 'Stayed' })).status, 200)
  assert.is((await call('DELETE', `/novels/${id}`)).status, 204)
  assert.is((await call('POST', `/novels/${id}/restore`)).body.data.title, 'Stayed')
})

test.run()
