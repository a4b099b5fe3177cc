/** Mails of changes of many records: each person is mailed once, of all of them. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, mailsTo, openDesk, type Person } from '../../../desk/desk.ts'
import { until } from '../../../support/wait.ts'

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

test('however many rounds the log of changes is worked in, a person is mailed once, also by automations', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-gathered-'))
  await cp('resources', folder, { recursive: true })
  const rewrite = async (name: string, change: (text: string) => string): Promise<void> => {
    const file = join(folder, name)
    const before = await readFile(file, 'utf8')
    const after = change(before)
    assert.not.equal(after, before, name)
    await writeFile(file, after)
  }
  await rewrite('app.yaml', (text) => `${text}\nlimits: { listenerBatch: 5 }\n`)
  const due =
    '{ on: [update], when: { due_date: { null: false } }, mail: { to: [assignedTo, cc], subject: "Due {{ subject }}", text: "By {{ due_date }}.", shows: [subject, due_date] } }'
  await rewrite('tickets.yaml', (text) => text.replace(/^automations:\n/m, `automations:\n  tells_when_due: ${due}\n`))
  const many = await openDesk({}, folder)
  const worker = await many.person('agent', 'Wanda')
  const boss = await many.person('manager', 'Max')
  const type = await many.post('/settings/types', many.admin, { name: 'Moved together' })
  const type_id = type.at('data.id')
  const cc = ['copied@elsewhere.example']
  const count = 23
  for (let n = 0; n < count; n += 1) {
    const made = await many.post('/tickets', worker, { subject: `Shelf ${n}`, details: 'x', type_id, cc })
    assert.is(made.status, 201, made.text)
  }
  await many.heard()
  const body = { assigned_to: worker.id, due_date: '2031-01-02' }
  const changed = await many.call('PATCH', `/tickets?type_id=${type_id}&max=50`, { as: boss, body })
  assert.is(changed.status, 200, changed.text)
  const [copy = ''] = cc
  await until(async () => (await mailsTo(many, copy, 0, /Due Shelf/)).length > 0)
  await until(async () => (await mailsTo(many, worker.email, 0, /at once/)).length > 1)
  const all = await mailsTo(many, worker.email, 0, /at once/)
  assert.equal(all.map((mail) => /^Subject: (.*?)\r?$/m.exec(mail)?.[1]).sort(), [
    `${count} at once: Due Shelf 0`,
    `${count} at once: Shelf 0`,
  ])
  const copied = await mailsTo(many, copy, 0, /Due Shelf/)
  assert.is(copied.length, 1)
  for (let n = 0; n < count; n += 1) assert.match(copied[0] ?? '', new RegExp(`Due Shelf ${n}\\b`))
  await many.close()
  await rm(folder, { recursive: true })
})

test.run()
