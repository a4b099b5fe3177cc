/** Who is chosen: in turn, or who has the fewest, also when many come at once. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TestApplication } from '../support/application.ts'
import { until } from '../support/wait.ts'
import { make, openTasks, read, rows, secondInstance } from './world.ts'

const AUTOMATIONS = `
  turn:
    on: [create]
    when: { note: turn }
    set: { worker: { pick: { is_away: false, team: $record.team }, by: in_turn } }
  fewest:
    on: [create]
    when: { note: fewest }
    set: { worker: { pick: { is_away: false, team: $record.team }, by: fewest, where: { state: open } } }
  overdue:
    at: due_at
    when: { note: timed }
    set: { worker: { pick: { is_away: false, team: $record.team }, by: in_turn } }
`

const test = suite('picking')
let app: TestApplication
let [north, south] = [0, 0]

test.before(async () => {
  app = await openTasks(AUTOMATIONS)
  north = await make(app, 'teams', { name: 'North' })
  south = await make(app, 'teams', { name: 'South' })
  for (const name of ['ada', 'bob', 'cy']) await make(app, 'workers', { name, team_id: north })
  await make(app, 'workers', { name: 'away', team_id: north, is_away: true })
  for (const name of ['dan', 'eve']) await make(app, 'workers', { name, team_id: south })
})
test.after(() => app.close())

/** Makes a task and gives the name of whoever got it. */
async function worker(note: string, team: number): Promise<string | null> {
  const id = await make(app, 'tasks', { name: 't', note, team_id: team })
  await until(
    async () => (await rows(app, 'select 1 from plinth_automation_run where record_id = $1', [id])).length > 0,
  )
  const [row] = await rows(
    app,
    'select w.name from tasks t left join workers w on w.id = t.worker_id where t.id = $1',
    [id],
  )
  return row?.[0] ?? null
}

test('in turn, whatever the others get', async () => {
  const got: (string | null)[] = []
  for (const team of [north, south, north, south, north, south, north]) got.push(await worker('turn', team))
  assert.equal(got, ['ada', 'dan', 'bob', 'eve', 'cy', 'dan', 'ada'])
})

test('who is new is next, and who is away is passed by', async () => {
  const id = await make(app, 'workers', { name: 'fay', team_id: south })
  assert.is(await worker('turn', south), 'fay')
  await app.call('PATCH', `/workers/${id}`, { body: { is_away: true } })
  assert.equal(
    [await worker('turn', south), await worker('turn', south), await worker('turn', south)],
    ['eve', 'dan', 'eve'],
  )
})

test('where there is nobody the field stays as it is', async () => {
  const empty = await make(app, 'teams', { name: 'Empty' })
  assert.is(await worker('turn', empty), null)
})

test('who has the fewest of those that count', async () => {
  await app.call('PATCH', '/tasks/1', { body: { state: 'done' } })
  await rows(app, "update tasks set state = 'closed'")
  const busy = await worker('fewest', south)
  const other = await worker('fewest', south)
  assert.equal([busy, other].sort(), ['dan', 'eve'])
  await rows(app, "update tasks set state = 'closed' where worker_id = (select id from workers where name = $1)", [
    busy,
  ])
  assert.is(await worker('fewest', south), busy)
})

test('many at once, on two instances, are shared evenly', async () => {
  const second = await secondInstance(app)
  try {
    await rows(
      app,
      `insert into tasks (name, state, is_late, count, note, team_id, due_at)
      select 'many', 'open', false, 0, 'timed', $1::int, clock_timestamp() from generate_series(1, 240)`,
      [north],
    )
    await until(
      async () => (await rows(app, "select 1 from tasks where name = 'many' and worker_id is not null")).length === 240,
      30_000,
    )
    const shares = await rows(
      app,
      "select w.name, count(*) from tasks t join workers w on w.id = t.worker_id where t.name = 'many' group by 1 order by 1",
    )
    assert.equal(shares, [
      ['ada', '80'],
      ['bob', '80'],
      ['cy', '80'],
    ])
    assert.ok(await read(app, 'tasks/1'))
  } finally {
    await second.close()
  }
})

test.run()
