/** Mails of changes of many records: each person is mailed once, of all of them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, mailsTo, openDesk, type Person } from '../../../desk/desk.ts'

let desk: Desk
let manager: Person
let agent: Person
let customer: Person
const test = suite('desk: mails of many changes')

test.before(async () => {
  desk = await openDesk()
  manager = await desk.person('manager', 'Mona')
  agent = await desk.person('agent', 'Alba')
  customer = await desk.person('customer', 'Cleo')
})
test.after(() => desk.close())

interface Opened {
  readonly id: string
  readonly uid: string
}

async function open(subject: string): Promise<Opened> {
  const made = await desk.post('/tickets', customer, { subject, details: 'It burns.' })
  assert.is(made.status, 201, made.text)
  return { id: String(made.at('data.id')), uid: String(made.at('data.uid')) }
}

async function contact(): Promise<{ readonly id: unknown; readonly email: string }> {
  const email = 'copied@elsewhere.example'
  const made = await desk.post('/contacts', agent, { first_name: 'Copied', last_name: 'Tact', email })
  return { id: made.at('data.id'), email }
}

test('a change of many tickets mails each person once, with a list of them', async () => {
  const worker = await desk.person('agent', 'Wanda')
  const someone = await contact()
  const category = await desk.post('/settings/types', desk.admin, { name: 'Moved together' })
  const type_id = category.at('data.id')
  const made: Opened[] = []
  for (let n = 0; n < 4; n += 1) made.push(await open(`Shelf ${n}`))
  for (const { id } of made) {
    const sent = await desk.put(`/tickets/${id}`, agent, { type_id, contact_id: someone.id, watcher_ids: [worker.id] })
    assert.is(sent.status, 200, sent.text)
  }
  const [alone = ''] = made.map(({ id }) => id)
  const changes = { status_id: await desk.setting('statuses', 'resolved'), assigned_to: worker.id }
  const changed = await desk.call('PATCH', `/tickets?type_id=${type_id}&max=9`, { as: manager, body: changes })
  assert.is(changed.status, 200, changed.text)
  for (const { email } of [worker, customer, someone]) {
    const [mail = '', ...more] = await mailsTo(desk, email, 1, /at once/)
    assert.is(more.length, 0, `${email} was mailed ${1 + more.length} times`)
    assert.match(mail, /^Subject: 4 at once: Shelf 0\r?$/m)
    for (const { uid } of made) assert.match(mail, new RegExp(`#${uid}`))
  }
  const one = await desk.put(`/tickets/${alone}`, manager, { assigned_to: agent.id })
  assert.is(one.status, 200, one.text)
  await mailsTo(desk, agent.email, 1, /Shelf 0/)
  assert.is((await mailsTo(desk, worker.email, 1, /at once/)).length, 1, 'a change of one is told as before')
})

test.run()
