/**
 * Jobs of an application: enqueued by plugins within a transaction, run as their actor, read by the caller who
 * enqueued them.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createEngine, type Engine } from '../../engine/engine.ts'
import { type Answer, application, send, type TestApplication } from '../support/application.ts'
import { SILENT } from '../support/database.ts'
import { until } from '../support/wait.ts'

const RESOURCES = {
  'app.yaml':
    'name: Notes\nplugins: { timestamps: {}, jobs: {}, work: {} }\nlimits: { jobBackoffMs: 10, jobPollMs: 100 }\n',
  'notes.yaml': [
    'resource: notes',
    'fields: { text: { type: string, required: true }, job: { type: string } }',
    'policies: { view: [{ who: signed_in }], create: [{ role: keeper }], update: [], delete: [] }',
  ].join('\n'),
}

let app: TestApplication
let other: Engine
let otherUrl = ''
const test = suite('jobs of an application')

test.before(async () => {
  app = await application({ resources: RESOURCES, plugins: new URL('./plugins', import.meta.url).pathname })
  const { settings } = app.engine.app.foundation
  const second = await createEngine({ settings, log: SILENT, database: app.engine.database })
  if (second.value === undefined) throw new Error('the second instance did not start')
  other = second.value
  otherUrl = (await other.listen()).url
})
test.after(async () => {
  await other.close()
  await app.close()
})

async function start(token: string, body: object): Promise<Answer> {
  return app.call('POST', '/start', { token, body })
}

async function ended(id: string, token: string): Promise<Answer> {
  const asked = (): Promise<Answer> => app.call('GET', `/jobs/${id}`, { token })
  await until(async () => {
    const { body, status } = await asked()
    return status !== 200 || body.data.finished_at !== null
  })
  return asked()
}

async function texts(): Promise<readonly string[]> {
  const { body } = await app.call('GET', '/notes?per_page=100', { token: 'ada' })
  return body.data.map(({ text }: { text: string }) => text)
}

test('a job runs as the system, and tells what it made', async () => {
  const { body, text } = await start('bob', { job: 'work.note', text: 'one' })
  const done = await ended(body.data?.id ?? text, 'bob')
  assert.equal(Object.keys(done.body.data), [
    'id',
    'name',
    'status',
    'progress',
    'result',
    'error',
    'created_at',
    'finished_at',
  ])
  const { name, status, progress, result, error } = done.body.data
  assert.equal([name, status, progress, result, error], ['work.note', 'completed', 100, { noted: 'one' }, null])
  assert.ok((await texts()).includes('one by system'))
})

test('the name that an option of enqueue had before is refused with its new one', async () => {
  const { body, status } = await start('bob', { job: 'work.note', option: 'beside' })
  assert.is(status, 400)
  assert.is(body.message, 'enqueue has no option "beside": it is named "outsideTransaction"')
})

test('a job runs as who enqueued it when it asks so, with their rights and no more', async () => {
  const { body } = await start('ada', { job: 'work.note', text: 'two', as: 'actor' })
  assert.is((await ended(body.data.id, 'ada')).body.data.status, 'completed')
  assert.ok((await texts()).includes('two by keeper'))
  const refused = await start('bob', { job: 'work.note', text: 'three', as: 'actor' })
  const after = await ended(refused.body.data.id, 'bob')
  assert.equal([after.body.data.status, after.body.data.error], ['failed', 'Forbidden'])
})

test('a route that is rolled back leaves no job behind', async () => {
  assert.is((await start('ada', { job: 'work.note', text: 'undone', undo: true })).status, 409)
  const { body } = await start('ada', { job: 'work.note', text: 'four' })
  await ended(body.data.id, 'ada')
  assert.not((await texts()).some((text) => text.startsWith('undone')))
})

test('a job outside the transaction is done whatever becomes of it, and its name and size are judged at once', async () => {
  const job = 'work.note'
  assert.is((await start('ada', { job, text: 'reported', undo: true, outside: true })).status, 409)
  await until(async () => (await texts()).includes('reported by system'))
  const { body, status } = await start('ada', { job, text: 'told', outside: true })
  assert.is(status, 200)
  assert.is((await ended(body.data.id, 'ada')).body.data.status, 'completed')
  assert.is((await texts()).filter((text) => text === 'told by system').length, 1)
  for (const dedupe of ['same', 'same'])
    assert.is((await start('ada', { job, text: 'kept once', undo: true, outside: true, dedupe })).status, 409)
  await until(async () => (await texts()).includes('kept once by system'))
  assert.is((await start('ada', { job: 'work.nothing', outside: true })).status, 500)
})

test('a job that does not exist is a mistake of the program', async () => {
  assert.is((await start('ada', { job: 'work.nothing' })).status, 500)
})

test('it is for who enqueued it and for those who may do everything', async () => {
  const { body } = await start('ada', { job: 'work.note', text: 'five' })
  const { id } = body.data
  assert.is((await ended(id, 'ada')).status, 200)
  assert.is((await app.call('GET', `/jobs/${id}`, { token: 'bob' })).status, 403)
  assert.is((await app.call('GET', `/jobs/${id}`, { token: 'root' })).status, 200)
  assert.is((await app.call('GET', `/jobs/${id}`)).status, 401)
  for (const wrong of ['1', 'abc', '00000000-0000-4000-8000-000000000000'])
    assert.is((await app.call('GET', `/jobs/${wrong}`, { token: 'root' })).status, 404)
})

test('of an error, callers read what was said to them, and operators all of it', async () => {
  const full = await start('ada', { job: 'work.refuse' })
  assert.is((await ended(full.body.data.id, 'ada')).body.data.error, 'The shelf is full')
  const broken = await start('ada', { job: 'work.break' })
  assert.is((await ended(broken.body.data.id, 'ada')).body.data.error, 'The job could not be done')
  assert.is((await ended(broken.body.data.id, 'root')).body.data.error, 'password=hunter2')
})

test('what was given up is listed for operators, and begins anew when they say so', async () => {
  const { body } = await start('ada', { job: 'work.break' })
  const { id } = body.data
  await ended(id, 'ada')
  const said: string[] = []
  const { write } = process.stdout
  process.stdout.write = (text: string | Uint8Array): boolean => said.push(String(text)) > 0
  try {
    assert.is(await app.engine.command('jobs', []), 0)
    assert.is(await app.engine.command('jobs', ['retry', id]), 0)
    assert.is(await app.engine.command('jobs', ['retry', 'nothing']), 1)
    assert.is(await app.engine.command('jobs', ['rety', 'all']), 2)
  } finally {
    process.stdout.write = write
  }
  assert.match(said[0] ?? '', new RegExp(`${id}  .*work.break \\(tried 1 times\\): password=hunter2`))
  assert.is((await ended(id, 'root')).body.data.status, 'failed', 'it is tried, and fails again')
})

test('jobs are a list for those who may see them all, with what went wrong', async () => {
  const { body } = await start('ada', { job: 'work.break' })
  const { id } = body.data
  await ended(id, 'ada')
  const failed = await app.call('GET', '/background-jobs?status=failed&sort=-finished_at', { token: 'root' })
  assert.is(failed.status, 200, failed.text)
  assert.equal([failed.list[0]?.id, failed.list[0]?.name], [id, 'work.break'])
  const read = await app.call('GET', `/background-jobs/${id}`, { token: 'root' })
  assert.equal([read.body.data.error, read.body.data.actor_id, read.body.data.attempts], ['password=hunter2', 1, 1])
  assert.not('payload' in read.body.data)
  for (const path of ['/background-jobs', `/background-jobs/${id}`, '/automation-runs'])
    assert.is((await app.call('GET', path, { token: 'ada' })).status, 403)
  for (const method of ['PATCH', 'DELETE'])
    assert.is((await app.call(method, `/background-jobs/${id}`, { token: 'root', body: {} })).status, 405)
  const kept = `select format_type(atttypid, null) from pg_attribute where attrelid = 'plinth_change'::regclass and attname = 'record_id'`
  assert.equal(await app.engine.database.adhoc.run({ text: kept }, []), [['integer']], 'their ids are not in the log')
  const followed = await fetch(`${app.address}/background-jobs`, {
    headers: { accept: 'text/event-stream', authorization: 'Bearer root' },
  })
  assert.is(followed.status, 200)
  await followed.body?.cancel()
})

test('on two instances each job is done once', async () => {
  const started = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      send(n % 2 === 0 ? app.address : otherUrl, 'POST', '/start', {
        token: 'ada',
        body: { job: 'work.note', text: `n${n}` },
      }),
    ),
  )
  for (const { body } of started) assert.is((await ended(body.data.id, 'ada')).body.data.status, 'completed')
  const made = (await texts()).filter((text) => /^n\d+ by/.test(text))
  assert.equal([made.length, new Set(made).size], [20, 20])
})

test.run()
