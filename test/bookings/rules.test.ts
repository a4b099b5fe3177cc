/** What must hold of a booking, whichever way it is written: each rule is broken once by every way there is. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SYSTEM } from '../../engine/actor.ts'
import { explainRequest } from '../../engine/explain/request-report.ts'
import type { JsonObject } from '../../engine/json.ts'
import { executionOf } from '../../engine/run/execution.ts'
import { violationLine, violations } from '../../engine/run/rule-violations.ts'
import { application } from '../support/application.ts'
import { openRental, type Rental, refused } from './rental.ts'

const rental = suite('rules of a rental')
let shop: Rental
let north = 0
let south = 0
let drill = 0
let saw = 0

rental.before(async () => {
  shop = await openRental()
  north = await shop.make('/branches', { name: 'North' })
  south = await shop.make('/branches', { name: 'South' })
  drill = await shop.make('/items', { name: 'Drill', daily: '12.50', branch_id: north })
  saw = await shop.make('/items', { name: 'Saw', daily: '20.00', branch_id: south })
})
rental.after(() => shop?.close())

let day = 0

/** A booking of the drill for a day that nobody else has. */
function booking(changes: JsonObject = {}): JsonObject {
  day += 1
  const on = `20${30 + Math.floor(day / 300)}-${String(1 + (Math.floor(day / 25) % 12)).padStart(2, '0')}-${String(1 + (day % 25)).padStart(2, '0')}`
  return { customer: 'Ada', is_group: true, item_id: drill, branch_id: north, starts_on: on, ends_on: on, ...changes }
}

const BEFORE = { status: 422, says: { asked_on: ['It must be asked for before it starts'] } }
const WRONG = { starts_on: '2029-05-01', ends_on: '2029-05-01', asked_on: '2029-05-02' }

rental('a rule at a field is a 422 there, by create, nested route, import and plugin code', async () => {
  assert.equal(refused(await shop.request('POST', '/bookings', booking(WRONG))), BEFORE)
  assert.equal(
    refused(await shop.request('POST', `/items/${drill}/bookings`, { ...booking(WRONG), item_id: drill })),
    BEFORE,
  )
  assert.equal(await shop.byCode((bookings) => bookings.create(booking(WRONG))), BEFORE)
  const row = {
    Customer: 'Ada',
    Item: 'Drill',
    Branch: 'North',
    From: WRONG.starts_on,
    To: WRONG.ends_on,
    Asked: WRONG.asked_on,
  }
  assert.equal(await shop.imported(row), BEFORE.says)
  const each = await shop.byCode(async (bookings) => {
    const [first, second] = await bookings.createEach([{ input: booking(WRONG) }, { input: booking() }])
    assert.ok(second !== undefined && 'record' in second)
    if (first !== undefined && 'error' in first) throw first.error
  })
  assert.equal(each, BEFORE)
})

rental('a rule holds for an update too, whichever of its fields changes', async () => {
  const id = await shop.make(
    '/bookings',
    booking({ starts_on: '2031-03-01', ends_on: '2031-03-09', asked_on: '2031-02-20' }),
  )
  assert.equal(refused(await shop.request('PATCH', `/bookings/${id}`, { asked_on: '2031-03-02' })), BEFORE)
  assert.equal(refused(await shop.request('PATCH', `/bookings/${id}`, { starts_on: '2031-02-19' })), BEFORE)
  assert.equal(await shop.byCode((bookings) => bookings.update(id, { starts_on: '2031-02-19' })), BEFORE)
  const moved = await shop.request('PATCH', `/bookings/${id}`, { starts_on: '2031-02-19', asked_on: '2031-02-19' })
  assert.is(moved.status, 200)
})

rental('a rule over another record compares with this one, and says so at its field', async () => {
  const says = { status: 422, says: { item_id: ['The item belongs to another branch'] } }
  assert.equal(refused(await shop.request('POST', '/bookings', booking({ item_id: saw }))), says)
  assert.equal(await shop.byCode((bookings) => bookings.create(booking({ branch_id: south }))), says)
  const id = await shop.make('/bookings', booking())
  assert.equal(refused(await shop.request('PATCH', `/bookings/${id}`, { branch_id: south })), says)
  assert.is((await shop.request('PATCH', `/bookings/${id}`, { branch_id: south, item_id: saw })).status, 200)
})

rental('a rule without a field is a 409 with its sentence, and only for the writes it names', async () => {
  const rusty = await shop.make('/items', { name: 'Rusty', daily: '1.00', branch_id: north })
  const id = await shop.make('/bookings', booking({ item_id: rusty }))
  assert.is((await shop.request('PATCH', `/items/${rusty}`, { is_rented: false })).status, 200)
  const says = { status: 409, says: 'The item is not for rent' }
  assert.equal(refused(await shop.request('POST', '/bookings', booking({ item_id: rusty }))), says)
  assert.is((await shop.request('PATCH', `/bookings/${id}`, { customer: 'Eve' })).status, 200)
  assert.is((await shop.request('DELETE', `/bookings/${id}`)).status, 204)
  assert.equal(refused(await shop.request('POST', `/bookings/${id}/restore`)), says)
  assert.equal(await shop.byCode((bookings) => bookings.restore(id)), says)
})

rental('a rule may compare with what is stored, and judge only where a field changes', async () => {
  const says = { status: 409, says: 'The item is with the customer already' }
  const id = await shop.make('/bookings', booking({ status: 'out' }))
  const other = await shop.make('/items', { name: 'Other drill', daily: '1.00', branch_id: north })
  assert.equal(refused(await shop.request('PATCH', `/bookings/${id}`, { item_id: other })), says)
  assert.is((await shop.request('PATCH', `/bookings/${id}`, { item_id: drill, customer: 'Bo' })).status, 200)
})

rental('a rule may forbid a delete', async () => {
  const says = { status: 409, says: 'The item must come back first' }
  const id = await shop.make('/bookings', booking({ status: 'out' }))
  assert.equal(refused(await shop.request('DELETE', `/bookings/${id}`)), says)
  assert.equal(await shop.byCode((bookings) => bookings.delete(id)), says)
  assert.is((await shop.request('PATCH', `/bookings/${id}`, { status: 'returned' })).status, 200)
  assert.is((await shop.request('DELETE', `/bookings/${id}`)).status, 204)
})

rental('an older record that breaks a rule can be changed where the rule does not look', async () => {
  const id = await shop.make('/bookings', booking({ starts_on: '2032-03-01', ends_on: '2032-03-03' }))
  const { database } = shop.engine.app.foundation
  await database.adhoc.run({ text: 'update bookings set asked_on = $1 where id = $2' }, ['2035-01-01', id])
  assert.is((await shop.request('PATCH', `/bookings/${id}`, { customer: 'Old' })).status, 200)
  assert.equal(refused(await shop.request('PATCH', `/bookings/${id}`, { starts_on: '2032-03-02' })), BEFORE)
})

rental('a choice and a policy compare with the record that they judge', async () => {
  const app = await application({
    plugins: 'test/support/plugins',
    resources: {
      'app.yaml': 'name: Shop\nplugins: { who: {} }\n',
      'kinds.yaml': `resource: kinds
fields: { name: { type: string } }
relations: { parent: { belongs_to: kinds } }
policies: { view: [{ who: anyone }], create: [{ who: anyone }] }
actions: [list, get, create]
`,
      'goods.yaml': `resource: goods
fields: { price: { type: integer }, limit: { type: integer } }
relations:
  kind: { belongs_to: kinds }
  sort: { belongs_to: kinds, where: { parent: $record.kind } }
policies:
  view: [{ who: signed_in, where: { price: { lte: $record.limit } } }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in, where: { price: { lte: $record.limit } } }]
actions: [list, get, create, update]
`,
    },
  })
  try {
    const token = '1:clerk:'
    const ask = async (method: string, path: string, body?: JsonObject) =>
      refused(await app.call(method, path, { body, token }))
    await ask('POST', '/kinds', { name: 'Tool' })
    await ask('POST', '/kinds', { name: 'Drill', parent_id: 1 })
    await ask('POST', '/kinds', { name: 'Food' })
    assert.is((await ask('POST', '/goods', { price: 5, limit: 9, kind_id: 1, sort_id: 2 })).status, 201)
    assert.equal(await ask('POST', '/goods', { price: 5, limit: 9, kind_id: 3, sort_id: 2 }), {
      status: 422,
      says: { sort_id: ['The selected sort is invalid'] },
    })
    assert.is((await ask('POST', '/goods', { price: 5, limit: 4 })).status, 201)
    assert.is((await ask('GET', '/goods/1')).status, 200)
    assert.is((await ask('GET', '/goods/2')).status, 403)
    assert.is(((await app.call('GET', '/goods', { token })).body.data as readonly unknown[]).length, 1)
    assert.is((await ask('PATCH', '/goods/1', { price: 9 })).status, 200)
    assert.is((await ask('PATCH', '/goods/1', { price: 10 })).status, 403)
  } finally {
    await app.close()
  }
})

rental('explain names the rules of a write, with their places, and those that the stored record breaks', async () => {
  const { foundation, catalog } = shop.engine.app
  const id = await shop.make('/bookings', booking({ starts_on: '2033-03-01', ends_on: '2033-03-03' }))
  await foundation.database.adhoc.run({ text: 'update bookings set asked_on = $1 where id = $2' }, ['2035-01-01', id])
  const call = { actor: SYSTEM, requestId: 'test', afterCommit: () => undefined }
  const resource = catalog.resources.get('bookings')!
  const { rules } = await explainRequest(executionOf(foundation, call), {
    resource,
    action: 'update',
    named: String(id),
    query: new URLSearchParams(),
  })
  const verdicts = new Map(rules.map(({ name, holds }) => [name, holds]))
  assert.is(verdicts.get('asked_for_in_time'), false)
  assert.is(verdicts.get('item_of_the_branch'), true)
  assert.is(verdicts.get('stays_with_its_item'), undefined)
  assert.is(verdicts.has('is_not_out'), false)
  assert.ok(verdicts.has('one_customer_at_a_time'))
  assert.match(rules[0]?.place ?? '', /bookings\.yaml:\d+:3$/)
  assert.equal(
    (await violations(catalog, foundation.database.adhoc, new Date()))
      .map(violationLine)
      .filter((line) => line.includes(` ${id}`)).length,
    1,
  )
})

rental('the document says what a write is held to', () => {
  const { paths } = shop.engine.app.document()
  const described = String(paths['/rental/bookings']?.post?.description)
  assert.match(described, '- 422 at `asked_on`: It must be asked for before it starts')
  assert.match(described, '- 409: The item is not for rent')
  assert.match(described, '- 422 at `starts_on`: The item is booked on one of these days')
  assert.match(described, '- 409: There are three requests of this customer already')
  assert.match(String(paths['/rental/lines']?.post?.description), '- 409: A booking has at most three lines')
  assert.match(String(paths['/rental/bookings/{id}']?.delete?.description), '- 409: The item must come back first')
})

rental('the examples of the reference do what they say', async () => {
  const block =
    /```yaml\n(resource: bookings[\s\S]*?)```/.exec(readFileSync('resources/guide/rules-and-moves.md', 'utf8'))?.[1] ??
    ''
  const may =
    'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }\n'
  const app = await application({
    resources: {
      'app.yaml': 'name: Reference\n',
      'items.yaml': `resource: items\nfields: { is_rented: { type: boolean } }\n${may}`,
      'bookings.yaml': block.replace(/policies: .*\n/, may),
    },
  })
  try {
    const ask = async (method: string, path: string, body?: JsonObject) =>
      refused(await app.call(method, path, { body }))
    for (const is_rented of [true, true, false]) await app.call('POST', '/items', { body: { is_rented } })
    const good = { customer: 'Ada', item_id: 1, starts_on: '2030-01-01', ends_on: '2030-01-02', status: 'out' }
    assert.equal(await ask('POST', '/bookings', { ...good, ends_on: '2029-12-31' }), {
      status: 422,
      says: { ends_on: ['The last day comes before the first'] },
    })
    assert.equal(await ask('POST', '/bookings', { ...good, item_id: 3 }), {
      status: 422,
      says: { item_id: ['The item is not for rent'] },
    })
    assert.is((await ask('POST', '/bookings', good)).status, 201)
    assert.equal(await ask('PATCH', '/bookings/1', { item_id: 2 }), {
      status: 409,
      says: 'The item is with the customer already',
    })
    assert.equal(await ask('DELETE', '/bookings/1'), { status: 409, says: 'The item must come back first' })
  } finally {
    await app.close()
  }
})

rental.run()
