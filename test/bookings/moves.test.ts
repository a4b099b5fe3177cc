/** Which state of a booking may follow which: nobody's move, somebody else's, and what a client is told. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { explainRequest } from '../../engine/explain/request-report.ts'
import { executionOf } from '../../engine/run/execution.ts'
import { application } from '../support/application.ts'
import { CLERK, MANAGER, openRental, type Rental, refused } from './rental.ts'

const moves = suite('moves')
let shop: Rental
let branch = 0
let item = 0

moves.before(async () => {
  shop = await openRental()
  branch = await shop.make('/branches', { name: 'North' })
  item = await shop.make('/items', { name: 'Drill', daily: '12.50', branch_id: branch })
})
moves.after(() => shop?.close())

let day = 0
const booked = (status: string): Promise<number> => {
  day += 1
  const on = `2030-${String(1 + Math.floor(day / 25)).padStart(2, '0')}-${String(1 + (day % 25)).padStart(2, '0')}`
  return shop.make('/bookings', {
    customer: 'Ada',
    item_id: item,
    branch_id: branch,
    starts_on: on,
    ends_on: on,
    status,
  })
}
const move = (id: number, status: string, token = CLERK) => shop.request('PATCH', `/bookings/${id}`, { status }, token)

moves('a move that is allowed is made, and staying is no move', async () => {
  const id = await booked('requested')
  assert.is((await move(id, 'confirmed')).status, 200)
  assert.is((await move(id, 'confirmed')).status, 200)
  assert.is((await move(id, 'out')).status, 200)
})

moves("nobody's move is a 409 that tells what is possible, for plugin code too", async () => {
  const says = 'The booking cannot go from "confirmed" to "returned"; possible: out, cancelled'
  const id = await booked('confirmed')
  assert.equal(refused(await move(id, 'returned')), { status: 409, says })
  assert.equal(refused(await move(id, 'returned', MANAGER)), { status: 409, says })
  assert.equal(await shop.byCode((bookings) => bookings.update(id, { status: 'returned' })), { status: 409, says })
  const last = await booked('returned')
  assert.equal(
    refused(await move(last, 'out')).says,
    'The booking cannot go from "returned" to "out"; it stays as it is',
  )
})

moves("somebody else's move is a 403", async () => {
  const id = await booked('cancelled')
  const says = 'You may not move the booking from "cancelled" to "requested"'
  assert.equal(refused(await move(id, 'requested')), { status: 403, says })
  assert.is((await move(id, 'requested', MANAGER)).status, 200)
})

moves('two that move at once do not both leave the same state', async () => {
  const id = await booked('confirmed')
  const [one, other] = await Promise.all([move(id, 'out'), move(id, 'cancelled')])
  assert.equal([one?.status, other?.status].sort(), [200, 409])
})

moves('a single answer says which moves its caller may make', async () => {
  const id = await booked('cancelled')
  const open = async (token: string) =>
    (await shop.request('GET', `/bookings/${id}`, undefined, token)).body.meta?.moves
  assert.equal(await open(CLERK), { status: [] })
  assert.equal(await open(MANAGER), { status: ['requested'] })
  assert.equal(await open('5:guest:'), { status: [] })
  const moved = await move(id, 'requested', MANAGER)
  assert.equal(moved.body.meta?.moves, { status: ['confirmed', 'cancelled'] })
})

moves('the document has the table of moves', () => {
  const { paths } = shop.engine.app.document()
  const described = String(paths['/rental/bookings/{id}']?.patch?.description)
  assert.match(described, '| confirmed | out, cancelled | callers who may change the record |')
  assert.match(described, '| cancelled | requested | holders of `rental.manage` |')
})

moves('explain tells which moves are for the caller, with file and line', async () => {
  const { foundation, catalog } = shop.engine.app
  const actor = { kind: 'user', id: 1, role: 'clerk', permissions: new Set(['rental.book']), attributes: {} } as const
  const call = { actor, requestId: 'test', afterCommit: () => undefined }
  const resource = catalog.resources.get('bookings')!
  const query = new URLSearchParams()
  const explained = await explainRequest(executionOf(foundation, call), { resource, action: 'update', query })
  const { moves: verdicts } = explained
  assert.equal(
    verdicts.map(({ speaks }) => speaks),
    [true, true, true, false],
  )
  assert.is(verdicts[3]?.move, '{ from: cancelled, to: requested, permission: rental.manage }')
  assert.match(verdicts[3]?.place ?? '', /bookings\.yaml:\d+:9$/)
})

moves('moves of a relation speak of a word of the other record', async () => {
  const may = 'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: signed_in }] }\n'
  const app = await application({
    plugins: 'test/support/plugins',
    resources: {
      'app.yaml': 'name: Desk\nplugins: { who: {} }\n',
      'states.yaml': `resource: states\nfields: { name: { type: string }, kind: { type: enum, values: [open, done] } }\n${may}`,
      'cases.yaml': `resource: cases\nlabel: Case\nfields: { name: { type: string } }\nrelations: { state: { belongs_to: states } }\n${may}moves:
  state:
    by: kind
    says: Customers only end their cases
    allow: [{ role: staff, from: any, to: any }, { role: customer, from: open, to: done }]
`,
    },
  })
  try {
    for (const [name, kind] of [
      ['New', 'open'],
      ['Begun', 'open'],
      ['Solved', 'done'],
      ['Given up', 'done'],
    ]) {
      await app.call('POST', '/states', { body: { name, kind } })
    }
    await app.call('POST', '/cases', { body: { name: 'A', state_id: 1 } })
    const to = async (state_id: number | null, token: string) =>
      refused(await app.call('PATCH', '/cases/1', { body: { state_id }, token }))
    assert.equal(await to(2, '1:customer:'), { status: 403, says: 'Customers only end their cases' })
    assert.is((await to(2, '1:staff:')).status, 200)
    assert.is((await to(3, '1:customer:')).status, 200)
    assert.is((await to(4, '1:customer:')).status, 403)
    assert.is((await to(null, '1:customer:')).status, 403)
    assert.is((await to(null, '1:staff:')).status, 200)
  } finally {
    await app.close()
  }
})

moves.run()
