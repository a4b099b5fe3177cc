/** Every rule of a booking, broken once by every way in which a booking can be written; and kept by the same ways. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { openRental, type Refused, type Rental, refused } from './rental.ts'

const ways = suite('every rule by every way')
let shop: Rental
let north = 0
let south = 0
const ids = new Map<string, number>()

ways.before(async () => {
  shop = await openRental()
  north = await shop.make('/branches', { name: 'North' })
  south = await shop.make('/branches', { name: 'South' })
  await item('Drill')
  await item('Taken')
  await item('Unrented', { is_rented: false })
  await item('Hidden', { is_hidden: true })
  await shop.make('/bookings', body({ Customer: 'First', Item: 'Taken', From: '2040-05-10', To: '2040-05-12' }))
  for (const name of ['One', 'Two', 'Three']) {
    await item(name)
    await shop.make('/bookings', body({ Customer: 'Busy', Item: name }))
  }
})
ways.after(() => shop?.close())

async function item(name: string, changes: JsonObject = {}): Promise<void> {
  ids.set(name, await shop.make('/items', { name, daily: '1.00', branch_id: north, ...changes }))
}

/** A booking as a file writes it. */
type Row = Readonly<Record<'Customer' | 'Item' | 'Branch' | 'From' | 'To' | 'Status' | 'Asked', string>>

let day = 0

function row(changes: Partial<Row>): Row {
  day += 1
  const on = `${2041 + Math.floor(day / 300)}-${String(1 + (Math.floor(day / 25) % 12)).padStart(2, '0')}-${String(1 + (day % 25)).padStart(2, '0')}`
  return {
    Customer: `Customer ${day}`,
    Item: 'Drill',
    Branch: 'North',
    From: on,
    To: on,
    Status: 'requested',
    Asked: '2039-01-01',
    ...changes,
  }
}

/** The same booking as a body. */
function body(changes: Partial<Row>): JsonObject {
  const { Customer, Item, Branch, From, To, Status, Asked } = row(changes)
  return {
    customer: Customer,
    item_id: ids.get(Item) ?? 0,
    branch_id: Branch === 'North' ? north : south,
    starts_on: From,
    ends_on: To,
    status: Status,
    asked_on: Asked,
  }
}

interface Case {
  readonly rule: string
  /** What is wrong with a booking that breaks the rule. */
  readonly wrong: Partial<Row>
  /** What it was before an update makes it wrong, where that is not any booking. */
  readonly before?: Partial<Row>
  readonly status: 409 | 422
  readonly at?: string
  readonly says: string
  readonly only?: 'create' | 'update'
}

const CASES: readonly Case[] = [
  {
    rule: 'must at a field',
    wrong: { From: '2040-02-01', To: '2040-02-01', Asked: '2040-02-02' },
    status: 422,
    at: 'asked_on',
    says: 'It must be asked for before it starts',
  },
  {
    rule: 'must over another record',
    wrong: { Branch: 'South' },
    status: 422,
    at: 'item_id',
    says: 'The item belongs to another branch',
  },
  {
    rule: 'must on create',
    wrong: { Item: 'Unrented' },
    status: 409,
    says: 'The item is not for rent',
    only: 'create',
  },
  { rule: 'must that always holds', wrong: { Item: 'Hidden' }, status: 409, says: 'A hidden item has no bookings' },
  {
    rule: 'no_overlap',
    wrong: { Item: 'Taken', From: '2040-05-12', To: '2040-05-14', Asked: '2040-01-01' },
    status: 422,
    at: 'starts_on',
    says: 'The item is booked on one of these days',
  },
  {
    rule: 'the order of two days',
    wrong: { From: '2040-06-02', To: '2040-06-01', Asked: '2040-01-01' },
    status: 422,
    at: 'ends_on',
    says: 'The booking must not end before it starts',
  },
  {
    rule: 'at_most',
    wrong: { Customer: 'Busy' },
    status: 409,
    says: 'There are three requests of this customer already',
  },
  {
    rule: 'moves',
    wrong: { Status: 'returned' },
    status: 409,
    says: 'The booking cannot go from "requested" to "returned"; possible: confirmed, cancelled',
    only: 'update',
  },
]

function changed(before: JsonObject, after: Partial<Row>): JsonObject {
  const wrong = body(after)
  const names: Readonly<Record<keyof Row, string>> = {
    Customer: 'customer',
    Item: 'item_id',
    Branch: 'branch_id',
    From: 'starts_on',
    To: 'ends_on',
    Status: 'status',
    Asked: 'asked_on',
  }
  const keys = Object.keys(after).map((name) => names[name as keyof Row])
  return Object.fromEntries(keys.filter((key) => before[key] !== wrong[key]).map((key) => [key, wrong[key]!]))
}

for (const { rule, wrong, before, status, at, says, only } of CASES) {
  const expected: Refused = { status, says: at === undefined ? says : { [at]: [says] } }

  if (only !== 'update') {
    ways(`${rule}: a creation that breaks it`, async () => {
      const made = () => body(wrong)
      assert.equal(refused(await shop.request('POST', '/bookings', made())), expected, 'create')
      const below = made()
      assert.equal(refused(await shop.request('POST', `/items/${below.item_id}/bookings`, below)), expected, 'nested')
      assert.equal(await shop.byCode((bookings) => bookings.create(made())), expected, 'plugin code')
      const each = await shop.byCode(async (bookings) => {
        const [one] = await bookings.createEach([{ input: made() }])
        if (one !== undefined && 'error' in one) throw one.error
      })
      assert.equal(each, expected, 'batch')
      const told = JSON.stringify(await shop.imported(row(wrong)))
      assert.ok(told?.includes(says), `import: ${told}`)
    })
  }

  if (only !== 'create') {
    ways(`${rule}: an update that breaks it`, async () => {
      const start = body(before ?? {})
      const id = await shop.make('/bookings', start)
      const change = changed(start, wrong)
      assert.equal(refused(await shop.request('PATCH', `/bookings/${id}`, change)), expected, 'PATCH')
      assert.equal(refused(await shop.request('PUT', `/bookings/${id}`, { ...start, ...change })), expected, 'PUT')
      assert.equal(await shop.byCode((bookings) => bookings.update(id, change)), expected, 'plugin code')
      assert.is((await shop.request('PATCH', `/bookings/${id}`, { customer: `Kept ${id}` })).status, 200)
    })
  }
}

ways('a booking that keeps every rule is written by every way', async () => {
  const made = () => body({})
  assert.is((await shop.request('POST', '/bookings', made())).status, 201)
  const below = made()
  assert.is((await shop.request('POST', `/items/${below.item_id}/bookings`, below)).status, 201)
  assert.is(await shop.byCode((bookings) => bookings.create(made())), undefined)
  assert.is(await shop.imported(row({})), undefined)
})

ways.run()
