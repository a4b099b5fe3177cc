/** Scenarios in YAML: what holds, what is said where one does not, and which clauses of policies none has tried. */
import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Folder, folder, plinth } from '../cli/world.ts'
import { SHOP } from './shop.ts'

const scenarios = suite('scenarios')

const FILES = {
  ...SHOP,
  'resources/orders.yaml': `resource: orders
fields:
  what:  { type: string, required: true }
  items: { type: list, of: string }
relations: { by: { belongs_to: users, embed: [id, name] } }
policies:
  view:
    - { permission: orders.pack }
    - { who: signed_in, where: { by: $actor } }
  create: [{ who: signed_in, set: { by: $actor } }]
  update: [{ permission: orders.pack }]
actions: [list, get, create, update]
`,
  'resources/orders.test.yaml': `scenarios:
  an order is seen by whoever made it:
    - as: customer Ann
      request: POST /orders
      body: { what: Tea, items: [cup, pot] }
      status: 201
      answer: { data: { what: Tea, items: [cup, pot], by: { name: Ann Tester } }, success: true }
      keep: { order: data.id, ann: data.by }
    - { as: customer Ann, request: "GET /orders/{order}", status: 200, answer: { data: { id: "{order}", by: "{ann}" } } }
    - { as: customer Bob, request: "GET /orders/{order}", status: 403 }
    - { request: GET /orders, status: 401 }
    - { as: clerk, request: "PUT /orders/{order}", body: { what: Jam }, status: 200 }
    - { as: customer Ann, request: "PATCH /orders/{order}", body: { what: Jam }, status: 403 }
    - { request: POST /orders, body: { what: Tea }, status: 401 }
`,
}

const LOANS = `scenarios:
  the fee is for clerks:
    - { as: clerk, request: POST /loans, body: { days: 3, fee: 5 }, status: 201, keep: { loan: data.id } }
    - { as: customer, request: "GET /loans/{loan}?fields=fee", status: 422 }
    - { as: customer, request: GET /loans, status: 200 }
    - { as: customer, request: POST /loans, body: { days: 3, fee: 5 }, status: 403 }
    - { request: GET /loans, status: 401 }
    - { request: POST /loans, body: { days: 3 }, status: 401 }
    - { request: "PATCH /loans/{loan}", body: { days: 4 }, status: 401 }
  the application is held to rules too:
    - { create: loans, body: { days: 29 }, status: 409, answer: { message: No loan is that long } }
    - { create: loans, body: { days: 2 }, status: 201, keep: { loan: data.id } }
    - { update: "loans/{loan}", body: { days: 30 }, status: 409 }
    - { as: clerk, request: "PATCH /loans/{loan}", body: { state: closed }, status: 200 }
    - { as: clerk, request: "PATCH /loans/{loan}", body: { state: open }, status: 409 }
`

let shop: Folder
scenarios.before.each(() => {
  shop = folder(FILES)
})
scenarios.after.each(() => shop.remove())

const test = (...words: readonly string[]) => {
  const { TEST_DATABASE_URL } = process.env
  const env = { RESOURCES_DIR: `${shop.path}/resources`, PLUGINS_DIR: `${shop.path}/plugins`, TEST_DATABASE_URL }
  return plinth(['test', ...words], env)
}

scenarios('those that hold are named, with the clauses by which nobody was answered', async () => {
  const { code, said, complained } = await test()
  assert.equal([code, complained], [0, ''])
  assert.match(said, /orders\.test\.yaml\n {2}✔ an order is seen by whoever made it\n/)
  const [, untried = ''] = said.split('No scenario exercises:\n')
  // The clerk changed an order, and looked at none.
  assert.match(untried, /^ {2}\S*orders\.yaml:8:7 {2}view: \{ permission: orders\.pack \}$/, untried)

  shop.write(
    'resources/more.test.yaml',
    'scenarios: { the clerk looks: [{ as: clerk, request: GET /orders, status: 200, answer: { data: [] } }] }\n',
  )
  const more = await test()
  assert.equal([more.code, more.complained], [0, ''])
  assert.match(more.said, '✔ the clerk looks')
  assert.not.match(more.said, 'No scenario exercises')
  assert.not.match((await test('orders.test')).said, 'the clerk looks')
})

scenarios('one that does not hold is shown at its line, with what was answered', async () => {
  shop.write(
    'resources/orders.test.yaml',
    `scenarios:
  a wrong status:
    - { as: clerk, request: POST /orders, body: {}, status: 201 }
    - { request: GET /orders, status: 500 }
  a wrong value:
    - as: clerk
      request: POST /orders
      body: { what: Tea }
      status: 201
      answer:
        data:
          what: Coffee
          items: [cup]
          price: 3
  nothing that could be kept:
    - { as: clerk, request: GET /orders, status: 200, keep: { one: data.first.id } }
  nothing that was kept:
    - { as: clerk, request: "GET /orders/{other}", status: 200 }
  a role that there is not:
    - { as: clark, request: GET /orders, status: 200 }
  one that holds:
    - { request: GET /orders, status: 401 }
`,
  )
  const { code, said, complained } = await test()
  assert.is(code, 1)
  assert.equal([...said.matchAll(/^ {2}([✔✘])/gm)].map(([, mark]) => mark).join(''), '✘✘✘✘✘✔')
  const expected = [
    /orders\.test\.yaml:3:61 error scenario_failed: The status is 422, not 201\n[\s\S]*hint: the answer is .*what field is required/,
    /orders\.test\.yaml:12:17 error scenario_failed: data\.what is "Tea", not "Coffee"/,
    /orders\.test\.yaml:13:18 error scenario_failed: data\.items is null, not \["cup"\]/,
    /orders\.test\.yaml:14:18 error scenario_failed: data\.price is not there, not 3/,
    /orders\.test\.yaml:16:68 error scenario_failed: The answer has no data\.first\.id/,
    /orders\.test\.yaml:18:7 error scenario_failed: No step before keeps \{other\}/,
    /orders\.test\.yaml:20:7 error scenario_failed: There is no role "clark", did you mean "clerk"\?/,
  ]
  for (const line of expected) assert.match(complained, line, complained)
  assert.match(complained, '7 errors in 1 file')
  assert.not.match(complained, 'not 500')
})

scenarios('a file that is written wrong is refused with its mistakes', async () => {
  shop.write(
    'resources/orders.test.yaml',
    'scenarios:\n  one:\n    - { as: clerk, request: FETCH orders, statsu: 200 }\n',
  )
  const { code, complained } = await test()
  assert.is(code, 1)
  assert.match(complained, /orders\.test\.yaml:3:29 error wrong_value/)
  assert.match(complained, /error unknown_key: Unknown key "statsu"[\s\S]*did you mean "status"\?/)
})

scenarios('what is left out of the policies is noticed, or named with its line', async () => {
  const { code, said, complained } = await test('--mutate')
  assert.is(code, 1)
  assert.match(said, /Leaving out \d+ parts of the files/)
  assert.match(said, /✘ \S*orders\.yaml:8:7 {2}view: \{ permission: orders\.pack \}\n/)
  assert.match(said, /✔ \S*orders\.yaml:10:12 .* — an order is seen by whoever made it/)
  assert.match(complained, /orders\.yaml:8:7 error unnoticed_removal: Every scenario still holds without view: /)
  assert.match(complained, '1 error in 1 file')

  shop.write(
    'resources/more.test.yaml',
    `scenarios:
  the clerk looks:
    - { as: customer, request: POST /orders, body: { what: Tea }, status: 201 }
    - { as: clerk, request: GET /orders, status: 200, answer: { data: [{ what: Tea }] } }
`,
  )
  const more = await test('--mutate')
  assert.equal([more.code, more.complained], [0, ''])
  assert.match(more.said, /✔ \S*orders\.yaml:8:7 .* — the clerk looks/)
})

scenarios('guards, rules and moves are exercised by whom they keep from something', async () => {
  shop.write(
    'resources/loans.yaml',
    `resource: loans
fields:
  days:  { type: integer, required: true }
  fee:   { type: integer, read: { permission: orders.pack }, write: { permission: orders.pack } }
  state: { type: enum, values: [open, closed], default: open }
rules:
  short: { must: { days: { lte: 28 } }, says: No loan is that long }
moves: { state: { allow: [{ from: open, to: closed }] } }
policies:
  view:   [{ who: signed_in }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in }]
actions: [list, get, create, update]
`,
  )
  shop.write('resources/loans.test.yaml', `${LOANS}  one that there is not: [{ create: loan, status: 201 }]\n`)
  const { code, said, complained } = await test('loans.test')
  assert.is(code, 1)
  assert.equal([...said.matchAll(/^ {2}([✔✘])/gm)].map(([, mark]) => mark).join(''), '✔✔✘')
  assert.match(complained, 'There is no resource "loan", did you mean "loans"?')
  shop.write('resources/loans.test.yaml', LOANS)
  const seen = await test('loans')
  assert.equal([seen.code, seen.complained, /moves? of state/.exec(seen.said)], [0, '', null], seen.said)
  const held = await test('--mutate', 'loans')
  assert.match(held.said, /✔ \S*loans\.yaml:4:3 {2}read of fee: orders\.pack — the fee is for clerks/)
  assert.match(held.said, /✔ \S*loans\.yaml:4:3 {2}write of fee: orders\.pack — the fee is for clerks/)
  assert.match(held.said, /✔ \S*loans\.yaml:7:3 {2}rule short — the application is held to rules too/)
  assert.match(held.said, /✔ \S*loans\.yaml:8:10 {2}moves of state — the application/)
  assert.equal([held.code, held.complained], [0, ''])
})

scenarios('a step asks, or lets the application write, and not both', async () => {
  shop.write(
    'resources/orders.test.yaml',
    `scenarios:
  neither: [{ as: clerk, status: 200 }]
  both: [{ request: GET /orders, create: orders, status: 200 }]
  by somebody: [{ as: clerk, create: orders, status: 201 }]
`,
  )
  const { code, complained } = await test('orders.test')
  assert.is(code, 1)
  assert.match(
    complained,
    /orders\.test\.yaml:2:13 error missing_key: A step has one of "request", "create", "update", "wait", "mails"/,
  )
  assert.match(complained, /orders\.test\.yaml:3:10 error wrong_value: A step has one of/)
  assert.match(complained, /orders\.test\.yaml:4:17 error wrong_value: A step with "create" has no "as"/)
})

scenarios('are no part of what is served', async () => {
  const { code, complained } = await plinth(['check'], { RESOURCES_DIR: `${shop.path}/resources` })
  assert.equal([code, complained], [0, ''])
})

scenarios(
  'test files are those of the plugins, beside the YAML and below test; others have runners of their own',
  async () => {
    // The processes of the tests load what this one was started with, such as tsx.
    symlinkSync(resolve('node_modules'), join(shop.path, 'node_modules'))
    const tests = (name: string) => `import { test } from 'node:test'\ntest('${name}', () => {})\n`
    shop.write('package.json', '{ "type": "module" }')
    shop.write('plugins/stock/stock.test.ts', tests('of a plugin'))
    shop.write('resources/orders.test.ts', tests('of the YAML'))
    shop.write('test/whole.test.ts', tests('of the whole'))
    shop.write('web/page.test.ts', "throw new Error('another runner runs this')\n")
    const { code, said, complained } = await test('.test.ts')
    assert.equal([code, complained], [0, ''], said)
    assert.equal(
      [...said.matchAll(/^✔ (of [a-zA-Z ]+?) \(/gm)].map(([, name]) => name),
      ['of a plugin', 'of the YAML', 'of the whole'],
    )
    assert.equal((await test('web')).code, 1)
  },
)

scenarios('without any test there is nothing to run, and it is said', async () => {
  const none = await test('nowhere')
  assert.equal([none.code, none.said], [1, ''])
  assert.match(none.complained, 'There is no *.test.ts and no *.test.yaml with nowhere in its path')
})

scenarios.run()
