/** Fields that the database computes from others of the record: judged, kept, filtered and refused like what people write. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SYSTEM } from '../../engine/actor.ts'
import type { Json, JsonObject } from '../../engine/json.ts'
import { executionOf } from '../../engine/run/execution.ts'
import { updateRecord } from '../../engine/write/update.ts'
import { type Answer, application, type TestApplication } from '../support/application.ts'
import { flat } from '../support/document.ts'

const APP = 'name: Shop\nplugins: { timestamps: {}, soft_delete: {}, who: {} }\n'

const ANY = 'view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }]'

const LINES = `
resource: lines
soft_delete: true
restore: true
log_changes: true
delete_sets: { quantity: 0 }
restore_sets: { quantity: 1 }
fields:
  name:     { type: string, required: true, max: 20 }
  quantity: { type: integer, default: 1 }
  price:    { type: decimal, precision: 8, scale: 2, required: true }
  rebate:   { type: decimal, precision: 8, scale: 2, stored: { first: [{ times: [amount, percent, 0.01] }, 0] } }
  percent:  { type: integer }
  amount:   { type: decimal, precision: 8, scale: 2, max: "9999.99", stored: { times: [quantity, price] } }
  total:    { type: decimal, precision: 8, scale: 2, stored: { minus: [amount, rebate] } }
  people:   { type: integer }
  each:     { type: decimal, precision: 8, scale: 4, stored: { divided_by: [{ minus: [amount, rebate] }, people] } }
  whole:    { type: integer, stored: { divided_by: [amount, 3] } }
  title:    { type: string, max: 30, unique: true, stored: { text: "{{ quantity }} x {{ name }}'s" } }
  from_on:  { type: date }
  to_on:    { type: date }
  nights:   { type: integer, stored: { days_between: [from_on, to_on] } }
  due_on:   { type: date, stored: { plus: [from_on, 1 month] } }
  opens_at: { type: timestamp }
  minutes:  { type: integer, min: 0 }
  shuts_at: { type: timestamp, stored: { plus: [opens_at, { minutes: minutes }] } }
  hours:    { type: decimal, stored: { hours_between: [opens_at, shuts_at] } }
  level:    { type: string, read_only: true }
  half:     { type: integer, read_only: true }
  kind:     { type: string }
  is_dear:  { type: boolean, read_only: true }
relations:
  order: { belongs_to: orders }
nested: { order: { path: lines, actions: [list, create] } }
search: [title]
filters: [amount, nights]
sort: { keys: [amount, title] }
rules:
  not_too_much: { must: { not: { total: { gt: 500 } } }, says: A line costs at most 500, at: quantity }
  three_of_a_price: { at_most: 3, per: amount, where: { name: Bolt }, says: There are three of this price }
  one_at_a_time: { no_overlap: [from_on, due_on], where: { name: Room }, says: It is taken then, at: from_on }
  dear_stays: { on: [delete], must: { amount: { lt: 400 } }, says: What is dear stays }
follows:
  - { changed: amount, when: { amount: { gte: 100 } }, set: { is_dear: true, level: dear } }
  - { changed: amount, when: { amount: { lt: 100 } }, set: { is_dear: false, level: cheap } }
  - { when: { name: Gift }, set: { quantity: 3 } }
  - { when: { amount: 99 }, set: { level: lucky } }
  - { set: { half: { divided_by: [$record.quantity, 2] } } }
policies:
  view: [{ who: anyone }]
  create: [{ role: clerk, where: { amount: { lte: 50 } } }, { role: chief }]
  update: [{ who: anyone }]
  delete: [{ who: anyone }]
  restore: [{ who: anyone }]
`

const ORDERS = `
resource: orders
fields:
  note:  { type: string }
  total: { type: decimal, computed: { sum: lines.amount } }
relations: { lines: { has_many: lines, show: single, embed: [id, amount] } }
rules:
  under_a_thousand: { must: { lines: { none: { amount: { gt: 450 } } } }, holds: always, says: No line above 450 }
policies: { ${ANY} }
`

interface Described {
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
  readonly paths: Readonly<
    Record<
      string,
      { readonly post: { readonly requestBody: { readonly content: Readonly<Record<string, { schema: unknown }>> } } }
    >
  >
}

/** A part of the lines, which shows what it is computed from nowhere. */
const GIFTS = `
resource: gifts
of: lines
where: { kind: gift }
fields:
  name:  { type: string, required: true }
  price: { type: decimal, required: true }
  total: { type: decimal }
rules: { small: { must: { total: { lt: 40 } }, says: A gift is small } }
policies: { ${ANY} }
`

const CHIEF = '1:chief:'
const stored = suite('stored fields')
let app: TestApplication

stored.before(async () => {
  app = await application({
    resources: { 'app.yaml': APP, 'lines.yaml': LINES, 'orders.yaml': ORDERS, 'gifts.yaml': GIFTS },
    plugins: 'test/support/plugins',
  })
})
stored.after(() => app?.close())

let made = 0
async function send(body: JsonObject, path = '/lines', token = CHIEF): Promise<Answer> {
  made += 1
  return app.call('POST', path, { token, body: { name: `No ${made}`, price: '2.50', ...body } })
}
async function make(body: JsonObject, path = '/lines'): Promise<JsonObject> {
  const answer = await send(body, path)
  assert.is(answer.status, 201, answer.text)
  return answer.body.data as JsonObject
}
const patch = (id: Json | undefined, body: JsonObject) =>
  app.call('PATCH', `/lines/${String(id)}`, { token: CHIEF, body })
const SENT = 'The amount field cannot be written and is not what is stored: leave it out'
const errors = ({ body, status }: Answer) => [status, body.errors ?? body.message]

stored('a new record has what is computed of it, in the answer, alone and in lists', async () => {
  const line = await make({ quantity: 3, percent: 10, people: 2, from_on: '2030-01-31', to_on: '2030-02-02' })
  const { amount, due_on, each, nights, rebate, title, total, whole } = line
  assert.equal([amount, rebate, total, each, whole], ['7.50', '0.75', '6.75', '3.3750', 3])
  assert.equal([nights, due_on, title], [2, '2030-02-28', `3 x No ${made}'s`])
  const alone = (await app.call('GET', `/lines/${String(line.id)}`)).body.data as JsonObject
  assert.is(alone.total, '6.75')
  const list = (await app.call('GET', `/lines?amount=7.5&sort=-amount`)).body.data as JsonObject[]
  assert.equal(
    list.map(({ id }) => id),
    [line.id],
  )
  assert.is(((await app.call('GET', '/lines?amount[gt]=7.49&nights[gte]=2')).body.data as Json[]).length, 1)
  assert.is(((await app.call('GET', `/lines?search=3 x No ${made}`)).body.data as Json[]).length, 1)
})

stored('what is absent or divided by nothing is absent, and moments are counted', async () => {
  const none = await make({ quantity: null, people: 0 })
  assert.equal([none.amount, none.rebate, none.total, none.each, none.whole], [null, '0.00', null, null, null])
  assert.is(none.title, ` x No ${made}'s`)
  assert.is((await make({ people: 0 })).each, null)
  const { hours, shuts_at } = await make({ opens_at: '2030-03-31T00:30:00Z', minutes: 90 })
  assert.equal([hours, shuts_at], ['1.50', '2030-03-31T02:00:00.000000Z'])
})

stored('nobody writes it; it may be sent back as it was read', async () => {
  const refused = errors(await send({ amount: '1.00' }))
  assert.equal(refused, [422, { amount: ['The amount field cannot be written: leave it out'] }])
  const { id } = await make({ quantity: 2 })
  assert.equal(errors(await patch(id, { amount: '9.00' })), [422, { amount: [SENT] }])
  assert.is((await patch(id, { amount: '5.00', name: 'Same' })).status, 200)
})

stored('rules, policies and what follows see the new value', async () => {
  assert.equal(errors(await send({ quantity: 201 })), [422, { quantity: ['A line costs at most 500'] }])
  assert.is((await send({ quantity: 20 }, '/lines', '2:clerk:')).status, 201)
  assert.is((await send({ quantity: 21 }, '/lines', '2:clerk:')).status, 403)
  const { id, ...line } = await make({ quantity: 40 })
  assert.equal([line.is_dear, line.level], [true, 'dear'])
  const cheap = (await patch(id, { price: '1.00' })).body.data as JsonObject
  assert.equal([cheap.amount, cheap.is_dear, cheap.level], ['40.00', false, 'cheap'])
  assert.equal(errors(await patch(id, { price: '100.00' })), [422, { quantity: ['A line costs at most 500'] }])
  // A value that follows is counted at once, and what follows from that too.
  const gift = await make({ name: 'Gift', quantity: 1, price: '33.00' })
  assert.equal([gift.quantity, gift.amount, gift.level, gift.half], [3, '99.00', 'lucky', 2])
})

stored('what the column cannot hold is refused at the field that was sent', async () => {
  const says = (name: string) => [`The ${name} field must leave the amount between -999999.99 and 9999.99`]
  const both = await send({ quantity: 2_000_000_000, price: '999999.99' })
  const { quantity, price } = both.body.errors as Record<string, string[]>
  assert.equal([both.status, quantity?.[0], price?.[0]], [422, says('quantity')[0], says('price')[0]])
  const { id } = await make({ price: '0.01' })
  const { errors: wrong } = (await patch(id, { quantity: -2_000_000_000 })).body as { errors: JsonObject }
  assert.equal((wrong.quantity as string[])[0], says('quantity')[0])
  assert.equal((both.body.error_codes as JsonObject).quantity, ['out_of_range'])
  const long = await send({ minutes: 2_000_000_000, opens_at: '2030-01-01T00:00:00Z' })
  assert.equal(long.status, 422)
  assert.match(JSON.stringify(long.body.errors), /must leave the shuts at between the years 1900 and 2200/)
  const title = await send({ name: 'Twenty letters long.', quantity: 199, price: '0.01' })
  assert.is(title.status, 201)
  assert.is((await send({ name: 'Twenty letters long.', quantity: 199, price: '0.02' })).status, 422)
})

stored('rules about several records count by it and keep it apart', async () => {
  for (let count = 0; count < 3; count += 1) await make({ name: 'Bolt', quantity: 5 + count, price: '7.00' })
  const [one, two] = [
    { name: 'Bolt', quantity: 70 },
    { name: 'Bolt', price: '0.50' },
  ]
  for (const quantity of [70, 35, 14]) await make({ ...one, quantity, price: (70 / quantity).toFixed(2) })
  assert.equal(errors(await send({ ...two, quantity: 140 })), [409, 'There are three of this price'])
  const other = await make({ ...two, quantity: 142 })
  assert.equal(errors(await patch(other.id, { quantity: 140 })), [409, 'There are three of this price'])
  await make({ name: 'Room', from_on: '2031-01-01' })
  assert.equal(errors(await send({ name: 'Room', from_on: '2031-01-31', quantity: 2 })), [
    422,
    { from_on: ['It is taken then'] },
  ])
})

stored('a delete, a restore and other resources see it', async () => {
  const order = await app.call('POST', '/orders', { token: CHIEF, body: { note: 'first' } })
  const { id } = order.body.data as JsonObject
  const line = await make({ quantity: 2 }, `/orders/${String(id)}/lines`)
  await make({ quantity: 4 }, `/orders/${String(id)}/lines`)
  const total = async () => ((await app.call('GET', `/orders/${String(id)}`)).body.data as JsonObject).total
  assert.is(await total(), '15.00')
  assert.equal(errors(await patch(line.id, { quantity: 181 })), [409, 'No line above 450'])
  assert.is((await app.call('DELETE', `/lines/${String(line.id)}`, { token: CHIEF })).status, 204)
  assert.is(await total(), '10.00')
  const back = await app.call('POST', `/lines/${String(line.id)}/restore`, { token: CHIEF })
  assert.is((back.body.data as JsonObject).amount, '2.50')
  const dear = await make({ quantity: 160 })
  // Deleting it sets its quantity to 0, and the rule is asked of what would be stored then.
  assert.is((await app.call('DELETE', `/lines/${String(dear.id)}`, { token: CHIEF })).status, 204)
})

stored('a resource on the table of another has it, and its rules see it', async () => {
  const gift = await send({ price: '30.00' }, '/gifts')
  assert.is((gift.body.data as JsonObject).total, '30.00')
  const { id } = gift.body.data as JsonObject
  const path = `/gifts/${String(id)}`
  const dear = await app.call('PATCH', path, { token: CHIEF, body: { price: '45.00' } })
  assert.equal(errors(dear), [409, 'A gift is small'])
  assert.is((await app.call('PATCH', path, { token: CHIEF, body: { price: '35.00' } })).status, 200)
  assert.is((await patch(id, { quantity: 2 })).status, 409)
})

stored('code of a plugin that names it changes nothing', async () => {
  const { id } = await make({ quantity: 2 })
  const call = { actor: SYSTEM, requestId: 'test', afterCommit: () => undefined }
  const around = executionOf(app.engine.app.foundation, call)
  const lines = app.engine.app.catalog.resources.get('lines')!
  const lookup = { field: lines.key, value: Number(id) }
  const same: JsonObject = JSON.parse(await updateRecord(around, lines, lookup, {}, undefined, { amount: '9.00' }))
  assert.is(same.amount, '5.00')
  const fixed = { amount: '9.00', people: 5 }
  const other: JsonObject = JSON.parse(await updateRecord(around, lines, lookup, {}, undefined, fixed))
  assert.equal([other.amount, other.each], ['5.00', '1.0000'])
})

stored('the log of changes keeps it beside what was sent', async () => {
  const { id } = await make({ quantity: 2 })
  await patch(id, { quantity: 4 })
  const text = 'select changes from plinth_change where record_id = $1 and action = $2 order by id'
  const [row] = await app.engine.database.adhoc.run({ text }, [id, 'update'])
  const changes = JSON.parse(row?.[0] ?? '[]') as { field: string; from: Json; to: Json }[]
  const { from, to } = changes.find(({ field }) => field === 'amount') ?? {}
  assert.equal([from, to], ['5.00', '10.00'])
  assert.is(changes.find(({ field }) => field === 'title')?.to, `4 x No ${made}'s`)
  await patch(id, { people: 2 })
  const [, later] = await app.engine.database.adhoc.run({ text }, [id, 'update'])
  assert.equal(
    (JSON.parse(later?.[0] ?? '[]') as { field: string }[]).map(({ field }) => field),
    ['people', 'each'],
  )
})

stored('the reference shows it in answers only, and as absent only where it may be', async () => {
  const document: JsonObject = JSON.parse((await app.call('GET', '/openapi.json')).text)
  const { components, paths }: Described = JSON.parse(JSON.stringify(document))
  const line = flat(document, components.schemas.Line).properties
  assert.is(line.rebate?.type, 'string')
  assert.equal(line.total?.type, ['string', 'null'])
  const body = Object.values(paths['/lines']!.post.requestBody.content)[0]!
  const sent = flat(document, body.schema).properties
  assert.equal(
    ['name', 'quantity', 'amount', 'title', 'shuts_at'].filter((name) => name in sent),
    ['name', 'quantity'],
  )
})

stored.run()
