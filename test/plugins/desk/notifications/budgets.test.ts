/** Budgets of mails: what one person's acts cause, what strangers get, what waits, and who is told. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, mailsTo, openDesk, type Person } from '../../../desk/desk.ts'
import { until } from '../../../support/wait.ts'

let desk: Desk
let folder: string
let manager: Person
let agent: Person
let customer: Person
const test = suite('desk: budgets of mails')

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plinth-budgets-'))
  await cp('resources', folder, { recursive: true })
  const file = join(folder, 'app.yaml')
  const text = (await readFile(file, 'utf8')).replace(
    /^ {4}# budgets: .*$/m,
    '    budgets: { person_hour: 6, invitations_day: 8, strangers_day: 2, day: 1000 }',
  )
  assert.match(text, /person_hour: 6/)
  await writeFile(file, text)
  desk = await openDesk({}, folder)
  manager = await desk.person('manager', 'Mona')
  agent = await desk.person('agent', 'Alba')
  customer = await desk.person('customer', 'Cleo')
})
test.after(async () => {
  await desk.close()
  await rm(folder, { recursive: true })
})

/** Mails that wait for the next hour or day. */
async function waiting(count: number): Promise<readonly { payload: { to: string; by?: number } }[]> {
  const { knex } = desk.engine.database
  const rows = () =>
    knex('plinth_job')
      .where({ name: 'mail.send', status: 'pending' })
      .where('due_at', '>', knex.raw("now() + interval '1 second'"))
      .select('payload')
  await until(async () => (await rows()).length >= count)
  return rows()
}

async function told(person: Person): Promise<readonly unknown[]> {
  const { list } = await desk.get('/notifications?type=mails_wait', person)
  return list.map(({ message }) => message)
}

async function ticket(more: object = {}): Promise<string> {
  const made = await desk.post('/tickets', agent, { subject: 'Copy', details: 'x', user_id: customer.id, ...more })
  assert.is(made.status, 201, made.text)
  return `/tickets/${made.at('data.id')}`
}

test('copies to addresses that nobody knows wait when there were enough of them in a day', async () => {
  const { at } = await desk.post('/contacts', agent, {
    first_name: 'Kim',
    last_name: 'Known',
    email: 'kim@known.example',
  })
  const cc = ['a@strange.example', 'b@strange.example', 'c@strange.example']
  await ticket({ cc, contact_id: at('data.id') })
  const [held, ...more] = await waiting(1)
  assert.equal([more.length, held?.payload.to.endsWith('@strange.example')], [0, true])
  const sent = await Promise.all(cc.map((address) => mailsTo(desk, address)))
  assert.is(sent.flat().length, 2)
  assert.is((await mailsTo(desk, 'kim@known.example', 1)).length, 1)
  await until(async () => (await told(manager)).length === 1)
  assert.match(
    String((await told(manager))[0]),
    /^2 copies to unknown addresses by acts of the account \d+ have been sent; more wait until/,
  )
  assert.equal(await told(agent), [])
})

test('mails to others wait when one person caused enough of them in an hour, and those of others do not', async () => {
  const before = (await waiting(1)).length
  const path = await ticket()
  for (let n = 0; n < 8; n += 1)
    assert.is((await desk.post(`${path}/comments`, agent, { comment: `Word ${n}` })).status, 201)
  const held = await waiting(before + 1)
  assert.ok(held.every(({ payload }) => payload.by === agent.id))
  const mailed = (await mailsTo(desk, customer.email)).length
  assert.ok(mailed <= 6, `${mailed}`)
  await desk.post(`${path}/comments`, manager, { comment: 'From the manager' })
  await mailsTo(desk, customer.email, mailed + 1)
  await until(async () => (await told(desk.admin)).length === 2)
})

test('invitations have a budget of their own', async () => {
  const before = (await waiting(0)).length
  const role_id = await desk.setting('roles', 'customer')
  for (let n = 0; n < 9; n += 1) {
    const person = { first_name: 'New', last_name: `Person${n}`, email: `new${n}@people.example`, role_id }
    assert.is((await desk.post('/users', manager, person)).status, 201)
  }
  const held = await waiting(before + 1)
  const invited = held.filter(({ payload }) => payload.to.startsWith('new'))
  assert.is(invited.length, 1, 'eight leave, although six are all that a person else sends in an hour')
  await until(async () =>
    (await told(desk.admin)).some((one) => String(one).startsWith('8 invitations by the account')),
  )
})

test('who asks for a link waits for no budget', async () => {
  await desk.engine.database
    .knex('mail_budgets')
    .insert({ bucket: 'all', begins_at: new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000), sent: 5_000 })
    .onConflict(['bucket', 'begins_at'])
    .merge()
  await desk.post('/auth/password/reset', undefined, { email: customer.email })
  assert.is((await mailsTo(desk, customer.email, 1, /new password/)).length, 1)
})

test('what waits leaves when its time has come', async () => {
  const { knex } = desk.engine.database
  const before = (await waiting(1)).length
  assert.ok(before > 0)
  await knex('mail_budgets').delete()
  await knex('plinth_job').where({ name: 'mail.send', status: 'pending' }).limit(2).update({ due_at: new Date() })
  await until(async () => (await waiting(0)).length < before)
})

test.run()
