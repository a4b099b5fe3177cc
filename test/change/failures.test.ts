/**
 * Changes that a listener cannot work: deferred together with later ones of the record, set aside in the end, while
 * the rest goes on.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listenerStates } from '../../engine/change/state.ts'
import type { TestApplication } from '../support/application.ts'
import { printed } from '../support/printed.ts'
import { until } from '../support/wait.ts'
import { given, refused } from './plugins/echo/heard.ts'
import { openBooks, RESOURCES } from './world.ts'

let app: TestApplication
const test = suite('listeners: failures')

test.before(async () => {
  app = await openBooks()
})
test.after(() => app.close())

async function book(title: string): Promise<number> {
  return Number((await app.call('POST', '/books', { token: 'ada', body: { title } })).at('data.id'))
}

async function rename(id: number, title: string): Promise<void> {
  assert.is((await app.call('PUT', `/books/${id}`, { token: 'ada', body: { title } })).status, 200)
}

async function state() {
  const { database } = app.engine
  const states = await listenerStates(database.adhoc, app.engine.app.catalog, new Date())
  return states.find(({ name }) => name === 'echo.picky')!
}

test('one change that fails is set aside with its error, and all others are worked in their order', async () => {
  refused.add('bad')
  const [good, bad] = await Promise.all([book('good'), book('bad')])
  await rename(bad, 'better')
  await rename(good, 'good again')
  await until(async () => (await state()).failed === 1)
  await until(async () => given.includes('better') && given.includes('good again'))
  // A change is heard before the round that works it has committed.
  await until(async () => {
    const { deferred, waiting } = await state()
    return deferred + waiting === 0
  })
  assert.equal(
    given.filter((title) => title.startsWith('good')),
    ['good', 'good again'],
  )
  assert.not(given.includes('bad'))
  const { waiting, deferred, failed } = await state()
  assert.equal({ waiting, deferred, failed }, { waiting: 0, deferred: 0, failed: 1 })
})

test('operators read what was set aside in a command and in the metrics, and let it be tried again', async () => {
  const { text } = await printed(() => app.engine.command('listeners', []))
  assert.match(text, /^echo\.note: nothing waits; tried again 0, set aside 0$/m)
  assert.match(text, /^echo\.picky: nothing waits; tried again 0, set aside 1$/m)
  assert.match(text, /^\d+ {2}.* {2}echo\.picky, books \d+ \(tried 3 times\): no room for bad$/m)
  const metrics = (await app.call('GET', '/metrics', { token: 'numbers' })).text
  assert.match(metrics, /plinth_listener_changes\{listener="echo\.picky",state="failed"\} 1/)
  assert.match(metrics, /plinth_listener_lag_seconds\{listener="echo\.note"\} 0/)
  assert.is((await printed(() => app.engine.command('listeners', ['retry', '0']))).result, 1)
  refused.clear()
  const [id] = /^\d+(?= {2})/m.exec(text) ?? ['']
  assert.is((await printed(() => app.engine.command('listeners', ['retry', id]))).result, 0)
  await until(() => given.includes('bad'))
  await until(async () => (await state()).failed === 0)
})

test('what follows for a record waits until the change before it is worked', async () => {
  refused.add('first')
  // It is tried for some seconds here, long enough to see the others wait.
  const patient = (RESOURCES['app.yaml'] ?? '').replace('listenerBackoffMs: 20', 'listenerBackoffMs: 500')
  await app.close()
  app = await openBooks({ ...RESOURCES, 'app.yaml': patient.replace('listenerAttempts: 3', 'listenerAttempts: 5') })
  const id = await book('first')
  await rename(id, 'second')
  await rename(id, 'third')
  await until(async () => (await state()).deferred === 3)
  refused.clear()
  await until(() => given.includes('third'))
  assert.equal(
    given.filter((title) => ['first', 'second', 'third'].includes(title)),
    ['first', 'second', 'third'],
  )
})

test.run()
