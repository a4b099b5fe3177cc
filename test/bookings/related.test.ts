/** Rules and policies about the records that a relation leads to, judged from both sides. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { openRental, type Rental, refused } from './rental.ts'

const related = suite('rules over related records')
let shop: Rental
let branch = 0

related.before(async () => {
  shop = await openRental()
  branch = await shop.make('/branches', { name: 'North' })
})
related.after(() => shop?.close())

const item = (): Promise<number> => shop.make('/items', { name: 'Item', daily: '1.00', branch_id: branch })
async function booked(item_id?: number): Promise<number> {
  const on = '2030-01-01'
  const of = item_id ?? (await item())
  return shop.make('/bookings', {
    customer: 'Ada',
    is_group: true,
    item_id: of,
    branch_id: branch,
    starts_on: on,
    ends_on: on,
  })
}
const line = (booking_id: number, changes: JsonObject = {}): JsonObject => ({
  booking_id,
  text: 'Extra',
  unit: '2.00',
  ...changes,
})

const MANY = { status: 409, says: 'A booking has at most three lines' }

related('how many there are is judged where they are written, by every way', async () => {
  const id = await booked()
  const lines = [
    await shop.make('/lines', line(id)),
    await shop.make('/lines', line(id)),
    await shop.make('/lines', line(id)),
  ]
  assert.equal(refused(await shop.request('POST', '/lines', line(id))), MANY)
  assert.equal(refused(await shop.request('POST', `/bookings/${id}/lines`, line(id))), MANY)
  assert.equal(await shop.byCode((all) => all.create(line(id)), 'lines'), MANY)
  assert.is((await shop.request('PATCH', `/lines/${lines[0]}`, { text: 'Other' })).status, 200)
  const other = await booked()
  const moved = await shop.make('/lines', line(other))
  assert.equal(refused(await shop.request('PATCH', `/lines/${moved}`, { booking_id: id })), MANY)
  assert.is((await shop.request('DELETE', `/lines/${lines[0]}`)).status, 204)
  assert.is((await shop.request('PATCH', `/lines/${moved}`, { booking_id: id })).status, 200)
  assert.equal(refused(await shop.request('POST', `/lines/${lines[0]}/restore`)), MANY)
})

related('of many that come at once, only so many succeed', async () => {
  const id = await booked()
  const answers = await Promise.all(Array.from({ length: 8 }, () => shop.request('POST', '/lines', line(id))))
  assert.equal(answers.map(({ status }) => status).sort(), [201, 201, 201, 409, 409, 409, 409, 409])
})

related('one that must be there is judged on both sides', async () => {
  const says = 'What is invoiced has a line that costs something'
  const id = await booked()
  assert.equal(refused(await shop.request('PATCH', `/bookings/${id}`, { is_invoiced: true })), {
    status: 422,
    says: { is_invoiced: [says] },
  })
  const only = await shop.make('/lines', line(id))
  assert.is((await shop.request('PATCH', `/bookings/${id}`, { is_invoiced: true })).status, 200)
  assert.equal(refused(await shop.request('PATCH', `/lines/${only}`, { quantity: 0 })), { status: 409, says })
  assert.equal(refused(await shop.request('DELETE', `/lines/${only}`)), { status: 409, says })
  assert.equal(refused(await shop.request('PATCH', `/lines/${only}`, { booking_id: await booked() })), {
    status: 409,
    says,
  })
  await shop.make('/lines', line(id))
  assert.is((await shop.request('DELETE', `/lines/${only}`)).status, 204)
})

related('what a record points at cannot change under it', async () => {
  const of = await item()
  await booked(of)
  const says = 'A hidden item has no bookings'
  assert.equal(refused(await shop.request('PATCH', `/items/${of}`, { is_hidden: true })), { status: 409, says })
  assert.is((await shop.request('PATCH', `/items/${of}`, { name: 'Named' })).status, 200)
  const free = await item()
  assert.is((await shop.request('PATCH', `/items/${free}`, { is_hidden: true })).status, 200)
  const on = '2030-01-01'
  const body = { customer: 'Ada', is_group: true, item_id: free, branch_id: branch, starts_on: on, ends_on: on }
  assert.equal(refused(await shop.request('POST', '/bookings', body)), { status: 409, says })
})

related('of a booking and the hiding of its item, one succeeds', async () => {
  for (let round = 0; round < 5; round++) {
    const of = await item()
    const on = '2030-01-01'
    const body = { customer: 'Ada', is_group: true, item_id: of, branch_id: branch, starts_on: on, ends_on: on }
    const [made, hidden] = await Promise.all([
      shop.request('POST', '/bookings', body),
      shop.request('PATCH', `/items/${of}`, { is_hidden: true }),
    ])
    assert.equal([made.status === 201, hidden.status === 200].filter(Boolean).length, 1)
  }
})

related('what lines come to is computed of those that the reader may see', async () => {
  const id = await booked()
  const totals = async (token?: string) => {
    const { extras, dearest, mean, line_count } = (await shop.request('GET', `/bookings/${id}`, undefined, token)).body
      .data as JsonObject
    return [extras, dearest, mean, line_count]
  }
  assert.equal(await totals(), ['0.00', null, null, 0])
  const first = await shop.make('/lines', line(id, { quantity: 3, unit: '1.10' }))
  await shop.make('/lines', line(id, { quantity: 1, unit: '10.00' }))
  assert.equal(await totals(), ['13.30', '10.00', '6.65', 2])
  await shop.request('DELETE', `/lines/${first}`)
  assert.equal(await totals(), ['10.00', '10.00', '10.00', 1])
  // Whoever may see no line is told of none.
  assert.equal(await totals('5:guest:'), ['0.00', null, null, 0])
  const list = await shop.request('GET', '/bookings?sort=-id&per_page=1')
  assert.is((list.body.data as readonly JsonObject[])[0]?.extras, '10.00')
})

related('a list is filtered by a condition that its author gives a name', async () => {
  const [with_costs, without] = [await booked(), await booked()]
  await shop.make('/lines', line(with_costs))
  const found = async (query: string) =>
    ((await shop.request('GET', `/bookings?per_page=100&${query}`)).body.data as readonly JsonObject[]).map(
      ({ id }) => id,
    )
  assert.equal(
    [(await found('has_costs=true')).includes(with_costs), (await found('has_costs=true')).includes(without)],
    [true, false],
  )
  assert.equal(
    [(await found('has_costs=false')).includes(with_costs), (await found('has_costs=false')).includes(without)],
    [false, true],
  )
  assert.is((await shop.request('GET', '/bookings?has_costs=maybe')).status, 422)
})

related('a policy asks for related records, in lists, single records and totals', async () => {
  const south = await shop.make('/branches', { name: 'South' })
  await shop.make('/clerks', { person: 77, branch_id: branch })
  await shop.make('/clerks', { person: 78, branch_id: south })
  const id = await shop.make('/lines', line(await booked()))
  const seen = async (token: string) => {
    const list = await shop.request('GET', '/lines', undefined, token)
    const page = list.body.meta?.pagination as JsonObject
    return [Number(page.total) > 0, (await shop.request('GET', `/lines/${id}`, undefined, token)).status]
  }
  assert.equal(await seen('77:helper:'), [true, 200])
  assert.equal(await seen('78:helper:'), [false, 403])
})

related.run()
