/** What the desk does by itself: it tells of due times, closes what was solved, and as much more as its file offers. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { type Answer, type Desk, openDesk, type Person } from './desk.ts'
import { deskWith } from './offered.ts'

interface World {
  desk: Desk
  agent: Person
  manager: Person
  customer: Person
}

const test = suite<World>('desk: by itself')
test.before(async (world) => {
  world.desk = await openDesk({}, deskWith('remind_customer', 'assign'))
  world.agent = await world.desk.person('agent', 'Alba')
  world.manager = await world.desk.person('manager', 'Mara')
  world.customer = await world.desk.person('customer', 'Cleo')
})
test.after(({ desk }) => desk.close())

async function open({ desk, customer }: World, body: object = {}): Promise<number> {
  const ticket = { subject: 'Printer', details: 'It smokes', user_id: customer.id, ...body }
  const made = await desk.post('/tickets', desk.admin, ticket)
  assert.is(made.status, 201, made.text)
  return Number(made.at('data.id'))
}

/** Has a moment of a ticket be so long ago. */
async function ago({ desk }: World, id: number, field: string, span: string): Promise<void> {
  const text = `update tickets set ${field} = clock_timestamp() - interval '${span}' where id = $1`
  await desk.engine.database.adhoc.run({ text }, [id])
}

async function told({ desk }: World, who: Person, type: string): Promise<Answer['list']> {
  return (await desk.get(`/notifications?type=${type}&per_page=100`, who)).list
}

const status = ({ desk }: World, name: string): Promise<number> => desk.setting('statuses', name)

test('who works on a ticket is told before a due time, and managers when it has passed', async (world) => {
  const { agent, desk, manager, customer } = world
  const id = await open(world, { assigned_to: agent.id, priority_id: await desk.setting('priorities', 'Critical') })
  await until(async () => (await told(world, agent, 'sla_due_soon')).length === 1)
  await ago(world, id, 'first_response_due_at', '0 seconds')
  await until(async () => (await told(world, manager, 'sla_breached')).length === 1)
  const [late] = await told(world, agent, 'sla_breached')
  assert.match(String(late?.title), /was not answered in time/)
  assert.equal([await told(world, manager, 'sla_due_soon'), await told(world, customer, 'sla_breached')], [[], []])
  const settings = await desk.get('/notifications/settings', agent)
  assert.is(settings.at('data.sla_breached'), 'default')
})

test('an answered ticket is not late, and one that waits for its customer is not either', async (world) => {
  const { agent, desk, manager } = world
  const before = (await told(world, manager, 'sla_breached')).length
  const [answered, waiting, late] = [
    await open(world, { assigned_to: agent.id }),
    await open(world, { assigned_to: agent.id }),
    await open(world, { assigned_to: agent.id }),
  ]
  await desk.post(`/tickets/${answered}/comments`, agent, { comment: 'Switch it off and on' })
  await desk.put(`/tickets/${waiting}`, agent, { status_id: await status(world, 'Pending') })
  for (const id of [answered, waiting, late]) await ago(world, id, 'first_response_due_at', '0 seconds')
  await until(async () => (await told(world, manager, 'sla_breached')).length > before)
  assert.is((await told(world, manager, 'sla_breached')).length, before + 1)
})

test('what was solved a week ago is closed, with the automation as its author; what was opened again is not', async (world) => {
  const { agent, desk } = world
  const [solved, again] = [await open(world), await open(world)]
  for (const id of [solved, again])
    assert.is((await desk.put(`/tickets/${id}`, agent, { status_id: await status(world, 'Resolved') })).status, 200)
  await desk.put(`/tickets/${again}`, agent, { status_id: await status(world, 'Open') })
  await ago(world, again, 'resolved_at', '7 days')
  await ago(world, solved, 'resolved_at', '7 days')
  await until(async () => (await desk.get(`/tickets/${solved}`, agent)).at('data.status.slug') === 'closed')
  assert.is((await desk.get(`/tickets/${again}`, agent)).at('data.status.slug'), 'open')
  const activity = await desk.get(`/tickets/${solved}/activity`, desk.admin)
  assert.match(activity.text, /tickets\.close_solved/)
})

test('a customer who does not answer is reminded by mail, once', async (world) => {
  const { agent, customer, desk } = world
  const id = await open(world, { subject: 'A quiet customer' })
  await desk.put(`/tickets/${id}`, agent, { status_id: await status(world, 'Pending') })
  await ago(world, id, 'paused_at', '3 days')
  const reminders = async (): Promise<readonly string[]> =>
    (await desk.mails()).filter((mail) => mail.includes('We wait for your answer') && mail.includes(customer.email))
  await until(async () => (await reminders()).length === 1)
  // Time for a second one.
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.is((await reminders()).length, 1)
})

test('new tickets of a department go to those who work there, to whoever has the fewest', async (world) => {
  const { desk } = world
  const department_id = await desk.setting('departments', 'Billing')
  const people = [await desk.person('agent', 'Bea'), await desk.person('agent', 'Bob')]
  for (const { id } of people) assert.is((await desk.put(`/users/${id}`, desk.admin, { department_id })).status, 200)
  const ids = [
    await open(world, { department_id }),
    await open(world, { department_id }),
    await open(world, { department_id }),
  ]
  const assigned = async (): Promise<readonly unknown[]> =>
    Promise.all(ids.map(async (id) => (await desk.get(`/tickets/${id}`, desk.admin)).at('data.assigned_to')))
  await until(async () => (await assigned()).every((id) => id !== null))
  const counts = people.map(async ({ id }) => (await assigned()).filter((one) => one === id).length)
  assert.equal((await Promise.all(counts)).sort(), [1, 2])
  const elsewhere = await open(world)
  await desk.heard()
  assert.is((await desk.get(`/tickets/${elsewhere}`, desk.admin)).at('data.assigned_to'), null)
})
test.run()
