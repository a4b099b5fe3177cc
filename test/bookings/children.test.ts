/** A body that creates a record creates those that belong to it, in one transaction. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { openRental, type Rental } from './rental.ts'

let shop: Rental
let branch = 0
let item = 0
let day = 0
const test = suite('records with their parent')

test.before(async () => {
  shop = await openRental()
  branch = await shop.make('/branches', { name: 'North' })
  item = await shop.make('/items', { name: 'Drill', daily: '1.00', branch_id: branch })
})
test.after(() => shop?.close())

const create = (body: JsonObject) => {
  day += 2
  const on = (offset: number) => new Date(Date.UTC(2040, 0, day + offset)).toISOString().slice(0, 10)
  return shop.request('POST', '/bookings', {
    ...{ item_id: item, branch_id: branch, customer: `Ann ${day}`, starts_on: on(0), ends_on: on(1) },
    ...body,
  })
}
const count = async (path: string): Promise<number> =>
  Number((await shop.request('GET', `${path}?per_page=1`)).at('meta.pagination.total'))

test('a booking comes with its lines, and the answer has them', async () => {
  const made = await create({
    lines: [
      { text: 'Helmet', unit: '4.00', quantity: 2 },
      { text: 'Lamp', unit: '2.50' },
    ],
  })
  assert.is(made.status, 201, made.text)
  const lines = made.at('data.lines') as { text: string; amount: string }[]
  assert.equal(
    lines.map(({ amount, text }) => [text, amount]),
    [
      ['Helmet', '8.00'],
      ['Lamp', '2.50'],
    ],
  )
  assert.is(made.at('data.extras'), '10.50')
})

test('what is wrong with a line stands at its place, and nothing is created', async () => {
  const before = [await count('/bookings'), await count('/lines')]
  const wrong = await create({
    lines: [
      { text: 'Lamp', unit: '1.00' },
      { unit: 'dear', colour: 'red' },
      { text: 'x', unit: '1.00', quantity: -1 },
    ],
  })
  assert.is(wrong.status, 422, wrong.text)
  assert.equal(Object.keys(wrong.at('errors') as object).sort(), [
    'lines.1.colour',
    'lines.1.text',
    'lines.1.unit',
    'lines.2.quantity',
  ])
  assert.equal([await count('/bookings'), await count('/lines')], before)
})

test('a rule that counts lines refuses one too many', async () => {
  const lines = Array.from({ length: 4 }, (_, at) => ({ text: `Line ${at}`, unit: '1.00' }))
  const refused = await create({ lines })
  assert.is(refused.status, 409, refused.text)
  assert.is(refused.at('message'), 'lines.3: A booking has at most three lines')
})

test('what is no list of bodies is refused, and none or an empty one is none', async () => {
  assert.equal((await create({ lines: 'x' })).at('errors'), { lines: ['The lines field must be a list'] })
  assert.equal((await create({ lines: ['x', null] })).at('errors'), {
    'lines.0': ['The lines.0 field must be an object'],
    'lines.1': ['The lines.1 field must be an object'],
  })
  for (const lines of [[], null]) assert.is((await create({ lines })).status, 201)
  const many = await create({ lines: Array.from({ length: 101 }, () => ({})) })
  assert.equal(many.at('errors'), { lines: ['The lines field must have at most 100 items'] })
})

test('a line cannot be moved below another booking, and a change of a booking changes no lines', async () => {
  const made = await create({ lines: [{ text: 'Lamp', unit: '1.00' }] })
  const moved = await create({ lines: [{ text: 'Lamp', unit: '1.00', booking_id: Number(made.at('data.id')) }] })
  assert.equal(Object.keys(moved.at('errors') as object), ['lines.0.booking_id'])
  const changed = await shop.request('PATCH', `/bookings/${made.at('data.id')}`, {
    lines: [{ text: 'Other', unit: '9.00' }],
  })
  assert.is(changed.status, 422, changed.text)
})

test('many bookings with their lines at once', async () => {
  const on = (offset: number) => new Date(Date.UTC(2050, 0, 1 + offset)).toISOString().slice(0, 10)
  const one = (at: number) => ({
    ...{ item_id: item, branch_id: branch, customer: `Bo ${at}`, starts_on: on(at * 3), ends_on: on(at * 3 + 1) },
    lines: [{ text: 'Lamp', unit: '1.00' }, ...(at === 1 ? [{ text: '' }] : [])],
  })
  const wrong = await shop.request('POST', '/bookings/batch', { create: [one(0), one(1)] })
  assert.equal(Object.keys(wrong.at('errors') as object).sort(), ['create.1.lines.1.text', 'create.1.lines.1.unit'])
  const done = await shop.request('POST', '/bookings/batch', { create: [one(0), one(2)] })
  assert.is(done.status, 200, done.text)
  const made = done.at('data.create') as { lines: object[] }[]
  assert.equal(
    made.map(({ lines }) => lines.length),
    [1, 1],
  )
})

test.run()
