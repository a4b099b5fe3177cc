/** What customers are promised: due times by priority and calendar, that stand still while the customer is asked, and their state. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, type Desk, openDesk } from './desk.ts'

const test = suite<{ desk: Desk }>('desk: what was promised')
test.before(async (world) => {
  world.desk = await openDesk()
})
test.after(({ desk }) => desk.close())

const MINUTE = 60_000

interface Due {
  readonly id: number
  readonly first: number | null
  readonly resolution: number | null
  readonly state: unknown
  readonly created: number
  readonly paused: unknown
}

function due(answer: Answer): Due {
  const moment = (path: string): number => Date.parse(String(answer.at(`data.${path}`)))
  return {
    id: Number(answer.at('data.id')),
    first: answer.at('data.first_response_due_at') === null ? null : moment('first_response_due_at'),
    resolution: answer.at('data.resolution_due_at') === null ? null : moment('resolution_due_at'),
    state: answer.at('data.sla_state'),
    created: moment('created_at'),
    paused: answer.at('data.paused_at'),
  }
}

async function open(desk: Desk, priority: string): Promise<Due> {
  const priority_id = await desk.setting('priorities', priority)
  const made = await desk.post('/tickets', desk.admin, { subject: 'Printer', details: 'It smokes', priority_id })
  assert.is(made.status, 201, made.text)
  return due(made)
}

async function change(desk: Desk, id: number, body: object): Promise<Due> {
  const answer = await desk.put(`/tickets/${id}`, desk.admin, body)
  assert.is(answer.status, 200, answer.text)
  return due(answer)
}

/** Lets time pass for a ticket: its stored moments move back. */
async function pass({ engine }: Desk, id: number, minutes: number): Promise<void> {
  const back = ['created_at', 'paused_at', 'first_response_due_at', 'resolution_due_at']
  const set = back.map((name) => `${name} = ${name} - interval '${minutes} minutes'`)
  await engine.database.adhoc.run({ text: `update tickets set ${set.join(', ')} where id = $1` }, [id])
}

const status = (desk: Desk, name: string): Promise<number> => desk.setting('statuses', name)

test('a ticket is due by its priority, and one of another priority anew', async ({ desk }) => {
  const critical = await open(desk, 'Critical')
  assert.is(critical.first, critical.created + 30 * MINUTE)
  assert.is(critical.resolution, critical.created + 240 * MINUTE)
  assert.is(critical.state, 'due_soon')
  const low = await change(desk, critical.id, { priority_id: await desk.setting('priorities', 'Low') })
  assert.ok((low.resolution ?? 0) > critical.created + 7 * 1_440 * MINUTE, 'ten working days')
  assert.is(low.state, 'on_track')
})

test('due times stand still while the customer is asked', async ({ desk }) => {
  const { id, created } = await open(desk, 'Critical')
  const paused = await change(desk, id, { status_id: await status(desk, 'Pending') })
  assert.is(paused.state, 'paused')
  await pass(desk, id, 120)
  const waiting = due(await desk.get(`/tickets/${id}`, desk.admin))
  assert.is(waiting.state, 'paused', 'a due time that passed meanwhile is no breach')
  const going = await change(desk, id, { status_id: await status(desk, 'Open') })
  assert.is(going.paused, null)
  const slack = 10_000
  assert.ok(Math.abs((going.resolution ?? 0) - (created + 240 * MINUTE)) < slack, 'the two hours do not count')
  const high = await change(desk, id, { priority_id: await desk.setting('priorities', 'High') })
  const back = await change(desk, high.id, { priority_id: await desk.setting('priorities', 'Critical') })
  assert.is(back.resolution, going.resolution, 'what stood still is not forgotten with another priority')
})

test('a late answer is a breach, a ticket that is solved in time has met what was promised', async ({ desk }) => {
  const [late, solved] = [await open(desk, 'Critical'), await open(desk, 'Critical')]
  await pass(desk, late.id, 31)
  assert.is(due(await desk.get(`/tickets/${late.id}`, desk.admin)).state, 'breached')
  assert.is((await change(desk, solved.id, { status_id: await status(desk, 'Resolved') })).state, 'met')
  assert.is((await change(desk, late.id, { status_id: await status(desk, 'Resolved') })).state, 'breached')
  const found = await desk.get(`/tickets?sla_state=breached`, desk.admin)
  assert.equal(
    found.list.map((one) => one.id),
    [late.id],
  )
  const sorted = await desk.get('/tickets?sort=resolution_due_at&per_page=1', desk.admin)
  assert.is(sorted.status, 200, sorted.text)
})

test('a target that changes concerns tickets from then on; without one nothing is promised', async ({ desk }) => {
  const before = await open(desk, 'Medium')
  const [target] = (await desk.get('/settings/sla?priority_id=2', desk.admin)).list
  assert.is((target as { hours?: string }).hours, 'business')
  const path = `/settings/sla/${target?.id}`
  assert.is((await desk.put(path, desk.admin, { hours: 'always', resolution_minutes: 60 })).status, 200)
  assert.equal(due(await desk.get(`/tickets/${before.id}`, desk.admin)).resolution, before.resolution)
  const after = await open(desk, 'Medium')
  assert.is(after.resolution, after.created + 60 * MINUTE)
  assert.is((await desk.put(path, desk.admin, { hours: 'nights' })).status, 422)
  assert.is((await desk.remove(path, desk.admin)).status, 204)
  const none = await open(desk, 'Medium')
  assert.equal([none.first, none.resolution, none.state], [null, null, null])
  const pending = await change(desk, none.id, { status_id: await status(desk, 'Pending') })
  assert.is((await change(desk, pending.id, { status_id: await status(desk, 'Open') })).state, null)
})

test('the dashboard counts the states of each priority', async ({ desk }) => {
  const answer = await desk.get('/dashboard/sla', desk.admin)
  assert.is(answer.status, 200, answer.text)
  const rows = answer.at('data.priorities') as { name: string; met: number; breached: number; met_rate: number }[]
  const critical = rows.find(({ name }) => name === 'Critical')
  assert.equal([critical?.met, critical?.breached, critical?.met_rate], [1, 1, 50])
  assert.is(answer.at('data.met'), 1)
  const agent = await desk.person('agent', 'Ada')
  const none = await desk.get(`/dashboard/sla?assigned_to=${agent.id}`, desk.admin)
  assert.equal([none.at('data.met'), none.at('data.met_rate')], [0, 0])
})

test('customers are not told', async ({ desk }) => {
  const customer = await desk.person('customer', 'Cleo')
  const made = await desk.post('/tickets', customer, { subject: 'Printer', details: 'It smokes' })
  for (const key of ['sla_state', 'first_response_due_at', 'resolution_due_at', 'paused_at'])
    assert.not(made.keys.includes(key), key)
  assert.is((await desk.get('/tickets?sla_state=breached', customer)).status, 422)
  assert.is((await desk.get('/settings/sla', customer)).status, 403)
})
test.run()
