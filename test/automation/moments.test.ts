/** Automations at moments of records: when one acts, once for each, through failures and with several instances. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TestApplication } from '../support/application.ts'
import { until } from '../support/wait.ts'
import { broken, rung } from './plugins/bell/rung.ts'
import { began, inMinutes, make, openTasks, read, rows, runs, secondInstance } from './world.ts'

const AUTOMATIONS = `
  late:
    at: due_at
    when: { state: open }
    set: { is_late: true }
    create: { notes: { task: $record, text: { text: "{{ name }} is late" } } }
  close:
    at: done_at
    after: 7 days
    when: { state: done }
    set: { state: closed }
  remind:
    at: due_at
    before: 30 minutes
    when: { note: remind }
    ring: { text: soon }
  monthly:
    at: due_at
    after: 1 month
    when: { note: monthly }
    ring: { text: month }
  day_before:
    at: due_on
    before: 15 hours
    in: Pacific/Kiritimati
    when: { note: day }
    ring: { text: day }
`

const test = suite('automations at moments')
let app: TestApplication

test.before(async () => {
  app = await openTasks(AUTOMATIONS, 20)
  await began(app, '1 year')
})
test.after(() => app.close())

const isLate = async (id: number): Promise<boolean> => (await read(app, `tasks/${id}`)).is_late === true
const hasRung = (id: number, text: string): boolean => rung.some((one) => one.text === text && one.ids.includes(id))

test('it acts when the moment has come, once, and not before', async () => {
  const later = await make(app, 'tasks', { name: 'later', due_at: inMinutes(60) })
  const now = await make(app, 'tasks', { name: 'now', due_at: inMinutes(-1) })
  await until(() => isLate(now))
  assert.not(await isLate(later))
  await app.call('PATCH', `/tasks/${now}`, { body: { is_late: false } })
  const next = await make(app, 'tasks', { name: 'next', due_at: inMinutes(-1) })
  await until(() => isLate(next))
  assert.not(await isLate(now))
  assert.equal(await runs(app, 'tasks.late'), [
    `${now} done: set is_late; create notes 1`,
    `${next} done: set is_late; create notes 2`,
  ])
})

test('a new moment counts anew', async () => {
  const id = await make(app, 'tasks', { name: 'again', due_at: inMinutes(-2) })
  await until(() => isLate(id))
  await app.call('PATCH', `/tasks/${id}`, { body: { is_late: false, due_at: inMinutes(-1) } })
  await until(() => isLate(id))
})

test('the condition is judged when the moment comes, and not later again', async () => {
  const id = await make(app, 'tasks', { name: 'done', state: 'done', due_at: inMinutes(-1) })
  const judged = `${id} unmet: `
  await until(async () => (await runs(app, 'tasks.late')).includes(judged))
  await app.call('PATCH', `/tasks/${id}`, { body: { state: 'open' } })
  const other = await make(app, 'tasks', { name: 'other', due_at: inMinutes(-1) })
  await until(() => isLate(other))
  assert.not(await isLate(id))
})

test('so long after, and so long before', async () => {
  const soon = await make(app, 'tasks', { name: 'soon', note: 'remind', due_at: inMinutes(20) })
  const early = await make(app, 'tasks', { name: 'early', note: 'remind', due_at: inMinutes(40) })
  const week = await make(app, 'tasks', { name: 'week', state: 'done' })
  const day = await make(app, 'tasks', { name: 'day', state: 'done' })
  await rows(app, "update tasks set done_at = clock_timestamp() - interval '7 days 1 minute' where id = $1", [week])
  await rows(app, "update tasks set done_at = clock_timestamp() - interval '6 days' where id = $1", [day])
  await until(() => hasRung(soon, 'soon'))
  await until(async () => (await read(app, `tasks/${week}`)).state === 'closed')
  assert.not(hasRung(early, 'soon'))
  assert.is((await read(app, `tasks/${day}`)).state, 'done')
})

test('months are those of the calendar', async () => {
  const [past, future] = [
    await make(app, 'tasks', { name: 'p', note: 'monthly' }),
    await make(app, 'tasks', { name: 'f', note: 'monthly' }),
  ]
  await rows(app, "update tasks set due_at = clock_timestamp() - interval '1 month 1 hour' where id = $1", [past])
  await rows(
    app,
    "update tasks set due_at = clock_timestamp() - interval '1 month' + interval '1 hour' where id = $1",
    [future],
  )
  await until(() => hasRung(past, 'month'))
  assert.not(hasRung(future, 'month'))
})

test('a date is the moment at which its day begins in the zone', async () => {
  // Kiritimati is 14 hours ahead, so 15 hours before its day begins are 29 hours before the day of UTC does.
  const day = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 10)
  // The latest day whose moment has come: it came less than a day ago, whatever the time is now.
  const [inside, outside] = [day(29), day(29 + 25)]
  const [a, b] = [
    await make(app, 'tasks', { name: 'in', note: 'day', due_on: inside }),
    await make(app, 'tasks', { name: 'out', note: 'day', due_on: outside }),
  ]
  await until(() => hasRung(a, 'day'))
  assert.not(hasRung(b, 'day'))
})

test('a moment that lies more than a day back when it is written is history', async () => {
  await rows(app, 'update plinth_automation set worked_until = clock_timestamp()')
  const old = await make(app, 'tasks', { name: 'old', due_at: inMinutes(-25 * 60) })
  const recent = await make(app, 'tasks', { name: 'recent', due_at: inMinutes(-23 * 60) })
  await until(() => isLate(recent))
  assert.not(await isLate(old))
})

test('what came due while nothing ran for days is worked', async () => {
  const id = await make(app, 'tasks', { name: 'waiting' })
  await rows(app, "update tasks set due_at = clock_timestamp() - interval '3 days' where id = $1", [id])
  await until(async () => {
    // A look that had begun notes its own end, as none would where nothing ran.
    await rows(app, "update plinth_automation set worked_until = clock_timestamp() - interval '4 days'")
    return isLate(id)
  })
})

test('a new automation leaves the moments before its first start alone', async () => {
  await rows(app, "update plinth_automation set began_at = clock_timestamp() - interval '1 hour'")
  const before = await make(app, 'tasks', { name: 'before', due_at: inMinutes(-90) })
  const after = await make(app, 'tasks', { name: 'after', due_at: inMinutes(-30) })
  await until(() => isLate(after))
  assert.not(await isLate(before))
})

test('a refusal by a rule is kept, and not tried again', async () => {
  const id = await make(app, 'tasks', { name: 'stuck', state: 'done', note: 'stuck' })
  await began(app, '1 year')
  await rows(app, "update tasks set done_at = clock_timestamp() - interval '7 days 1 minute' where id = $1", [id])
  await until(async () => (await runs(app, 'tasks.close')).includes(`${id} refused: A stuck task is not closed`))
})

test('one record that fails is tried again and given up, and the others are worked', async () => {
  broken.set('bad', Number.POSITIVE_INFINITY)
  const names = ['good 1', 'bad', 'good 2']
  const ids = await Promise.all(
    names.map((name) => make(app, 'tasks', { name, note: 'remind', due_at: inMinutes(10) })),
  )
  await until(() => hasRung(ids[0]!, 'soon') && hasRung(ids[2]!, 'soon'))
  await until(async () => (await runs(app, 'tasks.remind')).includes(`${ids[1]} failed: the bell is broken for bad`))
  broken.delete('bad')
  const [ringing] = await rows(app, 'select count(*) from rings where task = any($1::int[])', [ids])
  assert.equal(ringing, ['2'])
})

test('a failed run succeeds when it is tried again', async () => {
  await app.close()
  app = await openTasks(AUTOMATIONS)
  await began(app, '1 year')
  // Together with the others that are due, and alone.
  broken.set('slow', 2)
  const id = await make(app, 'tasks', { name: 'slow', note: 'remind', due_at: inMinutes(10) })
  await until(async () => (await runs(app, 'tasks.remind')).includes(`${id} done: run bell.ring`))
  const failed = 'select count(*) from plinth_automation_run where record_id = $1 and attempt > 0'
  assert.equal(await rows(app, failed, [id]), [['1']])
})

test('many that are due at once are worked once by two instances', async () => {
  const second = await secondInstance(app)
  try {
    await rows(
      app,
      `insert into tasks (name, state, is_late, count, note, due_at) select 'many ' || n, 'open', false, 0, 'remind', clock_timestamp() + interval '20 minutes' from generate_series(1, 500) n`,
    )
    await until(
      async () =>
        (await rows(app, "select 1 from rings r join tasks t on t.id = r.task where t.name like 'many %'")).length >=
        500,
      30_000,
    )
    const [ringing] = await rows(
      app,
      "select count(*), count(distinct r.task) from rings r join tasks t on t.id = r.task where t.name like 'many %'",
    )
    assert.equal(ringing, ['500', '500'])
  } finally {
    await second.close()
  }
})

test('moments are found by an index', async () => {
  const found = await rows(
    app,
    "select indexdef from pg_indexes where tablename = 'tasks' and indexdef like '%(due_at, id)%'",
  )
  assert.is(found.length, 1)
})

test.run()
