/** What operators read of automations: why one did or did not act, how they stand, and what was given up. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deleteOldRuns } from '../../engine/automation/runs.ts'
import { report } from '../../engine/cli/explain.ts'
import type { TestApplication } from '../support/application.ts'
import { printed } from '../support/printed.ts'
import { until } from '../support/wait.ts'
import { broken } from './plugins/bell/rung.ts'
import { inMinutes, make, openTasks, rows, runs } from './world.ts'

const AUTOMATIONS = `
  late:
    at: due_at
    when: { state: open, team.name: North }
    set: { is_late: true }
  stamp: { on: [update], changed: { state: { from: open, to: [done, closed] } }, when: { state: done }, set: { done_at: $now } }
  weekly: { every: "0 8 * * mon", when: { state: open }, set: { is_late: false } }
  bell: { at: due_at, when: { note: ring }, ring: {} }
`

const test = suite('automations explained')
let app: TestApplication
let north = 0

test.before(async () => {
  app = await openTasks(AUTOMATIONS, 20)
  north = await make(app, 'teams', { name: 'North' })
})
test.after(() => app.close())

/** The explanation without the folder of the files. */
async function explained(automation: string, record: number): Promise<string> {
  const invocation = { positionals: [], options: { automation: `tasks.${automation}`, record: String(record) } }
  const text = await report(invocation, app.engine.app)
  return text.replaceAll(/\S+\/tasks\.yaml/g, 'tasks.yaml').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
}

const outcome = async (automation: string, record: number): Promise<string> =>
  /outcome: (.*)$/m.exec(await explained(automation, record))?.[1] ?? ''

test('each part of the condition is told with its place and its present value', async () => {
  const id = await make(app, 'tasks', { name: 'a', state: 'done', team_id: north, due_at: inMinutes(10) })
  assert.snapshot(
    await explained('late', id),
    `automation tasks.late, tasks.yaml:22:3
  acts at due_at
  when, of record ${id} as it is now:
    tasks.yaml:24:13  state: open
      → does not hold; it is "done"
    tasks.yaml:24:26  team.name: North
      → holds; it is "North"
  outcome: its moment comes at TIME`,
  )
})

test('why nothing happened at a moment', async () => {
  const task = (more: object) => make(app, 'tasks', { name: 'x', ...more })
  assert.is(await outcome('late', await task({})), 'the record has no such moment')
  assert.match(
    await outcome('late', await task({ due_at: inMinutes(-600) })),
    /^the moment TIME was before the automation began, TIME$/,
  )
  const unmet = await task({ due_at: new Date().toISOString() })
  await until(async () => (await runs(app, 'tasks.late')).length > 0)
  assert.is(await outcome('late', unmet), 'when the moment TIME came, the condition did not hold')
  await rows(app, "update plinth_automation set began_at = clock_timestamp() - interval '1 year'")
  assert.is(
    await outcome('late', await task({ due_at: inMinutes(-2000) })),
    'the moment TIME was written when it lay more than a day back',
  )
  const gone = await task({ due_at: inMinutes(20) })
  await app.call('DELETE', `/tasks/${gone}`)
  assert.is(await outcome('late', gone), `record ${gone} is deleted, or no record of this resource`)
  assert.is(await outcome('late', 999_999), 'there is no record 999999')
})

test('which writes set one off', async () => {
  const id = await make(app, 'tasks', { name: 'b' })
  assert.is(await outcome('stamp', id), 'nothing that the log of changes still holds set it off')
  await app.call('PATCH', `/tasks/${id}`, { body: { state: 'done' } })
  await until(async () => (await runs(app, 'tasks.stamp')).length === 1)
  const text = await explained('stamp', id)
  assert.match(text, /acts after update that changes state from open to done or closed/)
  assert.match(text, /TIME {2}update done_at, by the automation tasks\.stamp\n {6}→ does not set it off/)
  assert.match(text, /TIME {2}update state\n {6}→ sets it off/)
  assert.match(text, /TIME {2}done: set done_at \(\d+\)/)
  assert.match(text, /outcome: it has acted, last at TIME/)
})

test('a schedule says when it comes, and whether the condition holds', async () => {
  const id = await make(app, 'tasks', { name: 'c' })
  assert.is(await outcome('weekly', id), 'it comes next at TIME; the condition holds now')
})

test('what cannot be explained is said', async () => {
  const says = (options: Record<string, string>): Promise<string> =>
    report({ options, positionals: [] }, app.engine.app).catch((error: Error) => error.message)
  assert.is(
    await says({ automation: 'tasks.lat', record: '1' }),
    'There is no automation tasks.lat; write <resource>.<name>. Did you mean tasks.late?',
  )
  assert.is(await says({ automation: 'tasks.late' }), 'Say which record is meant by its id: --record 7.')
})

test('operators see how automations stand, and try again what was given up', async () => {
  broken.set('never', Number.POSITIVE_INFINITY)
  const id = await make(app, 'tasks', { name: 'never', note: 'ring', due_at: new Date().toISOString() })
  await until(async () => (await runs(app, 'tasks.bell')).some((run) => run.startsWith(`${id} failed`)))
  const { text } = await printed(() => app.engine.command('automations', []))
  assert.match(text, /^tasks\.late: unmet \d+, last \d{4}-\S+ \S+$/m)
  assert.match(text, /^tasks\.weekly: has not acted yet, next \d{4}-\S+ \S+$/m)
  assert.match(
    text,
    new RegExp(
      `^\\S+ \\S+ {2}tasks\\.bell, record ${id} for \\S+ \\(tried 5 times\\): the bell is broken for never$`,
      'm',
    ),
  )
  assert.is((await printed(() => app.engine.command('automations', ['retry', 'tasks.late']))).result, 1)
  broken.delete('never')
  assert.is((await printed(() => app.engine.command('automations', ['retry', 'tasks.bell']))).result, 0)
  await until(async () => (await runs(app, 'tasks.bell')).includes(`${id} done: run bell.ring`))
})

test('old runs go, those that did nothing earlier', async () => {
  await rows(
    app,
    `insert into plinth_automation_run (automation, record_id, cause, outcome, at) values
    ('tasks.old', 1, 'a', 'done', now() - interval '91 days'), ('tasks.old', 2, 'a', 'done', now() - interval '89 days'),
    ('tasks.old', 3, 'a', 'unmet', now() - interval '8 days'), ('tasks.old', 4, 'a', 'unmet', now() - interval '6 days')`,
  )
  const day = 86_400_000
  assert.is(await deleteOldRuns(app.engine.database.adhoc, new Date(), { runMs: 90 * day, unmetMs: 7 * day }), 2)
  assert.equal(await runs(app, 'tasks.old'), ['2 done: ', '4 unmet: '])
})

test.run()
