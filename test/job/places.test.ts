/** The order of jobs: attempts that count, places of each kind, servers that are left alone. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createBreaker } from '../../engine/breaker.ts'
import { JobGivenUp } from '../../engine/job/job.ts'
import { ownJob, takeJobs } from '../../engine/job/queue.ts'
import { failedJobs } from '../../engine/job/state.ts'
import { placesFor } from '../support/job.ts'
import { until } from '../support/wait.ts'
import { kind, openQueue, type QueueWorld } from './world.ts'

let queue: QueueWorld
const test = suite('places and attempts of jobs')
test.before(async () => {
  queue = await openQueue()
})
test.after.each(() => queue.clear())
test.after(() => queue.db.close())

const add: QueueWorld['add'] = (...given) => queue.add(...given)
const work: QueueWorld['work'] = (...given) => queue.work(...given)
const state: QueueWorld['state'] = (id) => queue.state(id)
const ended: QueueWorld['ended'] = (id) => queue.ended(id)

test('one that comes further begins its attempts anew, and one that does not is given up', async () => {
  const id = await add({}, {}, 2)
  const last: boolean[] = []
  let runs = 0
  work(async (_job, { progress, lastAttempt }) => {
    runs += 1
    // Five runs each come further than the one before, the later ones do not.
    await progress(Math.min(runs, 5) * 10)
    last.push(lastAttempt())
    throw new Error('interrupted')
  })
  await ended(id)
  assert.equal([(await state(id)).status, runs], ['failed', 7])
  assert.equal(last, [false, false, false, false, false, false, true])
})

test('one whose owner is lost again and again goes on as long as it comes further', async () => {
  const id = await add({}, {}, 1)
  for (let n = 1; n <= 4; n++) {
    const take = () => takeJobs(queue.db.database.adhoc, placesFor('test.work'), 'lost', 0)
    let taken = (await take()).taken
    // The lease before ends with its millisecond.
    await until(async () => {
      if (taken.length === 0) taken = (await take()).taken
      return taken.length > 0
    })
    assert.is(taken.length, 1, `run ${n}`)
    assert.ok(await ownJob.progress(queue.db.database.adhoc, 'lost', taken[0]!, n, true))
  }
  work(async () => 'done')
  await ended(id)
  assert.equal([(await state(id)).status, (await state(id)).result], ['completed', 'done'])
})

test('one that says that trying again is in vain is set aside at once, with what it says', async () => {
  const id = await add({}, {}, 9)
  work(async () => {
    throw new JobGivenUp('there is no such address')
  })
  await ended(id)
  assert.equal([(await state(id)).status, (await state(id)).error], ['failed', 'there is no such address'])
  const [listed] = await failedJobs(queue.db.database.adhoc, 10)
  assert.equal([listed?.id, listed?.attempts], [id, 1])
})

test('one that meets an open breaker waits for the server, and no attempt is counted', async () => {
  let clock = 0
  const breaker = createBreaker('test', { clock: () => clock, counts: () => true })
  const fail = () => breaker.run(() => Promise.reject(new Error('silent'))).catch(() => undefined)
  for (let n = 0; n < 3; n++) await fail()
  const id = await add({}, {}, 1)
  let runs = 0
  work(async () => {
    runs += 1
    return breaker.run(async () => 'answered')
  })
  await until(() => runs === 1)
  await until(async () => (await state(id)).status === 'pending')
  const waiting = await queue.db.database.knex('plinth_job').where({ id }).first('attempt', 'due_at')
  assert.is(waiting?.attempt, 0)
  assert.ok(
    new Date(waiting?.due_at).getTime() > Date.now() + 5_000,
    'it waits for as long as the server is left alone',
  )
  clock += 60_000
  await queue.db.database
    .knex('plinth_job')
    .where({ id })
    .update({ due_at: new Date(0) })
  await ended(id)
  assert.equal((await state(id)).result, 'answered')
})

test('a kind that hangs leaves places for others, and all long ones together leave half of them', async () => {
  const kinds = [
    kind('test.hang', { concurrency: 99 }),
    kind('test.long', { concurrency: 99, long: true }),
    kind('test.other', { long: true }),
    kind('test.work'),
  ]
  for (let n = 0; n < 9; n++) {
    await add({ n }, { name: 'test.hang' })
    await add({ n }, { name: 'test.long' })
  }
  const running = new Map<string, number>()
  const hold = new AbortController()
  const held = new Promise<void>((resolve) => hold.signal.addEventListener('abort', () => resolve()))
  const worker = work(
    async ({ name }) => {
      running.set(name, (running.get(name) ?? 0) + 1)
      if (name !== 'test.work') await held
      return undefined
    },
    { jobSlots: 4 },
    kinds,
  )
  await until(() => running.get('test.hang') === 3 && running.get('test.long') === 1)
  // The place that stays free could be taken meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.equal(
    [...running].sort(),
    [
      ['test.hang', 3],
      ['test.long', 1],
    ],
    'short ones leave one place, for a long one',
  )
  hold.abort()
  await until(
    async () =>
      Number((await queue.db.database.knex('plinth_job').whereNull('finished_at').count({ n: '*' }))[0]?.n) === 0,
  )
  await worker.close(1_000)
})

test('short work goes before long work that is due earlier', async () => {
  const past = (ms: number) => new Date(Date.now() - ms)
  for (let n = 0; n < 3; n++) await add({ n }, { name: 'test.long', runAt: past(60_000) })
  await add({}, { runAt: past(1_000) })
  const order: string[] = []
  work(
    async ({ name }) => {
      order.push(name)
      return undefined
    },
    { jobSlots: 1 },
    [kind('test.long', { long: true }), kind('test.work')],
  )
  await until(() => order.length === 4)
  assert.is(order[0], 'test.work')
})

test('none is begun for a server that is left alone, and others are', async () => {
  let admitted = 0
  const stuck = await add({}, { name: 'test.mail' })
  const free = await add({})
  work(async () => undefined, {}, [kind('test.mail', { admits: () => admitted }), kind('test.work')])
  await ended(free)
  assert.is((await state(stuck)).status, 'pending')
  admitted = 1
  await ended(stuck)
})

test('a kind that is fetched ahead is taken at once, runs in its places, and leaves those of others', async () => {
  const ids: string[] = []
  for (let n = 0; n < 8; n++) ids.push(await add({ n }, { name: 'test.mail' }))
  const running = new Set<string>()
  let most = 0
  const held: (() => void)[] = []
  const worker = work(
    async ({ id, name }) => {
      if (name !== 'test.mail') return undefined
      running.add(id)
      most = Math.max(most, running.size)
      await new Promise<void>((resolve) => held.push(resolve))
      running.delete(id)
      return undefined
    },
    {},
    [kind('test.mail', { concurrency: 2, prefetch: 5 }), kind('test.work')],
  )
  await until(() => held.length === 2)
  const statuses = async () => (await Promise.all(ids.map(state))).map(({ status }) => status)
  const count = async (status: string) => (await statuses()).filter((one) => one === status).length
  assert.equal([await count('running'), await count('pending')], [7, 1])
  await ended(await add({}))
  for (let n = 0; n < 8; n++) {
    await until(() => held.length > 0)
    held.shift()?.()
  }
  await until(async () => (await count('completed')) === 8)
  assert.is(most, 2)
  await worker.close(1_000)
})

test('what was fetched ahead and not begun is given back as it was when the process stops', async () => {
  for (let n = 0; n < 4; n++) await add({ n }, { name: 'test.mail' })
  const begun: string[] = []
  const worker = work(
    async ({ id }, { signal }) => {
      begun.push(id)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      return undefined
    },
    { jobStopMs: 200 },
    [kind('test.mail', { concurrency: 1, prefetch: 9 })],
  )
  await until(() => begun.length === 1)
  await worker.close(50)
  const left = await queue.db.database.knex('plinth_job').where({ status: 'pending' }).select('attempt', 'owner')
  assert.equal(left, Array(4).fill({ attempt: 0, owner: null }))
  assert.is(begun.length, 1)
})

test.run()
