/** What happens by itself in the rental: reminders, and bookings that come back late. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dayAfter, dayAt } from '../../engine/calendar/zone.ts'
import type { JsonObject } from '../../engine/json.ts'
import { until } from '../support/wait.ts'
import { openRental, type Rental } from './rental.ts'

const test = suite('reminders')
let shop: Rental
let branch = 0

test.before(async () => {
  shop = await openRental()
  branch = await shop.make('/branches', { name: 'North' })
  // The rental has been open for some days.
  await sql("update plinth_automation set began_at = clock_timestamp() - interval '3 days'")
})
test.after(() => shop?.close())

const sql = (text: string, values: readonly unknown[] = []) => shop.engine.database.adhoc.run({ text }, values)

/** A booking of one day. */
async function booked(on: string, status: string, customer: string): Promise<number> {
  const item = await shop.make('/items', { name: `Drill of ${customer}`, daily: '1.00', branch_id: branch })
  const body = { customer, item_id: item, branch_id: branch, starts_on: on, ends_on: on, status, is_group: true }
  return shop.make('/bookings', body)
}

async function reminders(booking: number): Promise<readonly string[]> {
  const { body } = await shop.request('GET', '/reminders?per_page=100')
  const found = (body.data as readonly JsonObject[]).filter((one) => one.booking_id === booking)
  return found.map(({ text }) => String(text))
}

async function move(booking: number, status: string): Promise<void> {
  const answer = await shop.request('PATCH', `/bookings/${booking}`, { status })
  assert.is(answer.status, 200, answer.text)
}

test('who has a confirmed booking for tomorrow is reminded, once', async () => {
  const tomorrow = dayAfter(dayAt(Date.now(), 'Europe/Berlin'))
  const [ada, bo] = [await booked(tomorrow, 'confirmed', 'Ada'), await booked(tomorrow, 'requested', 'Bo')]
  const cy = await booked(dayAfter(tomorrow), 'confirmed', 'Cy')
  await until(async () => (await reminders(ada)).length > 0, 20_000)
  const runs = "select outcome from plinth_automation_run where automation = 'bookings.remind' and record_id = $1"
  await until(async () => (await sql(runs, [bo])).length > 0, 20_000)
  assert.equal(await reminders(ada), ['Drill of Ada for Ada starts tomorrow'])
  assert.equal(await sql(runs, [bo]), [['unmet']])
  assert.equal([await reminders(bo), await reminders(cy)], [[], []])
})

test('what is out for too long is overdue, and comes back late', async () => {
  const on = dayAfter(dayAfter(dayAfter(dayAt(Date.now(), 'Europe/Berlin'))))
  const late = await booked(on, 'confirmed', 'Dee')
  const early = await booked(on, 'confirmed', 'Eve')
  for (const booking of [late, early]) await move(booking, 'out')
  await sql("update bookings set due_at = clock_timestamp() - interval '1 minute' where id = $1", [late])
  const read = async (id: number) => (await shop.request('GET', `/bookings/${id}`)).body.data as JsonObject
  await until(async () => (await read(late)).is_overdue === true, 20_000)
  assert.is((await read(early)).is_overdue, false)
  for (const booking of [late, early]) await move(booking, 'returned')
  await until(async () => (await reminders(late)).length > 0)
  assert.equal(await reminders(late), ['Drill of Dee for Dee came back late'])
  await until(async () => (await read(late)).is_overdue === false)
  assert.equal(await reminders(early), [])
})

test.run()
