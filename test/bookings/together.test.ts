/** Rules about several records, when they are broken one after the other and when twenty come at once. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import type { Answer } from '../support/answer.ts'
import { until } from '../support/wait.ts'
import { openRental, type Rental, refused } from './rental.ts'

const together = suite('rules about several records')
let shop: Rental
let branch = 0
let drill = 0

together.before(async () => {
  shop = await openRental()
  branch = await shop.make('/branches', { name: 'North' })
  drill = await shop.make('/items', { name: 'Drill', daily: '12.50', branch_id: branch })
})
together.after(() => shop?.close())

let customers = 0
function booking(starts_on: string, ends_on: string, changes: JsonObject = {}): JsonObject {
  customers += 1
  return { customer: `Customer ${customers}`, item_id: drill, branch_id: branch, starts_on, ends_on, ...changes }
}
const item = (changes: JsonObject = {}) =>
  shop.make('/items', { name: 'Item', daily: '1.00', branch_id: branch, ...changes })

const TAKEN = { status: 422, says: { starts_on: ['The item is booked on one of these days'] } }

together('what overlaps is refused by every way of writing', async () => {
  const id = await shop.make('/bookings', booking('2030-06-10', '2030-06-12'))
  assert.equal(refused(await shop.request('POST', '/bookings', booking('2030-06-12', '2030-06-13'))), TAKEN)
  assert.equal(
    refused(await shop.request('POST', `/items/${drill}/bookings`, booking('2030-06-01', '2030-06-30'))),
    TAKEN,
  )
  assert.equal(await shop.byCode((bookings) => bookings.create(booking('2030-06-11', '2030-06-11'))), TAKEN)
  const row = { Customer: 'Eve', Item: 'Drill', Branch: 'North', From: '2030-06-09', To: '2030-06-10' }
  assert.equal(await shop.imported(row), TAKEN.says)
  const next = await shop.make('/bookings', booking('2030-06-13', '2030-06-14'))
  assert.equal(refused(await shop.request('PATCH', `/bookings/${next}`, { starts_on: '2030-06-12' })), TAKEN)
  assert.is((await shop.request('PATCH', `/bookings/${id}`, { status: 'cancelled' })).status, 200)
  assert.is((await shop.request('PATCH', `/bookings/${next}`, { starts_on: '2030-06-12' })).status, 200)
})

together('what ends before it starts is refused at its end', async () => {
  assert.equal(refused(await shop.request('POST', '/bookings', booking('2030-06-12', '2030-06-10'))), {
    status: 422,
    says: { ends_on: ['The booking must not end before it starts'] },
  })
})

together('what was deleted and taken meanwhile does not come back, with 409', async () => {
  const id = await shop.make('/bookings', booking('2030-07-10', '2030-07-12'))
  assert.is((await shop.request('DELETE', `/bookings/${id}`)).status, 204)
  await shop.make('/bookings', booking('2030-07-11', '2030-07-11'))
  assert.equal(refused(await shop.request('POST', `/bookings/${id}/restore`)), {
    status: 409,
    says: 'The item is booked on one of these days',
  })
})

together('of twenty clients that book one item at once, one succeeds', async () => {
  const one = await item()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      shop.request(
        'POST',
        '/bookings',
        booking(`2031-01-${String(1 + (i % 5)).padStart(2, '0')}`, '2031-01-10', { item_id: one }),
      ),
    ),
  )
  assert.equal(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 19 }, () => 422)])
})

together('twenty who book twenty items at once all succeed', async () => {
  const items = await Promise.all(Array.from({ length: 20 }, () => item()))
  const answers = await Promise.all(
    items.map((one) => shop.request('POST', '/bookings', booking('2031-01-01', '2031-01-10', { item_id: one }))),
  )
  assert.ok(answers.every(({ status }) => status === 201))
})

together('there are no more than so many, one after the other and at once', async () => {
  const customer = 'Tom'
  const says = { status: 409, says: 'There are three requests of this customer already' }
  const ask = (day: number, changes: JsonObject = {}) =>
    shop.request('POST', '/bookings', booking(`2032-01-${10 + day}`, `2032-01-${10 + day}`, { customer, ...changes }))
  const answers = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((day) => ask(day)))
  assert.is(answers.filter(({ status }) => status === 201).length, 3)
  assert.equal(refused(await ask(9)), says)
  const done = await ask(9, { status: 'confirmed' })
  assert.is(done.status, 201)
  assert.is((await ask(10, { customer: 'Ann' })).status, 201)
  const first = answers.find(({ status }) => status === 201)?.body.data as JsonObject
  const id = Number(first.id)
  assert.is((await shop.request('PATCH', `/bookings/${id}`, { status: 'confirmed' })).status, 200)
  assert.is((await ask(11)).status, 201)
  assert.is((await shop.request('DELETE', `/bookings/${id}`)).status, 204)
})

const defaults = async (): Promise<readonly number[]> => {
  const rows = await shop.engine.app.foundation.database.adhoc.run(
    { text: 'select id from items where is_default and branch_id = $1 order by id' },
    [branch],
  )
  return rows.map((row) => Number(row[0]))
}

together('a new only one takes over from the other, and the last does not go', async () => {
  const [first, second] = [await item({ is_default: true }), await item({ is_default: true })]
  assert.equal(await defaults(), [second])
  assert.is((await shop.request('PATCH', `/items/${first}`, { is_default: true })).status, 200)
  assert.equal(await defaults(), [first])
  const elsewhere = await shop.make('/branches', { name: 'South' })
  await item({ is_default: true, branch_id: elsewhere })
  assert.equal(await defaults(), [first])
  assert.equal(refused(await shop.request('PATCH', `/items/${first}`, { is_default: false })), {
    status: 422,
    says: { is_default: ['Make another item the default first'] },
  })
  assert.equal(refused(await shop.request('PATCH', `/items/${first}`, { branch_id: elsewhere })).status, 422)
  const says = { status: 409, says: 'Make another item the default first' }
  assert.equal(refused(await shop.request('DELETE', `/items/${first}`)), says)
  assert.equal(await shop.byCode((items) => items.delete(first), 'items'), says)
})

together('there is one only one, whoever comes at once', async () => {
  const items = await Promise.all(Array.from({ length: 8 }, () => item()))
  const answers = await Promise.all(items.map((id) => shop.request('PATCH', `/items/${id}`, { is_default: true })))
  assert.ok(answers.every(({ status }) => status === 200))
  assert.is((await defaults()).length, 1)
})

together('two who take away the last two at once: one stays', async () => {
  const { database } = shop.engine.app.foundation
  const pair = [await item(), await item()]
  await database.adhoc.run({ text: 'update items set is_default = id = any($1) where branch_id = $2' }, [pair, branch])
  const answers = await Promise.all(pair.map((id) => shop.request('PATCH', `/items/${id}`, { is_default: false })))
  assert.equal(answers.map(({ status }) => status).sort(), [200, 422])
  assert.is((await defaults()).length, 1)
})

/** Does something while another writer is at work on the items of a branch that count together. */
function whileHeld<T>(group: number, work: () => Promise<T>): Promise<T> {
  return shop.engine.database.transaction(async (transaction) => {
    const text = `select pg_advisory_xact_lock(hashtextextended('plinth rule items.default_of_the_branch:' || $1::int, 0))`
    await transaction.run({ text }, [group])
    return work()
  })
}

const change = (id: number, changes: JsonObject) => shop.request('PATCH', `/items/${id}`, changes)
const branchNamed = (name: string) => shop.make('/branches', { name })

// The embedded database has one connection, so there nobody waits for a lock.
const onServer = process.env.TEST_DATABASE_URL === undefined ? together.skip : together

/** Whether a writer waits for a group. */
async function isWaited(): Promise<boolean> {
  const text = `select 1 from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`
  return (await shop.engine.database.adhoc.run({ text }, [])).length > 0
}

onServer('writers of one group wait for each other, and those of another do not', async () => {
  const [held, free] = [await branchNamed('Held'), await branchNamed('Free')]
  const [first, second] = [await item({ branch_id: held }), await item({ branch_id: free })]
  await whileHeld(held, async () => {
    assert.is((await change(second, { is_default: true })).status, 200)
    const third = await item({ branch_id: free, is_default: true })
    assert.is((await change(second, { is_default: true, branch_id: free })).status, 200)
    assert.is((await shop.request('DELETE', `/items/${third}`)).status, 204)
    const late = await change(first, { is_default: true })
    assert.equal([late.status, late.body.message], [503, 'Another change holds what this one needs; try again'])
  })
  assert.is((await change(first, { is_default: true })).status, 200)
})

onServer('a record that moves between groups waits for both', async () => {
  const branches = [await branchNamed('From'), await branchNamed('To'), await branchNamed('Third')]
  const [from = 0, to = 0, third = 0] = branches
  const move = async () => change(await item({ branch_id: from }), { branch_id: to, is_default: true })
  for (const held of [from, to]) {
    let late: Promise<Answer> | undefined
    await whileHeld(held, async () => {
      late = move()
      await until(isWaited)
    })
    assert.is((await late)?.status, 200)
  }
  assert.is((await whileHeld(third, move)).status, 200)
})

onServer('a record that moves while its writer waits is judged in its new group', async () => {
  const [from, to] = [await branchNamed('Before'), await branchNamed('Behind')]
  const [moved, there] = [await item({ branch_id: from }), await item({ branch_id: to, is_default: true })]
  const { adhoc } = shop.engine.database
  let late: Promise<Answer> | undefined
  await whileHeld(from, async () => {
    late = change(moved, { is_default: true })
    await until(isWaited)
    await adhoc.run({ text: 'update items set branch_id = $1 where id = $2' }, [to, moved])
  })
  assert.is((await late)?.status, 200)
  const text = 'select id from items where is_default and branch_id = $1'
  assert.equal(await adhoc.run({ text }, [to]), [[String(moved)]])
  assert.is((await shop.request('GET', `/items/${there}`)).body.data.is_default, false)
})

together.run()
