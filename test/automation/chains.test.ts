/** Automations that set each other off: never themselves, and not without end. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listenerStates } from '../../engine/index.ts'
import type { TestApplication } from '../support/application.ts'
import { until } from '../support/wait.ts'
import { make, openTasks, read, rows, runs } from './world.ts'

const AUTOMATIONS = `
  count:
    on: [update]
    when: { note: alone }
    set: { count: { plus: [$record.count, 1] } }
  ping:
    on: [create, update]
    changed: is_late
    when: { note: both }
    set: { count: { plus: [$record.count, 1] }, state: done }
  pong:
    on: [update]
    changed: count
    when: { note: both }
    set: { is_late: true, name: { text: "{{ name }}." } }
  grow:
    on: [create]
    when: { note: grow }
    create: { tasks: { name: grown, note: bloom } }
  bloom:
    on: [create]
    when: { note: bloom }
    create: { tasks: { name: bloomed, note: grow } }
`

const test = suite('chains of automations')
let app: TestApplication

test.before(async () => {
  app = await openTasks(AUTOMATIONS)
})
test.after(() => app.close())

/** Waits until every write has been worked. */
async function settled(): Promise<void> {
  const { app: served, database } = app.engine
  await until(async () => {
    const states = await listenerStates(database.adhoc, served.catalog, new Date())
    return states.every(({ waiting, deferred }) => waiting + deferred === 0)
  }, 20_000)
}

test('an automation is not set off by what it writes itself', async () => {
  const id = await make(app, 'tasks', { name: 'a', note: 'alone' })
  await app.call('PATCH', `/tasks/${id}`, { body: { name: 'b' } })
  await until(async () => (await read(app, `tasks/${id}`)).count === 1)
  await app.call('PATCH', `/tasks/${id}`, { body: { name: 'c' } })
  await until(async () => (await read(app, `tasks/${id}`)).count === 2)
  assert.equal(await runs(app, 'tasks.count'), [`${id} done: set count`, `${id} done: set count`])
})

test('two that set each other off end after eight in a row', async () => {
  await make(app, 'tasks', { name: 'seed', note: 'grow' })
  await until(async () => (await runs(app, 'tasks.grow')).some((run) => run.includes('ended')), 20_000)
  assert.is((await runs(app, 'tasks.grow')).length + (await runs(app, 'tasks.bloom')).length, 9)
  const [counted] = await rows(app, "select count(*) from tasks where name in ('grown', 'bloomed')")
  assert.equal(counted, ['8'])
  const [deepest] = await rows(app, 'select max(depth) from plinth_change')
  assert.equal(deepest, ['8'])
  const [last] = (await runs(app, 'tasks.grow')).slice(-1)
  assert.match(last ?? '', /ended: not done: 8 automations in a row have set each other off$/)
})

test('two that change each other rest when nothing changes any more', async () => {
  const id = await make(app, 'tasks', { name: 'x', note: 'both' })
  await until(async () => (await read(app, `tasks/${id}`)).name !== 'x')
  await until(async () => (await read(app, `tasks/${id}`)).count === 2)
  await settled()
  const { count, name } = await read(app, `tasks/${id}`)
  assert.equal({ count, name }, { count: 2, name: 'x..' })
})

test('a write of the whole table is worked, each record once', async () => {
  await rows(
    app,
    "insert into tasks (name, state, is_late, count, note) select 'w' || n, 'open', false, 0, 'alone' from generate_series(1, 60) n",
  )
  const ids = (await rows(app, "select id from tasks where name like 'w%'")).map(([id]) => id)
  for (const id of ids) await app.call('PATCH', `/tasks/${id}`, { body: { is_late: true } })
  await until(
    async () => (await rows(app, "select 1 from tasks where name like 'w%' and count = 1")).length === 60,
    30_000,
  )
  await settled()
  const [counted] = await rows(app, "select sum(count), max(count) from tasks where name like 'w%'")
  assert.equal(counted, ['60', '1'])
})

test.run()
