/** Scenarios in time: the clock moves on, what follows is done, and the mails that were sent are read. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application } from '../../engine/testing/index.ts'
import { type Folder, folder, plinth } from '../cli/world.ts'
import { SHOP } from './shop.ts'

const time = suite('scenarios in time')

const FILES = {
  ...SHOP,
  'resources/orders.yaml': `resource: orders
fields:
  what:       { type: string, required: true }
  due_at:     { type: timestamp }
  late:       { type: boolean, default: false, nullable: false }
  created_at: { type: timestamp, default: $now }
relations: { by: { belongs_to: users, embed: [id, name] } }
keep: { for: 30 days, by: created_at }
automations:
  remind:
    at: due_at
    before: 1 day
    mail: { to: by, subject: "Soon due: {{ what }}", text: "Dear {{ by.name }},\\n\\nit is due on {{ due_at | date: '%d.%m.%Y' }}." }
  overdue: { at: due_at, after: 2 days, set: { late: true } }
policies:
  view:   [{ who: signed_in }]
  create: [{ permission: orders.pack }, { who: signed_in, set: { by: $actor } }]
actions: [list, get, create]
`,
}

let shop: Folder
time.before.each(() => {
  shop = folder(FILES)
})
time.after.each(() => shop.remove())

const test = (...words: readonly string[]) => {
  const { TEST_DATABASE_URL } = process.env
  const env = { RESOURCES_DIR: `${shop.path}/resources`, PLUGINS_DIR: `${shop.path}/plugins`, TEST_DATABASE_URL }
  return plinth(['test', ...words], env)
}

time('the clock moves on, and automations, removals and mails follow', async () => {
  shop.write(
    'resources/orders.test.yaml',
    `scenarios:
  an order is due:
    - { wait: "2099-01-01T08:00Z" }
    - { as: customer Anne, request: POST /orders, body: { what: "Tee für Jürgen ☕", due_at: "2099-01-05T08:00:00Z" }, status: 201, keep: { order: data.id } }
    - { mails: customer Anne, answer: { data: [] } }
    - { wait: 3 days }
    - mails: customer Anne
      answer: { data: [{ subject: "Soon due: Tee für Jürgen ☕", text: "it is due on 05.01.2099." }] }
    - { mails: clerk, answer: { data: [] } }
    - { as: customer Anne, request: "GET /orders/{order}", status: 200, answer: { data: { late: false } } }
    - { wait: 4 days }
    - { as: customer Anne, request: "GET /orders/{order}", status: 200, answer: { data: { late: true } } }
    - { wait: 1 month }
    - { as: customer Anne, request: "GET /orders/{order}", status: 404 }
  the next scenario has no mails of the one before:
    - { mails: customer Anne, answer: { data: [] } }
`,
  )
  // Each file begins in the present.
  shop.write(
    'resources/people.test.yaml',
    'scenarios: { the clock goes forward only: [{ wait: "2098-01-01T08:00Z" }, { wait: "2097-01-01T08:00Z" }] }\n',
  )
  const { code, said, complained } = await test()
  assert.equal([...said.matchAll(/^ {2}([✔✘])/gm)].map(([, mark]) => mark).join(''), '✔✔✘', complained)
  assert.is(code, 1)
  assert.match(complained, /people\.test\.yaml:1:\d+ error scenario_failed: The clock moves forward only/)
})

time('a mail that is another than the scenario says is shown at its line', async () => {
  shop.write(
    'resources/orders.test.yaml',
    `scenarios:
  an order is due:
    - { as: customer, request: POST /orders, body: { what: Tea, due_at: "2099-01-05T08:00:00Z" }, status: 201 }
    - { wait: "2099-01-04T09:00Z" }
    - mails: customer@people.example
      answer: { data: [{ text: it is late }] }
  nobody of that role:
    - { mails: clark }
`,
  )
  const { code, complained } = await test()
  assert.is(code, 1)
  assert.match(
    complained,
    /orders\.test\.yaml:6:32 error scenario_failed: data\.0\.text is "Dear Customer Tester/,
    complained,
  )
  assert.match(complained, /orders\.test\.yaml:8:7 error scenario_failed: There is no role "clark"/)
})

time('steps without a request have their own keys', async () => {
  const steps = (span: string): string => `scenarios:
  one:
    - { wait: ${span} }
    - { wait: 3 days, status: 200 }
    - { mails: clerk, body: {} }
    - { request: GET /orders }
`
  shop.write('resources/orders.test.yaml', steps('3 dayz'))
  const wrong = await test()
  assert.is(wrong.code, 1)
  assert.match(wrong.complained, /orders\.test\.yaml:3:15 error wrong_value[\s\S]*a length of time such as 3 days/)
  shop.write('resources/orders.test.yaml', steps('3 days'))
  const { complained } = await test()
  assert.match(complained, /:4:7 error wrong_value: A step with "wait" has no "status"/)
  assert.match(complained, /:5:7 error wrong_value: A step with "mails" has no "body"/)
  assert.match(complained, /:6:7 error missing_key: A step with "request" needs "status"/)
})

time('the test kit moves the clock and reads mails too', async () => {
  const app = await application({ folder: shop.path })
  try {
    const ann = await app.person('customer', 'Ann')
    const due = new Date(Date.now() + 3 * 86_400_000).toISOString()
    const { data } = await ann.post('/orders', { what: 'Jam', due_at: due })
    await app.wait('3 days')
    assert.equal(
      (await app.mails()).map(({ to, subject }) => `${to} ${subject}`),
      ['ann@people.example Soon due: Jam'],
    )
    await app.wait('2 days')
    const again = await app.person('customer', 'Ann')
    assert.equal([again.id, (await again.get(`/orders/${data.id}`)).data.late], [ann.id, true])
  } finally {
    await app.close()
  }
})

time.run()
