/** What follows from a write of a booking: copied, computed and stamped by the write's own statement. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { openRental, type Rental } from './rental.ts'

const follows = suite('what follows')
let shop: Rental
let branch = 0
let drill = 0
let saw = 0

follows.before(async () => {
  shop = await openRental()
  branch = await shop.make('/branches', { name: 'North' })
  drill = await shop.make('/items', { name: 'Drill', daily: '12.50', branch_id: branch })
  saw = await shop.make('/items', { name: 'Saw', daily: '20.00', branch_id: branch })
})
follows.after(() => shop?.close())

let day = 0
function booking(changes: JsonObject = {}): JsonObject {
  day += 1
  const on = `2030-03-${String(1 + day).padStart(2, '0')}`
  return { customer: 'Ada', is_group: true, item_id: drill, branch_id: branch, starts_on: on, ends_on: on, ...changes }
}
const read = async (id: number): Promise<JsonObject> =>
  (await shop.request('GET', `/bookings/${id}`)).body.data as JsonObject
const change = async (id: number, body: JsonObject): Promise<JsonObject> => {
  const answer = await shop.request('PATCH', `/bookings/${id}`, body)
  assert.is(answer.status, 200, answer.text)
  return answer.body.data as JsonObject
}

follows('a value of another record is copied, and stays when that changes', async () => {
  const id = await shop.make('/bookings', booking())
  assert.is((await read(id)).daily, '12.50')
  await shop.request('PATCH', `/items/${drill}`, { daily: '99.00' })
  assert.is((await change(id, { customer: 'Bo' })).daily, '12.50')
  assert.is((await change(id, { item_id: saw })).daily, '20.00')
  await shop.request('PATCH', `/items/${drill}`, { daily: '12.50' })
})

follows('an entry reads what an earlier one sets, at every write', async () => {
  const id = await shop.make('/bookings', booking({ quantity: 3 }))
  assert.is((await read(id)).price, '37.50')
  assert.is((await change(id, { quantity: 2 })).price, '25.00')
  assert.is((await change(id, { item_id: saw })).price, '40.00')
})

follows('a text is made of values of the record', async () => {
  const id = await shop.make('/bookings', booking())
  assert.is((await read(id)).title, 'Drill for Ada')
  assert.is((await change(id, { customer: 'Bo {{ item.name }}' })).title, 'Drill for Bo {{ item.name }}')
})

follows('a day lies before another', async () => {
  const id = await shop.make('/bookings', booking({ starts_on: '2031-03-01', ends_on: '2031-03-05' }))
  assert.is((await read(id)).remind_on, '2031-02-27')
})

follows('a moment is stamped once, cleared, and stamped again', async () => {
  const id = await shop.make('/bookings', booking())
  assert.is((await read(id)).confirmed_at, null)
  const confirmed = await change(id, { status: 'confirmed' })
  assert.type(confirmed.confirmed_at, 'string')
  assert.is((await change(id, { customer: 'Cy' })).confirmed_at, confirmed.confirmed_at)
  const cancelled = await change(id, { status: 'cancelled' })
  assert.is(cancelled.confirmed_at, null)
  const born = await shop.make('/bookings', booking({ status: 'confirmed' }))
  assert.type((await read(born)).confirmed_at, 'string')
})

follows('a span of time is added to a moment', async () => {
  const id = await shop.make('/bookings', booking({ status: 'out' }))
  const { first_out_at, due_at } = await read(id)
  assert.is(Date.parse(String(due_at)) - Date.parse(String(first_out_at)), 4 * 3_600_000)
})

follows('nobody sends what follows', async () => {
  const answer = await shop.request('POST', '/bookings', booking({ daily: '0.01' }))
  assert.equal(Object.keys(answer.body.errors ?? {}), ['daily'])
})

follows('it follows by an import and by plugin code too, but for what an entry leaves to the file', async () => {
  const row = {
    Customer: 'Ada',
    Item: 'Drill',
    Branch: 'North',
    From: '2032-01-01',
    To: '2032-01-02',
    Status: 'confirmed',
  }
  assert.is(await shop.imported(row), undefined)
  const list = await shop.request('GET', '/bookings?sort=-id&per_page=1')
  const [imported] = list.body.data as readonly JsonObject[]
  assert.is(imported?.title, 'Drill for Ada')
  assert.is(imported?.daily, '12.50')
  assert.is(imported?.confirmed_at, null)
  const id = await shop.make('/bookings', booking())
  await shop.byCode((bookings) => bookings.update(id, { item_id: saw }))
  assert.is((await read(id)).daily, '20.00')
})

follows.run()
