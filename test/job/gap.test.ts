/** A job begins when no request is in flight, so that requests come first. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { openQueue, type QueueWorld } from './world.ts'

let queue: QueueWorld
const test = suite('jobs between requests')
test.before(async () => {
  queue = await openQueue()
})
test.after.each(() => queue.clear())
test.after(() => queue.db.close())

test('a job waits for a gap between requests; one that has found none when the process stops is given back', async () => {
  const id = await queue.add({})
  const asked: number[] = []
  let come = (): void => {}
  const gap = (mostMs: number): Promise<void> => {
    asked.push(mostMs)
    return new Promise((resolve) => {
      come = resolve
    })
  }
  let begun = 0
  const run = async () => {
    begun += 1
    return undefined
  }
  const worker = queue.work(run, { jobGapMs: 70 }, undefined, gap)
  await until(() => asked.length > 0)
  assert.equal([asked[0], begun, (await queue.state(id)).status], [70, 0, 'running'])
  const closed = worker.close(1)
  // The gap comes when nobody waits for it any more.
  setTimeout(() => come(), 30)
  await closed
  assert.equal([begun, (await queue.state(id)).status], [0, 'pending'])
  const earlier = asked.length
  queue.work(run, {}, undefined, gap)
  await until(() => asked.length > earlier)
  come()
  await queue.ended(id)
  assert.is(begun, 1)
})

test.run()
