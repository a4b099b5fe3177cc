/** Automations after a write: what sets one off, what it does, and that it does it once. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TestApplication } from '../support/application.ts'
import { until } from '../support/wait.ts'
import { broken, rung, unwanted } from './plugins/bell/rung.ts'
import { make, openTasks, read, rows, runs, secondInstance } from './world.ts'

const AUTOMATIONS = `
  greet:
    on: [create]
    when: { team: null, name: { ne: quiet } }
    set: { note: { text: "Hello {{ name }}" } }
    create: { notes: { task: $record, text: { text: "Made {{ name }}" }, size: 3 } }
  stamp:
    description: Notes when a task is done.
    on: [update]
    changed: state
    when: { state: done }
    set: { done_at: $now }
  reopened:
    on: [update]
    changed: { state: { from: [done, closed], to: open }, worker: { from: null } }
    set: { note: { text: "Begun again" } }
  removed:
    on: [delete]
    when: { name: gone }
    create: { notes: { text: { text: "Removed {{ name }}" } } }
  bell:
    on: [create]
    when: { name: { starts_with: ring } }
    ring: { text: new }
    set: { count: { plus: [$record.count, 1] } }
`

const test = suite('automations after a write')
let app: TestApplication

test.before(async () => {
  app = await openTasks(AUTOMATIONS)
})
test.after(() => app.close())

const notes = async (): Promise<readonly (string | null)[]> =>
  (await rows(app, 'select text from notes order by id')).map(([text = null]) => text)

test('a new record is changed, and another is created, with its values', async () => {
  const id = await make(app, 'tasks', { name: 'first' })
  await until(async () => (await notes()).includes('Made first'))
  assert.is((await read(app, `tasks/${id}`)).note, 'Hello first')
  const [note] = await rows(app, 'select task_id, size from notes')
  assert.equal(note, [String(id), '3'])
  assert.equal(await runs(app, 'tasks.greet'), [`${id} done: set note; create notes 1`])
})

test('where the condition does not hold nothing happens', async () => {
  const team = await make(app, 'teams', { name: 'North' })
  const [quiet, theirs] = [
    await make(app, 'tasks', { name: 'quiet' }),
    await make(app, 'tasks', { name: 'a', team_id: team }),
  ]
  const last = await make(app, 'tasks', { name: 'last' })
  await until(async () => (await notes()).includes('Made last'))
  assert.is((await read(app, `tasks/${quiet}`)).note, null)
  assert.is((await read(app, `tasks/${theirs}`)).note, null)
  assert.equal((await runs(app, 'tasks.greet')).at(-1), `${last} done: set note; create notes 2`)
})

test('an update sets it off that changes what it waits for, and no other', async () => {
  const id = await make(app, 'tasks', { name: 'work' })
  await app.call('PATCH', `/tasks/${id}`, { body: { name: 'more work' } })
  await app.call('PATCH', `/tasks/${id}`, { body: { state: 'done' } })
  await until(async () => (await read(app, `tasks/${id}`)).done_at !== null)
  assert.equal(await runs(app, 'tasks.stamp'), [`${id} done: set done_at`])
})

test('of a change from one value to another, only that one sets it off', async () => {
  const worker = await make(app, 'workers', { name: 'Wim' })
  const id = await make(app, 'tasks', { name: 'again' })
  for (const state of ['closed', 'open', 'closed']) await app.call('PATCH', `/tasks/${id}`, { body: { state } })
  await until(async () => (await runs(app, 'tasks.reopened')).length === 1)
  await app.call('PATCH', `/tasks/${id}`, { body: { worker_id: worker } })
  await until(async () => (await runs(app, 'tasks.reopened')).length === 2)
  await app.call('PATCH', `/tasks/${id}`, { body: { worker_id: null } })
  const last = await make(app, 'tasks', { name: 'last again', worker_id: worker })
  await app.call('PATCH', `/tasks/${last}`, { body: { worker_id: null, name: 'idle' } })
  await app.call('PATCH', `/tasks/${last}`, { body: { worker_id: worker } })
  await until(async () => (await runs(app, 'tasks.reopened')).length === 3)
  assert.equal(
    (await runs(app, 'tasks.reopened')).map((line) => line.split(' ')[0]),
    [id, id, last].map(String),
  )
})

test('what was deleted is told of', async () => {
  const id = await make(app, 'tasks', { name: 'gone' })
  await app.call('DELETE', `/tasks/${id}`)
  await until(async () => (await notes()).includes('Removed gone'))
})

test('an action of a plugin gets the records, and its work and the rest are one', async () => {
  const id = await make(app, 'tasks', { name: 'ring me' })
  await until(() => rung.some(({ ids }) => ids.includes(id)))
  await until(async () => (await read(app, `tasks/${id}`)).count === 1)
  assert.equal(
    rung.find(({ ids }) => ids.includes(id)),
    { automation: 'tasks.bell', text: 'new', ids: [id] },
  )
  assert.equal(await runs(app, 'tasks.bell'), [`${id} done: run bell.ring; set count`])
})

test('a refusal is the outcome of its record alone, with its sentence, and is not tried again', async () => {
  unwanted.add('ring b')
  const ids = await Promise.all(['ring a', 'ring b', 'ring c'].map((name) => make(app, 'tasks', { name })))
  await until(async () => (await runs(app, 'tasks.bell')).length === 4)
  const said = await runs(app, 'tasks.bell')
  assert.ok(said.includes(`${ids[1]} refused: Nobody wants to hear of ring b`), said.join('\n'))
  assert.is((await read(app, `tasks/${ids[1]}`)).count, 0)
  assert.is((await read(app, `tasks/${ids[2]}`)).count, 1)
})

test('an error undoes everything and is tried again', async () => {
  broken.set('ring broken', Number.POSITIVE_INFINITY)
  const id = await make(app, 'tasks', { name: 'ring broken' })
  const other = await make(app, 'tasks', { name: 'ring whole' })
  await until(async () => (await read(app, `tasks/${other}`)).count === 1)
  assert.is((await read(app, `tasks/${id}`)).count, 0)
  broken.delete('ring broken')
  await until(async () => (await read(app, `tasks/${id}`)).count === 1)
  const [ringing] = await rows(app, 'select count(*) from rings where task = $1', [id])
  assert.equal(ringing, ['1'])
})

test('two instances act once', async () => {
  const second = await secondInstance(app)
  try {
    const ids = await Promise.all(Array.from({ length: 30 }, (_, i) => make(app, 'tasks', { name: `ring ${i}` })))
    await until(
      async () => (await rows(app, 'select 1 from tasks where id = any($1::int[]) and count = 1', [ids])).length === 30,
    )
    const [ringing] = await rows(app, 'select count(*), count(distinct task) from rings where task = any($1::int[])', [
      ids,
    ])
    assert.equal(ringing, ['30', '30'])
  } finally {
    await second.close()
  }
})

test('the log of changes says which automation wrote', async () => {
  const id = await make(app, 'tasks', { name: 'logged' })
  await until(async () => (await read(app, `tasks/${id}`)).note !== null)
  const written = await rows(app, 'select action, source, depth from plinth_change where record_id = $1 order by id', [
    id,
  ])
  assert.equal(written, [
    ['create', null, '0'],
    ['update', 'tasks.greet', '1'],
  ])
})

test('who reads what was changed reads which automation did it', async () => {
  const id = await make(app, 'tasks', { name: 'read' })
  await until(async () => (await read(app, `tasks/${id}`)).note !== null)
  const activity = await app.call('GET', `/tasks/${id}/activity`, { token: 'ada' })
  assert.equal(
    (activity.at('data') as readonly { readonly automation: unknown; readonly user: unknown }[]).map((one) => [
      one.automation,
      one.user,
    ]),
    [
      ['tasks.greet', null],
      [null, null],
    ],
  )
})

test('the reference tells what a write sets off, in the words of its description', async () => {
  const { paths } = (await app.call('GET', '/openapi.json')).body as { readonly paths: Record<string, object> }
  assert.match(
    JSON.stringify(paths['/tasks/{id}']),
    'What may happen soon after, by itself:\\n- `stamp`: Notes when a task is done.',
  )
  assert.not.match(JSON.stringify(paths['/tasks']), 'by itself')
})

test('the metrics count runs by their outcome', async () => {
  const metrics = (await app.call('GET', '/metrics', { token: 'numbers' })).text
  assert.match(metrics, /plinth_automation_runs_total\{automation="tasks\.bell",outcome="refused"\} 1/)
  assert.match(metrics, /plinth_automation_runs_total\{automation="tasks\.stamp",outcome="done"\} 1/)
})

test.run()
