/** Notifications of automations: who is told, in which words, as each wants it; and what is said about mistakes. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../../../engine/boot/boot.ts'
import { report } from '../../../../engine/cli/explain.ts'
import { type Desk, mailsTo, openDesk, type Person, registerAt } from '../../../desk/desk.ts'
import { follow } from '../../../stream/client.ts'
import { act } from '../../../support/act.ts'
import { until } from '../../../support/wait.ts'

const AUTOMATIONS = `
automations:
  urgent:
    on: [update]
    changed: due_date
    notify:
      to: [assignedTo, user, { roles: [manager, customer] }, { permission: tickets.assign }]
      title: "Ticket #{{ uid }} is due on {{ due_date }}"
      message: "{{ subject }} of {{ user.name }}{% if assignedTo.email %}, {{ assignedTo.email }}{% endif %}"
      kind: ticket_due
      mail: true
  tagged:
    on: [update]
    changed: tags
    notify: { to: { permission: tickets.assign }, title: "Tags: {{ tags | join: ', ' }}" }
  retyped:
    on: [update]
    changed: { ticketType: { from: null } }
    notify:
      to:
        - { people: user, title: "Your ticket #{{ uid }} has a type", in_mail: { sentence: "We know what it is about!", text: "{{ details }}" } }
        - { roles: [admin], message: "Of {{ user.name }}" }
        - { permission: tickets.assign }
      except: assignedTo
      title: "#{{ uid }} has a type"
      message: "{{ subject }}"
      mail: true
      data: { number: uid, of: user.id }
`

let desk: Desk
let folder: string
let manager: Person
let agent: Person
let customer: Person
let stranger: Person
const test = suite('desk: notifications of automations')

test.before(async () => {
  folder = await resources(AUTOMATIONS)
  desk = await openDesk({}, folder)
  manager = await desk.person('manager', 'Mona')
  agent = await desk.person('agent', 'Alba')
  customer = await desk.person('customer', 'Cleo')
  stranger = await registerAt(desk, 'Stan')
})
test.after(async () => {
  await desk.close()
  await rm(folder, { recursive: true })
})

/** The desk's files, with these automations beside its own. */
async function resources(automations: string): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'plinth-told-'))
  await cp('resources', made, { recursive: true })
  const file = join(made, 'tickets.yaml')
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replace('\nautomations:\n', () => `\n${automations.trimStart()}`),
  )
  return made
}

async function ticket(as: Person): Promise<{ readonly id: number; readonly uid: string }> {
  const made = await desk.post('/tickets', as, { subject: 'Printer', details: 'It is on fire.' })
  assert.is(made.status, 201, made.text)
  return { id: Number(made.at('data.id')), uid: String(made.at('data.uid')) }
}

/** Somebody's notifications of a kind, newest first; waits until there are so many. */
async function told(person: Person, kind: string, count: number) {
  const list = async () => (await desk.get(`/notifications?type=${kind}`, person)).list
  await until(async () => (await list()).length >= count)
  return list()
}

test('plinth explain tells whom it would tell, and how', async () => {
  const body = { subject: 'Explained', details: 'x', user_id: customer.id, assigned_to: agent.id }
  const id = Number((await desk.post('/tickets', desk.admin, body)).at('data.id'))
  await desk.put('/notifications/settings', agent, { ticket_due: 'list' })
  const invocation = { positionals: [], options: { automation: 'tickets.urgent', record: String(id) } }
  const text = await report(invocation, desk.engine.app)
  await desk.put('/notifications/settings', agent, { ticket_due: 'default' })
  const would = /what it would do for it now:\n((?: {4}.*\n)+)/.exec(text)?.[1] ?? text
  assert.match(would, `notify: ${agent.email} is told in the list, as they chose for ticket_due`)
  assert.match(would, `notify: ${customer.email} is told in the list and by mail`)
  assert.match(would, `notify: ${stranger.email} may not see the record, and is not told`)
})

test('people are told in the words that they may read; who made the change is not', async () => {
  const { id, uid } = await ticket(customer)
  await desk.put(`/tickets/${id}`, manager, { assigned_to: agent.id })
  const changed = await desk.put(`/tickets/${id}`, manager, { due_date: '2027-01-02' })
  assert.is(changed.status, 200, changed.text)
  const [one, ...others] = await told(agent, 'ticket_due', 1)
  assert.is(others.length, 0)
  const data = { ticket_id: id, ticket_uid: uid, ticket_subject: 'Printer', resource: 'tickets', record_id: id }
  const words = `Printer of Cleo Tester, ${agent.email}`
  assert.equal(
    [one?.type, one?.title, one?.message, one?.data],
    ['ticket_due', `Ticket #${uid} is due on 2027-01-02`, words, data],
  )
  assert.is((await told(customer, 'ticket_due', 1))[0]?.title, `Ticket #${uid} is due on 2027-01-02`)
  assert.is((await told(desk.admin, 'ticket_due', 1)).length, 1)
  assert.equal(await told(manager, 'ticket_due', 0), [])
  assert.equal(await told(stranger, 'ticket_due', 0), [])
  // The first is that the ticket was assigned.
  const mails = await mailsTo(desk, agent.email, 2, /Printer/)
  assert.ok(mails.some((mail) => mail.includes(`Ticket #${uid} is due on 2027-01-02.`)))
})

test('each person’s own settings hold for the kinds of automations too', async () => {
  const before = await desk.get('/notifications/settings', agent)
  assert.equal([before.at('data.ticket_due'), before.at('data.tagged')], ['default', 'default'])
  const chosen = await desk.put('/notifications/settings', agent, { ticket_due: 'neither', ticket_created: 'list' })
  assert.equal([chosen.at('data.ticket_due'), chosen.at('data.ticket_created')], ['neither', 'list'], chosen.text)
  assert.is((await desk.put('/notifications/settings', agent, { ticket_due: 'never' })).status, 422)
  const known = (await told(agent, 'ticket_due', 0)).length
  const { id } = await ticket(customer)
  await desk.put(`/tickets/${id}`, manager, { assigned_to: agent.id, due_date: '2027-02-03' })
  await told(desk.admin, 'ticket_due', 2)
  assert.is((await told(agent, 'ticket_due', 0)).length, known)
  await desk.put('/notifications/settings', agent, { ticket_due: 'default' })
  assert.is((await desk.get('/notifications/settings', agent)).at('data.ticket_due'), 'default')
})

test('an address that nobody confirmed hears only that there is news', async () => {
  const { id, uid } = await ticket(stranger)
  await desk.put(`/tickets/${id}`, manager, { due_date: '2027-03-04' })
  await told(stranger, 'ticket_due', 1)
  const mails = await mailsTo(desk, stranger.email, 1, new RegExp(`#${uid}`))
  assert.ok(mails.every((mail) => !mail.includes('2027-03-04') && !mail.includes('Printer')))
})

test('a hundred records take as many statements as one, and only who may see a record hears of it', async () => {
  const { knex } = desk.engine.database
  const { id } = await ticket(customer)
  const [{ status_id, priority_id, user_id }] = await knex('tickets').where({ id })
  const made = await knex('tickets')
    .insert(
      Array.from({ length: 100 }, (_, i) => ({
        subject: `N${i}`,
        details: 'x',
        status_id,
        priority_id,
        user_id,
        created_at: new Date(),
        updated_at: new Date(),
      })),
    )
    .returning('id')
  await desk.heard()
  const moment = '2026-03-04T05:06:00.000000Z'
  const records = [id, ...made.map((row: { id: number }) => row.id)].map((one) => ({ id: one, moment }))
  await desk.put('/notifications/settings', customer, { ticket_due: 'list' })
  const counted = await act(desk.engine, 'tickets.urgent', records.slice(0, 1))
  const rows = await knex('notifications').where({ type: 'ticket_due' }).count('* as n')
  const all = await act(desk.engine, 'tickets.urgent', records)
  assert.is(all, counted)
  const after = await knex('notifications').where({ type: 'ticket_due' }).count('* as n')
  // The admin, the manager, the agent and the customer whose they are, of 101 records; the other customer of none.
  assert.is(Number(after[0]?.n) - Number(rows[0]?.n), 404)
})

test('each is told once, in the words of the first entry that names them; whom except names is not told', async () => {
  const { id, uid } = await ticket(customer)
  const second = await desk.person('agent', 'Bert')
  const other = await desk.person('manager', 'Otto')
  await desk.put(`/tickets/${id}`, manager, { assigned_to: other.id })
  const stream = await follow(desk.address, '/api/v1/notifications/stream', {
    authorization: `Bearer ${customer.token}`,
  })
  const changed = await desk.put(`/tickets/${id}`, manager, { type_id: await desk.setting('types', 'Question') })
  assert.is(changed.status, 200, changed.text)
  const lines = async (person: Person) =>
    (await told(person, 'retyped', 1)).map(({ title, message }) => `${title}: ${message}`)
  assert.equal(await lines(customer), [`Your ticket #${uid} has a type: Printer`])
  assert.equal(await lines(desk.admin), [`#${uid} has a type: Of Cleo Tester`])
  assert.equal(await told(other, 'retyped', 0), [])
  assert.equal(await lines(second), [`#${uid} has a type: Printer`])
  const said = /We know what it is about!\r?\n\r?\n {2}It is on fire\./
  const mails = () => mailsTo(desk, customer.email, 1, new RegExp(`#${uid}`))
  await until(async () => (await mails()).some((mail) => said.test(mail)))
  const [one] = await told(customer, 'retyped', 1)
  const about = { ticket_id: id, ticket_uid: uid, ticket_subject: 'Printer' }
  assert.equal(one?.data, { ...about, number: uid, of: customer.id })
  await until(() => stream.told().includes(`created ${one?.id}`))
  stream.close()
})

test('plinth explain tells who is named under except', async () => {
  const body = { subject: 'Excepted', details: 'x', user_id: customer.id, assigned_to: manager.id }
  const id = String((await desk.post('/tickets', desk.admin, body)).at('data.id'))
  const text = await report(
    { options: { automation: 'tickets.retyped', record: id }, positionals: [] },
    desk.engine.app,
  )
  assert.match(text, `notify: ${manager.email} is named under except, and is not told`)
  assert.match(text, `notify: ${customer.email} is told in the list and by mail`)
})

test('a kind without a word of its own has that of its automation; lists are filtered by it', async () => {
  const { id } = await ticket(customer)
  await desk.put(`/tickets/${id}`, agent, { tags: ['a', 'b'] })
  assert.is((await told(desk.admin, 'tagged', 1))[0]?.title, 'Tags: a, b')
  assert.is((await desk.get('/notifications?type=untold', desk.admin)).status, 422)
})

test('mistakes are told at their place', async () => {
  const made = await resources(`automations:
  act:
    on: [create]
    notify: { to: [assigned, contact, { roles: [boss] }, { permission: tickets.shout }], title: "{{ subjekt }}", message: "{{ user }}" }
  tell:
    on: [create]
    notify:
      to: [$record, { title: x }, { people: user, roles: [admin] }, { people: user, in_mail: { text: "{{ txt }}" } }]
      except: [status]
      title: x
      in_mail: { sentence: "{{ uids }}" }
      data: { number: uidd }
`)
  const { diagnostics } = await readCatalog({ resourcesDir: made, pluginsDir: join(made, 'none') })
  await rm(made, { recursive: true })
  const said = diagnostics
    .filter(({ severity }) => severity !== 'warning')
    .map(({ message, span }) => `[${span?.source.text.slice(span.start, span.end)}] ${message}`)
  assert.equal(said, [
    '[assigned] "assigned" leads nowhere from "tickets"',
    '[contact] "contact" leads to contacts, which are no accounts',
    '[{ roles: [boss] }] There is no role "boss"',
    '[{ permission: tickets.shout }] There is no permission "tickets.shout"',
    '["{{ subjekt }}"] "tickets" has no field "subjekt"',
    '["{{ user }}"] "user" is a record, not a value',
    '[$record] A record of "tickets" is no account',
    '[{ title: x }] This names nobody',
    '[{ people: user, roles: [admin] }] "people" does not go with "roles" and "permission"',
    '["{{ txt }}"] "tickets" has no field "txt"',
    '[status] "status" leads to statuses, which are no accounts',
    '["{{ uids }}"] "tickets" has no field "uids"',
    '[uidd] "tickets" has no field "uidd"',
  ])
})

test.run()
