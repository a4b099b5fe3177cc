/** Resources whose ids are words, which whoever creates a record chooses. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'

const test = suite('ids: words')
const ALL =
  'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }'
let app: TestApplication

test.before(async () => {
  app = await application({
    resources: {
      'app.yaml': 'name: Trade\n',
      'customers.yaml': `resource: customers\nid: string\nfields: { name: { type: string } }\n${ALL}`,
      'orders.yaml': `resource: orders\nid: uuid\nrelations: { customer: { belongs_to: customers, required: true, embed: [id, name] } }\nfilters: [customer_id]\n${ALL}`,
    },
  })
})
test.after(() => app?.close())

test('the word is required, kept, unique and never changed', async () => {
  const make = (body: object) => app.call('POST', '/customers', { body })
  assert.equal((await make({ name: 'Alfred' })).at('errors'), { id: ['The id field is required'] })
  const made = await make({ id: 'ALFKI', name: 'Alfred' })
  assert.equal([made.status, made.at('data.id'), made.headers.location], [201, 'ALFKI', '/customers/ALFKI'])
  assert.equal((await make({ id: 'ALFKI' })).at('errors'), { id: ['The id has already been taken'] })
  assert.is((await make({ id: 'x'.repeat(101) })).status, 422)
  const changed = await app.call('PUT', '/customers/ALFKI', { body: { id: 'OTHER', name: 'A' } })
  assert.equal([changed.status, Object.keys(changed.at('errors') as object)], [422, ['id']])
  assert.is((await app.call('PUT', '/customers/ALFKI', { body: { id: 'ALFKI', name: 'A' } })).status, 200)
})

test('any text is a path to such a record, and others refer to it', async () => {
  const made = await app.call('POST', '/customers', { body: { id: 'a b/ü?', name: 'Odd' } })
  assert.is(made.headers.location, '/customers/a%20b%2F%C3%BC%3F')
  assert.is((await app.call('GET', String(made.headers.location))).at('data.name'), 'Odd')
  assert.is((await app.call('GET', '/customers/alfki')).status, 404)
  const order = await app.call('POST', '/orders', { body: { customer_id: 'ALFKI' } })
  assert.equal(order.at('data.customer'), { id: 'ALFKI', name: 'A' })
  assert.is((await app.call('POST', '/orders', { body: { customer_id: 'NONE' } })).status, 422)
  assert.is((await app.call('GET', '/orders?customer_id=ALFKI')).list.length, 1)
  assert.is((await app.call('DELETE', '/customers/ALFKI')).status, 409)
})

test('several are created at once, in the order in which they are sent', async () => {
  const create = ['c', 'a', 'b'].map((id) => ({ id, name: id }))
  const made = await app.call('POST', '/customers/batch', { body: { create } })
  assert.equal(
    (made.at('data.create') as { id: string }[]).map(({ id }) => id),
    ['c', 'a', 'b'],
    made.text,
  )
  const page = await app.call('GET', '/customers?sort=-id&per_page=2&cursor=first')
  assert.is(page.list.length, 2)
})

test.run()
