/** A desk with a resource of its own whose ids are no integers: what the desk tells of its tickets, and of that resource. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, type Person } from './desk.ts'

const PARCELS = `resource: parcels
id: uuid
log_changes: true
activity: true
fields: { name: { type: string } }
notify: { sent: { on: create, to: { roles: [manager] }, title: 'Sent {{ name }}' } }
policies: { view: [{ who: signed_in }], create: [{ role: admin }], update: [{ role: admin }], delete: [{ role: admin }] }
`

const test = suite('desk: other ids')
let folder: string
let desk: Desk
let manager: Person
let agent: Person
let customer: Person

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plinth-other-ids-'))
  await cp('resources', folder, { recursive: true })
  await writeFile(join(folder, 'parcels.yaml'), PARCELS)
  desk = await openDesk({}, folder)
  manager = await desk.person('manager', 'Mona')
  agent = await desk.person('agent', 'Alba')
  customer = await desk.person('customer', 'Cleo')
})
test.after(async () => {
  await desk?.close()
  await rm(folder, { recursive: true, force: true })
})

test('dashboards, the local engine and notifications name tickets as before', async () => {
  const parcel = await desk.post('/parcels', desk.admin, { name: 'One' })
  assert.is(parcel.status, 201, parcel.text)
  const made = await desk.post('/tickets', customer, { subject: 'Printer', details: 'It is on fire.' })
  const id = Number(made.at('data.id'))
  for (const status of ['resolved', 'open']) {
    const changed = await desk.put(`/tickets/${id}`, agent, { status_id: await desk.setting('statuses', status) })
    assert.is(changed.status, 200, changed.text)
  }
  const opened = await desk.get('/dashboard/metrics', agent)
  assert.equal([opened.status, opened.at('data.reopened')], [200, 1], opened.text)
  for (const who of [agent, customer]) {
    const { at, status, text } = await desk.get('/dashboard', who)
    assert.is(status, 200, text)
    const recent = at('data.recent_activity') as { ticket: { id: number }; type: string }[]
    assert.equal(
      recent.map(({ ticket, type }) => `${type} ${ticket.id}`),
      [`ticket_updated ${id}`, `ticket_updated ${id}`, `ticket_created ${id}`],
    )
  }
  const guess = await desk.post(`/ai/tickets/${id}/classify`, agent)
  assert.is(guess.status, 200, guess.text)
  const [sent] = (await desk.get('/notifications?type=sent', manager)).list
  assert.equal(
    [sent?.title, sent?.data],
    [
      'Sent One',
      { ticket_id: null, ticket_uid: null, ticket_subject: null, resource: 'parcels', record_id: parcel.at('data.id') },
    ],
  )
  const { list } = await desk.get('/notifications', customer)
  assert.ok(list.length > 0)
  assert.ok(list.every(({ data }) => (data as { ticket_id: number }).ticket_id === id))
})

test.run()
