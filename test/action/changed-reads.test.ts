/** Twenty writers at once, each of which reads what it then changes in another record: each sees what the one before it left. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import type { Answer } from '../support/answer.ts'
import { application, type TestApplication } from '../support/application.ts'

const test = suite('what a write reads and changes')
let app: TestApplication

const POLICIES = `policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in }]
  delete: [{ who: signed_in }]
  restore: [{ who: signed_in }]`
const FILES = {
  'app.yaml': 'name: Counters\nprefix: /c\nplugins: { timestamps: {}, soft_delete: {}, who: {} }\n',
  'counters.yaml': `
resource: counters
label: Counter
fields:
  last: { type: integer, default: 0 }
  rest: { type: integer, default: 7 }
  total: { type: integer, default: 0 }
  seen: { type: integer, default: 0 }
  state: { type: enum, values: [open, full], default: open }
relations: { office: { belongs_to: offices } }
follows:
  - { on: [update], changed: last, of: office, set: { sum: { plus: [$record.office.sum, 1] } } }
${POLICIES.replace(/\n {2}restore.*/, '')}
`,
  'offices.yaml': `
resource: offices
label: Office
fields: { sum: { type: integer, default: 0 } }
${POLICIES.replace(/\n {2}restore.*/, '')}
`,
  // The number comes from the counter, and the counter gets it.
  'bills.yaml': `
resource: bills
label: Bill
soft_delete: true
restore: true
fields:
  n: { type: integer, read_only: true }
  is_sent: { type: boolean, default: false }
  of_office: { type: integer, read_only: true }
  amount: { type: integer, default: 1 }
relations: { counter: { belongs_to: counters } }
follows:
  - { on: [create], set: { n: { plus: [$record.counter.last, 1] }, of_office: { plus: [$record.counter.office.sum, 1] } } }
  - { on: [update], changed: is_sent, set: { n: { plus: [$record.counter.last, 1] } } }
  - { of: counter, on: [create, import], set: { last: $record.n } }
  - { of: counter, on: [update], changed: is_sent, set: { last: $record.n } }
  - { of: counter, on: [create, import], set: { total: { plus: [$record.counter.total, $record.amount] } } }
${POLICIES}
`,
  // A rule, a policy and a relation ask for what is left, and each record takes one of it.
  'seats.yaml': `
resource: seats
label: Seat
soft_delete: true
restore: true
fields: { by: { type: enum, values: [rule, policy], default: rule } }
relations: { counter: { belongs_to: counters, required: true } }
rules:
  some_left:
    on: [create, restore]
    when: { by: rule }
    must: { counter.rest: { gt: 0 } }
    holds: when_written
    says: None is left
follows:
  - { of: counter, on: [create, restore], set: { rest: { minus: [$record.counter.rest, 1] } } }
  - { of: counter, on: [delete], set: { rest: { plus: [$record.counter.rest, 1] } } }
policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in, where: { any: [{ by: rule }, { counter.rest: { gt: 0 } }] } }]
  update: [{ who: signed_in }]
  delete: [{ who: signed_in }]
  restore: [{ who: signed_in }]
`,
  'places.yaml': `
resource: places
label: Place
relations: { counter: { belongs_to: counters, required: true, where: { rest: { gt: 0 } } } }
follows:
  - { of: counter, on: [create], set: { rest: { minus: [$record.counter.rest, 1] } } }
${POLICIES.replace(/\n {2}restore.*/, '')}
`,
  // One entry reads from a record that another one changes.
  'notes.yaml': `
resource: notes
label: Note
relations:
  counter: { belongs_to: counters, required: true }
  office: { belongs_to: offices, required: true }
follows:
  - { of: counter, on: [create], set: { seen: $record.office.sum } }
  - { of: office, on: [create], set: { sum: { plus: [$record.office.sum, 1] } } }
${POLICIES.replace(/\n {2}restore.*/, '')}
`,
}

const call = (method: string, path: string, body?: JsonObject): Promise<Answer> =>
  app.call(method, `/c${path}`, { body, token: '7:worker:' })
const done = async (method: string, path: string, body?: JsonObject): Promise<JsonObject> => {
  const answer = await call(method, path, body)
  assert.ok(answer.status < 300, answer.text)
  return (answer.body?.data ?? {}) as JsonObject
}
const make = async (path: string, body: JsonObject): Promise<number> => Number((await done('POST', path, body)).id)
const many = <T>(count: number, one: (i: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => one(i)))
const counter = async (): Promise<number> => make('/counters', { office_id: await make('/offices', {}) })
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 1)
const sorted = (values: readonly unknown[]): readonly unknown[] => values.map(Number).sort((a, b) => a - b)

test.before(async () => {
  app = await application({ resources: FILES, plugins: 'test/support/plugins' })
})
test.after(() => app.close())

test('thirty creations get thirty numbers, also over what follows from what they change, and the sum is right', async () => {
  const counter_id = await counter()
  const made = await many(30, (i) => done('POST', '/bills', { counter_id, amount: i + 1 }))
  assert.equal(sorted(made.map(({ n }) => n)), upTo(30))
  assert.equal(sorted(made.map(({ of_office }) => of_office)), upTo(30))
  const { last, total } = await done('GET', `/counters/${counter_id}`)
  assert.equal([last, total], [30, 465])
})

test('twenty updates get twenty numbers', async () => {
  const counter_id = await counter()
  const ids = await many(20, async () => make('/bills', { counter_id: await counter() }))
  for (const id of ids) await done('PATCH', `/bills/${id}`, { counter_id })
  const sent = await many(20, (i) => done('PATCH', `/bills/${ids[i]}`, { is_sent: true }))
  assert.equal(sorted(sent.map(({ n }) => n)), upTo(20))
})

test('twenty updates that come to a counter and count there get twenty numbers', async () => {
  const counter_id = await counter()
  const ids = await many(20, async () => make('/bills', { counter_id: await counter() }))
  const sent = await many(20, (i) => done('PATCH', `/bills/${ids[i]}`, { counter_id, is_sent: true }))
  assert.equal(sorted(sent.map(({ n }) => n)), upTo(20))
})

test('batches of several get numbers of their own', async () => {
  const counter_id = await counter()
  const answers = await many(5, () => done('POST', '/bills/batch', { create: upTo(4).map(() => ({ counter_id })) }))
  const all = (await call('GET', `/bills?counter_id=${counter_id}&per_page=100`)).body.data as JsonObject[]
  assert.is(answers.length, 5)
  assert.equal(sorted(all.map(({ n }) => n)), upTo(20))
})

for (const [how, body] of [
  ['a rule', { by: 'rule' }],
  ['a policy', { by: 'policy' }],
] as const)
  test(`of twenty that ask by ${how} for what is left, as many get it as there is`, async () => {
    const counter_id = await counter()
    const answers = await many(20, () => call('POST', '/seats', { counter_id, ...body }))
    assert.is(answers.filter(({ status }) => status === 201).length, 7)
    assert.is((await done('GET', `/counters/${counter_id}`)).rest, 0)
  })

test('of twenty that may choose only a counter with something left, as many get it as there is', async () => {
  const counter_id = await counter()
  const answers = await many(20, () => call('POST', '/places', { counter_id }))
  assert.is(answers.filter(({ status }) => status === 201).length, 7)
  assert.is((await done('GET', `/counters/${counter_id}`)).rest, 0)
})

test('of twenty that are restored at once, as many come back as there is room', async () => {
  const counter_id = await make('/counters', { rest: 20, office_id: await make('/offices', {}) })
  const ids = await many(20, () => make('/seats', { counter_id }))
  await many(20, (i) => done('DELETE', `/seats/${ids[i]}`))
  await done('PATCH', `/counters/${counter_id}`, { rest: 5 })
  const answers = await many(20, (i) => call('POST', `/seats/${ids[i]}/restore`))
  assert.is(answers.filter(({ status }) => status < 300).length, 5)
  assert.is((await done('GET', `/counters/${counter_id}`)).rest, 0)
})

test('what an entry reads from a record that another entry changes is not what a writer beside it replaces', async () => {
  const office_id = await make('/offices', {})
  const counters = await many(20, counter)
  await many(20, (i) => make('/notes', { counter_id: counters[i]!, office_id }))
  const seen = await many(20, async (i) => (await done('GET', `/counters/${counters[i]}`)).seen)
  assert.equal(
    sorted(seen),
    upTo(20).map((n) => n - 1),
  )
})

test.run()
