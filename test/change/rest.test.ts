/** When listeners work: at once on a quiet desk, and in few large rounds where much is written. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LIMITS } from '../../engine/limits.ts'
import type { TestApplication } from '../support/application.ts'
import { until } from '../support/wait.ts'
import { batches, moments } from './plugins/echo/heard.ts'
import { echoes, openBooks } from './world.ts'

let app: TestApplication
const test = suite('listeners that rest')

test.before(async () => {
  app = await openBooks()
})
test.after(() => app.close())

/** Writes so many books by one request, and waits until they are heard. */
async function written(count: number): Promise<void> {
  const before = (await echoes(app)).length
  const create = Array.from({ length: count }, (_, i) => ({ title: `Book ${i}` }))
  const answer = await app.call('POST', '/books/batch', { token: 'ada', body: { create } })
  assert.is(answer.status, 200, answer.text)
  await until(async () => (await echoes(app)).length === before + count)
}

test('after a round of many changes the next one waits for more', async () => {
  const earlier = batches.length
  const many = Math.ceil(LIMITS.listenerRestMostMs / LIMITS.listenerRestMs)
  await written(many)
  await written(1)
  await written(1)
  assert.equal(batches.slice(earlier), [many, 1, 1])
  const [first = 0, second = 0] = moments.slice(earlier)
  // A round begins before its rest does, and timers may ring a millisecond early.
  assert.ok(second - first >= LIMITS.listenerRestMostMs - 1, `${second - first} ms`)
})

test.run()
