/** What the files say is counted part by part, and left out part by part: conditions, consequences, and what happens in time. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Folder, folder, plinth } from '../cli/world.ts'
import { SHOP } from './shop.ts'

const parts = suite('parts left out')

let shop: Folder
parts.before.each(() => {
  shop = folder(SHOP)
})
parts.after.each(() => shop.remove())

const test = (...words: readonly string[]) => {
  const { TEST_DATABASE_URL } = process.env
  const env = { RESOURCES_DIR: `${shop.path}/resources`, PLUGINS_DIR: `${shop.path}/plugins`, TEST_DATABASE_URL }
  return plinth(['test', ...words], env)
}

/** The titles that are marked so, without their places. */
function titles(said: string, mark: '✔' | '✘'): readonly string[] {
  const [, mutated = ''] = said.split('Leaving out ')
  return [...mutated.matchAll(new RegExp(`^ {2}${mark} \\S+ {2}(.*?)(?: — .*)?$`, 'gm'))].map(([, title = '']) => title)
}

function untried(said: string): readonly string[] {
  const [, listed = ''] = said.split('No scenario exercises:\n')
  return [...listed.matchAll(/^ {2}\S+ {2}(.*)$/gm)].map(([, title = '']) => title)
}

const TENANTS = `resource: orders
fields:
  what:  { type: string, required: true }
  state: { type: enum, values: [open, closed], default: open, nullable: false }
  note:  { type: string }
relations: { by: { belongs_to: users, embed: [id, name] } }
policies:
  view:
    - { permission: orders.pack }
    - { who: signed_in, where: { by: $actor, any: [{ state: open }, { what: Tea }] } }
  create: [{ who: signed_in, set: { by: $actor }, fields: [what, state] }]
  update: [{ permission: orders.pack }]
actions: [list, get, create, update]
`

parts('the condition of a clause is tried by who is outside of it', async () => {
  shop.write('resources/orders.yaml', TENANTS)
  const inside = `scenarios:
  from inside:
    - { as: customer Ann, request: POST /orders, body: { what: Tea }, status: 201, keep: { order: data.id } }
    - { as: customer Ann, request: "GET /orders/{order}", status: 200 }
    - { as: customer Ann, request: GET /orders, status: 200, answer: { data: [{ what: Tea }] } }
    - { as: clerk, request: "PATCH /orders/{order}", body: { what: Jam }, status: 200 }
    - { as: clerk, request: "GET /orders/{order}", status: 200 }
`
  shop.write('resources/orders.test.yaml', inside)
  const first = await test('orders')
  assert.equal([first.code, first.complained], [0, ''])
  const conditions = ['where of view: by: $actor', 'where of view: any: [{ state: open }, { what: Tea }]']
  for (const title of conditions) assert.ok(untried(first.said).includes(title), first.said)
  const passed = await test('--mutate', 'orders')
  assert.is(passed.code, 1)
  assert.ok(titles(passed.said, '✘').includes('where of view: by: $actor'), passed.said)
  assert.match(
    passed.complained,
    /orders\.yaml:10:34 error unnoticed_removal: Every scenario still holds without where of view: by: \$actor\n/,
  )
  assert.ok(titles(passed.said, '✘').includes('whom of update: orders.pack'), passed.said)

  const outside = `  from outside:
    - { as: customer Bob, request: POST /orders, body: { what: Pot }, status: 201, keep: { pot: data.id } }
    - { as: customer Ann, request: "GET /orders/{pot}", status: 403 }
    - { as: customer Bob, request: "GET /orders/{pot}", status: 200 }
    - { as: clerk, request: "PATCH /orders/{pot}", body: { state: closed }, status: 200 }
    - { as: customer Bob, request: "GET /orders/{pot}", status: 403 }
    - { as: clerk, request: "PATCH /orders/{pot}", body: { what: Tea }, status: 200 }
    - { as: customer Bob, request: "GET /orders/{pot}", status: 200 }
    - { as: customer Bob, request: "PATCH /orders/{pot}", body: { what: Ink }, status: 403 }
    - { request: "GET /orders/{pot}", status: 401 }
    - { request: POST /orders, body: { what: Ink }, status: 401 }
    - { as: customer Ann, request: POST /orders, body: { what: Ink, note: mine }, status: 403 }
`
  shop.write('resources/orders.test.yaml', inside + outside)
  const more = await test('orders')
  assert.equal([more.code, more.complained, untried(more.said)], [0, '', []], more.said)
  const held = await test('--mutate', 'orders')
  assert.equal(titles(held.said, '✘'), [], held.said)
  const expected = [
    ...conditions,
    'where of view: state: open',
    'where of view: what: Tea',
    'whom of update: orders.pack',
  ]
  for (const title of expected) assert.ok(titles(held.said, '✔').includes(title), `${title}\n${held.said}`)
})

const CONSEQUENCES = `resource: orders
fields:
  what:       { type: string, required: true }
  pieces:     { type: integer, default: 1, nullable: false }
  price:      { type: integer, default: 2, nullable: false }
  total:      { type: integer, stored: { times: [pieces, price] } }
  packed:     { type: boolean, default: false, nullable: false }
  packed_by:  { type: string, read_only: true }
  late:       { type: boolean, default: false, nullable: false }
  due_at:     { type: timestamp }
  created_at: { type: timestamp, default: $now }
relations: { by: { belongs_to: users, embed: [id, name] } }
keep: { for: 30 days, by: created_at }
rules:
  enough: { when: { packed: true }, must: { pieces: { gte: 2 }, price: { gte: 1 } }, says: Too little to pack }
follows:
  - { when: { packed: true }, changed: packed, set: { packed_by: { text: somebody } } }
automations:
  thank:
    on: [update]
    changed: packed
    when: { packed: true }
    mail: { to: by, subject: "Packed: {{ what }}", text: "It is on its way." }
  overdue: { at: due_at, after: 1 day, when: { packed: false }, set: { late: true } }
policies:
  view:   [{ who: signed_in }]
  create: [{ permission: orders.pack }, { who: signed_in, set: { by: $actor } }]
  update: [{ who: signed_in }]
actions: [list, get, create, update]
`

parts('follows, stored values, automations and keep are counted, and left out', async () => {
  shop.write('resources/orders.yaml', CONSEQUENCES)
  shop.write('resources/orders.test.yaml', 'scenarios: { nothing: [{ request: GET /orders, status: 401 }] }\n')
  const none = await test('orders')
  assert.equal([none.code, none.complained], [0, ''])
  const consequences = [
    'follows packed_by',
    'automation thank',
    'automation overdue',
    'stored value of total',
    'keep of orders: 30 days by created_at',
    'rule enough',
  ]
  for (const title of consequences) assert.ok(untried(none.said).includes(title), `${title}\n${none.said}`)
  shop.write(
    'resources/orders.test.yaml',
    `scenarios:
  packing:
    - { as: customer, request: POST /orders, body: { what: Tea, pieces: 3 }, status: 201, answer: { data: { total: 6, packed_by: null } }, keep: { tea: data.id } }
    - { as: customer, request: "PATCH /orders/{tea}", body: { pieces: 4 }, status: 200, answer: { data: { packed_by: null } } }
    - { mails: customer, answer: { data: [] } }
    - { as: customer, request: "PATCH /orders/{tea}", body: { packed: true }, status: 200, answer: { data: { packed_by: somebody } } }
    - { mails: customer, answer: { data: [{ subject: "Packed: Tea" }] } }
    - { as: customer, request: "PATCH /orders/{tea}", body: { pieces: 1 }, status: 409 }
    - { as: customer, request: "PATCH /orders/{tea}", body: { price: 0 }, status: 409 }
    - { as: customer, request: "PATCH /orders/{tea}", body: { packed: false }, status: 200, answer: { data: { packed_by: somebody } } }
    - { mails: customer, answer: { data: [{ subject: "Packed: Tea" }] } }
    - { as: customer, request: "PATCH /orders/{tea}", body: { pieces: 1 }, status: 200 }
  in time:
    - { wait: "2099-01-01T08:00Z" }
    - { as: customer, request: POST /orders, body: { what: Pot, due_at: "2099-01-02T08:00:00Z" }, status: 201, keep: { pot: data.id } }
    - { as: customer, request: POST /orders, body: { what: Ink, pieces: 2, packed: true, due_at: "2099-01-02T08:00:00Z" }, status: 201, keep: { ink: data.id } }
    - { wait: "2099-01-02T09:00Z" }
    - { as: customer, request: "GET /orders/{pot}", status: 200, answer: { data: { late: false } } }
    - { wait: "2099-01-03T09:00Z" }
    - { as: customer, request: "GET /orders/{pot}", status: 200, answer: { data: { late: true } } }
    - { as: customer, request: "GET /orders/{ink}", status: 200, answer: { data: { late: false } } }
    - { wait: 30 days }
    - { as: customer, request: "GET /orders/{pot}", status: 404 }
`,
  )
  const some = await test('orders')
  assert.equal([some.code, some.complained], [0, ''])
  for (const title of consequences) assert.not.ok(untried(some.said).includes(title), `${title}\n${some.said}`)
  const held = await test('--mutate', 'orders')
  const noticed = [
    ...consequences,
    'when of follows packed_by: packed: true',
    'when of rule enough: packed: true',
    'must of rule enough: pieces: { gte: 2 }',
    'must of rule enough: price: { gte: 1 }',
    'when of automation thank: packed: true',
    '"after" of automation overdue',
    'when of automation overdue: packed: false',
  ]
  for (const title of noticed) assert.ok(titles(held.said, '✔').includes(title), `${title}\n${held.said}`)
})

parts(
  'an entry that ends its own condition is tried by the write that does so, here and in another record',
  async () => {
    shop.write(
      'resources/orders.yaml',
      `resource: orders
fields:
  what:    { type: string, required: true }
  sent:    { type: boolean, default: false, nullable: false }
  sent_at: { type: timestamp, read_only: true }
  told_at: { type: timestamp, read_only: true }
relations: { tellings: { has_many: tellings, embed: false } }
follows:
  - { when: { sent: true, sent_at: null }, changed: sent, set: { sent_at: $now } }
policies: { view: [{ who: signed_in }], create: [{ who: signed_in }], update: [{ who: signed_in }], delete: [{ permission: orders.pack }] }
actions: [list, get, create, update, delete]
`,
    )
    shop.write(
      'resources/tellings.yaml',
      `resource: tellings
fields: { quiet: { type: boolean, default: false, nullable: false } }
relations: { order: { belongs_to: orders, required: true } }
follows:
  - { of: order, on: [create], when: { quiet: false, order.told_at: null }, set: { told_at: $now } }
policies: { view: [{ who: signed_in }], create: [{ who: signed_in }] }
actions: [list, get, create]
`,
    )
    const scenario = (quiet: boolean): string => `scenarios:
  an order is sent and told of:
    - { as: customer, request: POST /orders, body: { what: Tea }, status: 201, keep: { order: data.id } }
    - { as: customer, request: "PATCH /orders/{order}", body: { sent: ${!quiet} }, status: 200 }
    - { as: customer, request: POST /tellings, body: { order_id: "{order}", quiet: ${quiet} }, status: 201 }
`
    shop.write('resources/orders.test.yaml', scenario(true))
    const first = await test('orders')
    assert.equal([first.code, first.complained], [0, ''])
    const none = untried(first.said).filter((title) => title.startsWith('follows'))
    assert.equal(none, ['follows sent_at', 'follows told_at'])
    shop.write('resources/orders.test.yaml', scenario(false))
    assert.equal(
      untried((await test('orders')).said).filter((title) => title.includes('follows')),
      [],
    )
  },
)

parts.run()
