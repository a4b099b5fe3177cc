/** Automations by the clock: each time once for all instances, for the records that the condition chooses. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TestApplication } from '../support/application.ts'
import { until } from '../support/wait.ts'
import { broken, rung } from './plugins/bell/rung.ts'
import { make, openTasks, read, rows, runs, secondInstance } from './world.ts'

const AUTOMATIONS = `
  weekly:
    every: "0 8 * * mon"
    in: Europe/Berlin
    when: { state: open, note: weekly }
    set: { count: { plus: [$record.count, 1] } }
    create: { tasks: { name: { text: "Follow up {{ name }}" }, note: weekly } }
  nightly:
    every: "0 3 * * *"
    create: { notes: { text: night } }
    ring: { text: night }
`

const test = suite('automations by the clock')
let app: TestApplication

test.before(async () => {
  app = await openTasks(AUTOMATIONS)
})
test.after(() => app.close())

/** Lets a schedule be due. */
async function due(name: string): Promise<void> {
  await rows(app, "update plinth_automation set next_at = clock_timestamp() - interval '1 minute' where name = $1", [
    name,
  ])
}

async function nextOf(name: string): Promise<string> {
  const [row] = await rows(
    app,
    "select to_char(next_at at time zone 'Europe/Berlin', 'Dy HH24:MI') from plinth_automation where name = $1 and next_at > clock_timestamp()",
    [name],
  )
  return row?.[0] ?? 'due'
}

test('it waits for its time, on the clocks of its zone', async () => {
  assert.is(await nextOf('tasks.weekly'), 'Mon 08:00')
})

test('it acts for the records that the condition chooses, and for none that come meanwhile', async () => {
  const ids = await Promise.all(['a', 'b'].map((name) => make(app, 'tasks', { name, note: 'weekly' })))
  const other = await make(app, 'tasks', { name: 'c' })
  await due('tasks.weekly')
  await until(async () => (await nextOf('tasks.weekly')) === 'Mon 08:00')
  for (const id of ids) assert.is((await read(app, `tasks/${id}`)).count, 1)
  assert.is((await read(app, `tasks/${other}`)).count, 0)
  const made = await rows(app, "select count(*), sum(count) from tasks where name like 'Follow up%'")
  assert.equal(made, [['2', '0']])
})

test('without a condition it acts once, and has no records', async () => {
  await due('tasks.nightly')
  await until(async () => (await nextOf('tasks.nightly')) !== 'due')
  const nights = rung.filter(({ text }) => text === 'night')
  assert.equal(nights, [{ automation: 'tasks.nightly', text: 'night', ids: [] }])
  assert.equal(await rows(app, 'select text from notes'), [['night']])
  assert.equal(await runs(app, 'tasks.nightly'), ['0 done: create notes 1; run bell.ring'])
})

test('what was missed for weeks comes once', async () => {
  await rows(
    app,
    "update plinth_automation set next_at = clock_timestamp() - interval '20 days' where name = 'tasks.nightly'",
  )
  await until(async () => (await nextOf('tasks.nightly')) !== 'due')
  assert.is((await runs(app, 'tasks.nightly')).length, 2)
})

test('two instances act once', async () => {
  const second = await secondInstance(app)
  try {
    await rows(
      app,
      `insert into tasks (name, state, is_late, count, note) select 'many ' || n, 'open', false, 0, 'weekly' from generate_series(1, 250) n`,
    )
    await due('tasks.weekly')
    await until(async () => (await nextOf('tasks.weekly')) === 'Mon 08:00', 30_000)
    const [counted] = await rows(app, "select count(*), sum(count) from tasks where name like 'many%'")
    assert.equal(counted, ['250', '250'])
  } finally {
    await second.close()
  }
})

test('an error undoes everything, and it comes again', async () => {
  await app.close()
  app = await openTasks(
    '  daily: { every: "0 3 * * *", when: { note: daily }, set: { is_late: true }, ring: { text: daily } }',
  )
  broken.set('e', Number.POSITIVE_INFINITY)
  const [bad, good] = await Promise.all(['e', 'f'].map((name) => make(app, 'tasks', { name, note: 'daily' })))
  await due('tasks.daily')
  await until(async () => (await read(app, `tasks/${good}`)).is_late === true)
  assert.is((await read(app, `tasks/${bad}`)).is_late, false)
  broken.delete('e')
  await until(async () => (await read(app, `tasks/${bad}`)).is_late === true)
})

test.run()
