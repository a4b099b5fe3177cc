/** Many records at once in the desk: the page for admins is run as it is written, and what follows from each record follows. */
import { readFile } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, type Person } from './desk.ts'

const lists = await readFile('resources/guide/lists-and-filters.md', 'utf8')
const section = await readFile('resources/guide/batches.md', 'utf8')

let desk: Desk
let manager: Person
let customer: Person
const test = suite('desk: many records at once')

test.before(async () => {
  desk = await openDesk()
  manager = await desk.person('manager', 'Mia')
  customer = await desk.person('customer', 'Carl')
  for (const subject of ['One', 'Two', 'Three']) await desk.post('/tickets', customer, { subject, details: 'x' })
})
test.after(() => desk?.close())

test('the batch of the page does what the page says', async () => {
  const body = JSON.parse(/```json\n([\s\S]*?)```/.exec(section)?.[1] ?? '')
  const answer = await desk.post('/tickets/batch', manager, body)
  assert.is(answer.status, 200, answer.text)
  assert.equal(
    (answer.at('data.update') as { subject: string }[]).map(({ subject }) => subject),
    ['Solved by a restart', 'Twice'],
  )
  assert.equal(answer.at('data.delete'), [3])
  assert.is((await desk.get('/tickets/3', manager)).status, 404)
  const created = (answer.at('data.create') as { id: number; uid: string; status: { slug: string } }[])[0]!
  assert.is(created.status.slug, 'open')
  const { list } = await desk.get(`/tickets/${created.id}/activity`, manager)
  assert.equal(
    list.map(({ action }) => action),
    ['created'],
  )
})

test('what follows from each record of a batch follows', async () => {
  const before = (await desk.get('/notifications', manager)).list.length
  const create = ['Four', 'Five'].map((subject) => ({ subject, details: 'x' }))
  const answer = await desk.post('/tickets/batch', customer, { create })
  assert.is(answer.status, 200, answer.text)
  assert.is((await desk.get('/notifications', manager)).list.length, before + 2)
})

test('the routes by filter and by unique value are those of the page', async () => {
  const [path] = /PATCH (\/\S+?)`/.exec(section)?.slice(1) ?? []
  const pending = await desk.setting('statuses', 'pending')
  const counted = await desk.call(
    'PATCH',
    `${path!.replace('status_id=4', `status_id=${await desk.setting('statuses', 'open')}`)}&dry_run=true`,
    {
      as: manager,
      body: { status_id: pending },
    },
  )
  assert.is(counted.status, 200, counted.text)
  assert.ok(Number(counted.at('data.matched')) >= 4)
  const [unique] = /PUT (\/\S+?)`/.exec(section)?.slice(1) ?? []
  const made = await desk.put(unique!, desk.admin, { name: 'Waiting', category: 'pending' })
  assert.is(made.status, 201, made.text)
  const again = await desk.put(unique!, desk.admin, { name: 'Waiting for parts' })
  assert.equal([again.status, again.at('data.id')], [200, made.at('data.id')])
})

test('the summary of the page is answered by one statement, for whoever sees the tickets', async () => {
  const [path] = /GET \/api\/v1(\/tickets\/summary\S+)/.exec(lists)?.slice(1) ?? []
  const answer = await desk.get(path!, manager)
  assert.is(answer.status, 200, answer.text)
  const known = Object.keys(JSON.parse(/```json\n(\{ "priority_id"[\s\S]*?)```/.exec(lists)?.[1] ?? '{}'))
  assert.equal(Object.keys(answer.list[0] ?? {}), known)
  assert.is(
    answer.list.reduce((sum, group) => sum + Number(group.count), 0),
    5,
  )
  const other = await desk.person('customer', 'Cora')
  assert.equal((await desk.get('/tickets/summary', other)).list, [{ count: 0 }])
})

test('a customer changes no more by a batch than one by one', async () => {
  const answer = await desk.post('/tickets/batch', customer, { update: [{ id: 1, subject: 'Mine' }], delete: [2] })
  assert.is(answer.status, 403, answer.text)
  assert.is((await desk.get('/tickets/1', manager)).at('data.subject'), 'Solved by a restart')
})

test.run()
