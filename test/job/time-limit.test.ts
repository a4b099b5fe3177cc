/** Jobs that wait for ever: each has an end, and its place goes to the next one. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type RunJob, withinTime } from '../../engine/job/run.ts'
import { until } from '../support/wait.ts'
import { openQueue, type QueueWorld } from './world.ts'

const LIMIT_MS = 150
let queue: QueueWorld
const test = suite('the end of a job')
test.before(async () => {
  queue = await openQueue()
})
test.after.each(() => queue.clear())
test.after(() => queue.db.close())

const never = new Promise<undefined>(() => undefined)
const work = (run: RunJob): unknown =>
  queue.work(
    withinTime(run, () => LIMIT_MS),
    { jobSlots: 1 },
  )

test('a job that never ends fails with a sentence, and the only place goes to the next one', async () => {
  const stuck = await queue.add({ stuck: true }, {}, 1)
  const signals: AbortSignal[] = []
  work(({ payload }, { signal }) => {
    signals.push(signal)
    return payload.stuck === true ? never : Promise.resolve('done')
  })
  await until(() => signals.length === 1)
  const next = await queue.add({})
  await queue.ended(next)
  const { error, status } = await queue.state(stuck)
  assert.is(status, 'failed')
  assert.match(String(error), /it came no further for 0.15 s/)
  assert.ok(signals[0]?.aborted, 'it is told to stop')
  assert.is((await queue.state(next)).result, 'done')
})

test('it is tried again as after any other failure', async () => {
  const id = await queue.add({}, {}, 2)
  let runs = 0
  work(() => {
    runs += 1
    return runs === 1 ? never : Promise.resolve('second')
  })
  await queue.ended(id)
  assert.equal([runs, (await queue.state(id)).result], [2, 'second'])
})

test('one that comes further may take as long as it needs', async () => {
  const id = await queue.add({}, {}, 1)
  work(async (_, { progress }) => {
    for (let percent = 10; percent <= 100; percent += 10) {
      await new Promise((resolve) => setTimeout(resolve, LIMIT_MS / 4))
      await progress(percent)
    }
    return 'whole'
  })
  await queue.ended(id)
  assert.is((await queue.state(id)).result, 'whole')
})

test.run()
