/**
 * Scheduled jobs: one run at a time for all instances, again and again, also after restarts; and the retention of the
 * engine itself.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createEngine, type Engine } from '../../engine/engine.ts'
import { takeJobs } from '../../engine/job/queue.ts'
import { scheduleJobs } from '../../engine/job/schedule.ts'
import { LIMITS } from '../../engine/limits.ts'
import { durationMs } from '../../engine/text/duration.ts'
import { application, type TestApplication } from '../support/application.ts'
import { SILENT } from '../support/database.ts'
import { placesFor, runAhead } from '../support/job.ts'
import { until } from '../support/wait.ts'

const RESOURCES = {
  'app.yaml': 'name: Rounds\nplugins: { rounds: {} }\nlimits: { jobPollMs: 50, jobScheduleMs: 50 }\n',
}
const WALK = 'rounds.walk'

let app: TestApplication
const test = suite('scheduled jobs')

test.before(async () => {
  app = await application({ resources: RESOURCES, plugins: new URL('./plugins', import.meta.url).pathname })
  await app.engine.database.knex.raw('create table rounds (word text)')
})
test.after(() => app.close())

const jobs = () => app.engine.database.knex('plinth_job')
const walks = () => jobs().where({ name: WALK }).orderBy('created_at')
const words = async () => (await app.engine.database.knex('rounds')).map(({ word }) => word)
const say = (word: string) => app.engine.database.knex('rounds').insert({ word })

/** Lets the waiting run be due. */
const hurry = () =>
  walks()
    .where({ status: 'pending' })
    .update({ due_at: new Date(0) })

/** One more instance on the same database. */
async function another(): Promise<Engine> {
  const { settings } = app.engine.app.foundation
  const { value } = await createEngine({ settings, log: SILENT, database: app.engine.database })
  if (value === undefined) throw new Error('the instance did not start')
  await value.listen()
  return value
}

test('a job that comes back waits for its time at the start, and runs once on two instances', async () => {
  const second = await another()
  await until(async () => (await walks()).length === 1)
  const [first] = await walks()
  assert.equal([first.status, await words()], ['pending', []])
  assert.ok(Math.abs(new Date(first.due_at).getTime() - Date.now() - 3_600_000) < 60_000)
  await hurry()
  // A close while it runs would put it back.
  await until(async () => (await walks()).map(({ status }) => status).join() === 'completed,pending')
  await second.close()
  assert.equal(
    (await walks()).map(({ status }) => status),
    ['completed', 'pending'],
  )
  assert.equal(await words(), ['begun'])
})

test('a restart neither runs it nor puts it off', async () => {
  const before = await walks().where({ status: 'pending' })
  const next = await another()
  // Time for the looks that it must not use.
  await new Promise((resolve) => setTimeout(resolve, 120))
  await next.close()
  assert.equal(await walks().where({ status: 'pending' }), before)
  assert.is(before.length, 1)
})

test('a run that was given up does not end the schedule', async () => {
  await walks().where({ status: 'pending' }).update({ status: 'failed', dedupe: null, finished_at: new Date() })
  await until(async () => (await walks().where({ status: 'pending' })).length === 1)
})

test('closing tells it to stop, waits until it has, and leaves the rest of the round for the next start', async () => {
  await say('stay')
  const second = await another()
  await app.engine.database.knex('rounds').where({ word: 'begun' }).delete()
  await hurry()
  await until(async () => (await words()).includes('begun'))
  // One of the two runs it; both close, as the other would take it over.
  await Promise.all([second.close(), app.engine.close()])
  assert.equal((await words()).sort(), ['begun', 'stay', 'stopped'])
  const [left] = await walks().whereNull('finished_at')
  assert.equal([left.status, left.attempt], ['pending', 0])
})

test('no run is added while one is under way or waits to be tried again, and a shorter time brings it forward', async () => {
  const { adhoc } = app.engine.database
  const scheduled = (ms: number) => scheduleJobs(adhoc, [{ name: 'test.round', everyMs: ms, attempts: 3 }])
  const rows = () => jobs().where({ name: 'test.round' }).whereNull('finished_at')
  await scheduled(7_200_000)
  await scheduled(3_600_000)
  await scheduled(86_400_000)
  const [waiting, ...more] = await rows()
  assert.equal(more, [])
  assert.ok(Math.abs(new Date(waiting.due_at).getTime() - Date.now() - 3_600_000) < 60_000)
  await rows().update({ due_at: new Date(0) })
  assert.is((await takeJobs(adhoc, placesFor('test.round'), 'somebody', 60_000)).taken.length, 1)
  await scheduled(3_600_000)
  await rows().update({ status: 'pending', owner: null })
  await scheduled(3_600_000)
  assert.is((await rows()).length, 1)
})

test('how often is said in words', () => {
  assert.equal(['30 minutes', '1 hour', '7 days'].map(durationMs), [1_800_000, 3_600_000, 604_800_000])
  assert.equal(['hourly', '0 hours', '1.5 hours', ' 1 hour', '1 week', ''].map(durationMs), Array(6).fill(undefined))
})

test('jobs that ended long ago and answers of expired keys are deleted, in batches, and no others', async () => {
  const { database, app: running } = app.engine
  const { knex } = database
  await jobs().delete()
  const job = `insert into plinth_job (id, name, payload, status, attempts, runs_as, finished_at)
    select gen_random_uuid(), ?, '{}', ?, 1, 'system', ? from generate_series(1, ?::int)`
  const now = Date.now()
  const ago = (ms: number) => new Date(now - ms)
  const { jobKeepMs, jobKeepFailedMs, idempotencyMs, deleteBatch } = LIMITS
  await knex.raw(job, ['old.done', 'completed', ago(jobKeepMs + 60_000), deleteBatch + 5])
  await knex.raw(job, ['done', 'completed', ago(jobKeepMs - 60_000), 1])
  await knex.raw(job, ['old.failed', 'failed', ago(jobKeepFailedMs + 60_000), 2])
  await knex.raw(job, ['failed', 'failed', ago(jobKeepFailedMs - 60_000), 1])
  await knex.raw(job, ['waiting', 'pending', null, 1])
  const answer = { actor: 'user:1', route: 'POST /x', fingerprint: 'x' }
  await knex('plinth_idempotency').insert([
    { ...answer, key: 'old', created_at: ago(idempotencyMs + 60_000) },
    { ...answer, key: 'young', created_at: ago(idempotencyMs - 60_000) },
  ])
  assert.equal(await runAhead(app.engine, 'plinth.tidy'), {
    jobs: deleteBatch + 7,
    answers: 1,
    calendars: 0,
    secrets: 0,
  })
  assert.equal(
    (await jobs().orderBy('name')).map(({ name }) => name),
    ['done', 'failed', 'waiting'],
  )
  assert.equal(
    (await knex('plinth_idempotency')).map(({ key }) => key),
    ['young'],
  )
  assert.ok(running.composition.jobs.get('plinth.tidy')?.value.every, 'it comes back by itself')
})

test.run()
