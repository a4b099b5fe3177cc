/** The queue of jobs: each runs once on several instances, is tried again, given up, kept apart by key, and drained. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addJob, addJobs, completeJobs, takeJobs } from '../../engine/job/queue.ts'
import type { Json } from '../../engine/json.ts'
import { LIMITS } from '../../engine/limits.ts'
import { placesFor } from '../support/job.ts'
import { until } from '../support/wait.ts'
import { openQueue, order, type QueueWorld } from './world.ts'

let queue: QueueWorld
const test = suite('the queue of jobs')
test.before(async () => {
  queue = await openQueue()
})
test.after.each(() => queue.clear())
test.after(() => queue.db.close())

const add: QueueWorld['add'] = (...given) => queue.add(...given)
const work: QueueWorld['work'] = (...given) => queue.work(...given)
const state: QueueWorld['state'] = (id) => queue.state(id)
const ended: QueueWorld['ended'] = (id) => queue.ended(id)

test('500 jobs on two instances run once each', async () => {
  await queue.db.database.transaction(async (transaction) => {
    for (let n = 0; n < 500; n++) await addJob(transaction, order({ n }), 3)
  })
  const seen: [string, Json][] = []
  for (const name of ['a', 'b']) {
    work(
      async ({ payload }) => {
        seen.push([name, payload.n ?? null])
        await new Promise((resolve) => setImmediate(resolve))
        return undefined
      },
      { jobSlots: 8 },
    )
  }
  await until(() => seen.length >= 500, 20_000)
  await Promise.all(queue.workers.map((worker) => worker.close(2_000)))
  assert.is(seen.length, 500)
  assert.is(new Set(seen.map(([, n]) => n)).size, 500)
  assert.equal([...new Set(seen.map(([name]) => name))].sort(), ['a', 'b'])
  const [row] = await queue.db.database
    .knex('plinth_job')
    .where({ status: 'completed', attempt: 1 })
    .count({ total: '*' })
  assert.is(Number(row?.total), 500)
})

test('many jobs are added by one statement, and each runs once', async () => {
  const { payload: _, ...orders } = order({})
  await addJobs(queue.db.database.adhoc, { ...orders, entries: [1, 2, 3].map((n) => ({ payload: { n } })) }, 3)
  const seen: Json[] = []
  work(async ({ payload }) => void seen.push(payload.n ?? null))
  await until(() => seen.length >= 3)
  assert.equal(seen.sort(), [1, 2, 3])
  const tooLarge = [{ n: 1 }, { text: 'x'.repeat(LIMITS.jobBytes) }]
  const refused = await addJobs(
    queue.db.database.adhoc,
    { ...orders, entries: tooLarge.map((payload) => ({ payload })) },
    3,
  ).catch(String)
  assert.match(String(refused), /too large/)
})

test('jobs that end together are noted together, and those of another owner are not', async () => {
  const runner = queue.db.database.adhoc
  for (const n of [1, 2, 3]) await add({ n })
  const { taken } = await takeJobs(runner, placesFor('test.work'), 'me', 60_000)
  assert.is(taken.length, 3)
  const [first, second, third] = taken.map(({ attempt, id }, n) => ({ id, attempt, result: { n } }))
  const done = [first!, { ...second!, attempt: 7 }]
  assert.equal([...(await completeJobs(runner, 'me', done))], [first!.id])
  assert.equal([...(await completeJobs(runner, 'other', [third!]))], [])
  assert.equal((await state(first!.id)).result, { n: 0 })
  assert.is((await state(second!.id)).status, 'running')
  assert.equal([...(await completeJobs(runner, 'me', [{ ...second!, result: undefined }, third!]))].length, 2)
  assert.is((await state(second!.id)).result, null)
})

test('a job keeps its result, and its payload no longer', async () => {
  const id = await add({ secret: 'x' })
  assert.is((await state(id)).status, 'pending')
  work(async (_job, { progress }) => {
    await progress(41.7)
    assert.equal([(await state(id)).status, (await state(id)).progress], ['running', 41])
    return { done: 'yes' }
  })
  await ended(id)
  const after = await state(id)
  assert.equal([after.status, after.progress, after.result], ['completed', 100, { done: 'yes' }])
  assert.equal((await queue.db.database.knex('plinth_job').where({ id }).first('payload'))?.payload, {})
})

test('one that fails is tried again, later each time, until it succeeds', async () => {
  const at: number[] = []
  const id = await add({}, {}, 5)
  work(
    async ({ attempt }) => {
      at.push(Date.now())
      if (attempt < 4) throw new Error(`try ${attempt}`)
      return undefined
    },
    { jobBackoffMs: 60, jobPollMs: 20 },
  )
  await ended(id)
  assert.equal([(await state(id)).status, (await state(id)).error, at.length], ['completed', null, 4])
  const pauses = at.slice(1).map((moment, i) => moment - (at[i] ?? 0))
  // At least half of what doubles each time; a busy machine adds to it.
  assert.ok(
    pauses.every((pause, i) => pause >= 30 * 2 ** i - 5),
    `the pauses grow: ${pauses}`,
  )
})

test('one that fails every time is kept with its error', async () => {
  const id = await add({ n: 1 }, {}, 2)
  let runs = 0
  work(async () => {
    runs += 1
    throw new Error('no server')
  })
  await ended(id)
  const after = await state(id)
  assert.equal([after.status, after.error, after.reason, runs], ['failed', 'no server', null, 2])
  assert.equal((await queue.db.database.knex('plinth_job').where({ id }).first('payload'))?.payload, { n: 1 })
})

test('what a transaction that is rolled back enqueues never runs', async () => {
  const seen: Json[] = []
  work(async ({ payload }) => {
    seen.push(payload.n ?? null)
    return undefined
  })
  await queue.db.database
    .transaction(async (transaction) => {
      await addJob(transaction, order({ n: 'lost' }), 3)
      throw new Error('undone')
    })
    .catch(() => undefined)
  const id = await add({ n: 'kept' })
  await ended(id)
  assert.equal(seen, ['kept'])
})

test('a key keeps a second job away while the first waits, and only then', async () => {
  const runAt = new Date(Date.now() + 3_600_000)
  const first = await add({}, { dedupe: 'k', runAt })
  assert.is(await add({}, { dedupe: 'k', runAt }), first)
  assert.is.not(await add({}, { dedupe: 'other', runAt }), first)
  await add({}, { dedupe: 'k' })
  let runs = 0
  work(async () => {
    runs += 1
    return undefined
  })
  await ended(first)
  assert.is(runs, 1, 'the later wish brought the waiting job forward')
  assert.is.not(await add({}, { dedupe: 'k', runAt }), first)
})

test('a job waits for its moment', async () => {
  const runAt = new Date(Date.now() + 300)
  const id = await add({}, { runAt })
  let ran = 0
  work(async () => {
    ran = Date.now()
    return undefined
  })
  await ended(id)
  assert.ok(ran >= runAt.getTime() - 5, `${ran - runAt.getTime()} ms`)
})

test('a long job keeps its lease, and nobody else begins it', async () => {
  const id = await add({})
  let runs = 0
  const run = async (): Promise<undefined> => {
    runs += 1
    // Three times its lease.
    await new Promise((resolve) => setTimeout(resolve, 900))
  }
  work(run, { jobLeaseMs: 300 })
  work(run, { jobLeaseMs: 300 })
  await ended(id)
  assert.equal([runs, (await state(id)).status], [1, 'completed'])
})

test('a job whose owner is lost is begun again, and the lost one cannot end it', async () => {
  const id = await add({})
  const { taken } = await takeJobs(queue.db.database.adhoc, placesFor('test.work'), 'lost', 50)
  assert.is(taken[0]?.attempt, 1)
  let attempt = 0
  work(async (job) => {
    attempt = job.attempt
    return 'second'
  })
  await ended(id)
  assert.equal([attempt, (await state(id)).result], [2, 'second'])
})

test('a job whose owner is lost each time is given up', async () => {
  const id = await add({}, {}, 1)
  await takeJobs(queue.db.database.adhoc, placesFor('test.work'), 'lost', 10)
  work(async () => undefined)
  await ended(id)
  assert.equal([(await state(id)).status, (await state(id)).error], ['failed', 'the process that ran it was lost'])
})

test('closing lets what runs finish, and begins nothing more', async () => {
  const first = await add({ n: 1 })
  let begun = 0
  let finish = (): void => {}
  const worker = work(
    async () => {
      begun += 1
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      return undefined
    },
    { jobSlots: 1 },
  )
  await until(() => begun === 1)
  const second = await add({ n: 2 })
  worker.wake()
  const closed = worker.close(60_000)
  finish()
  await closed
  assert.equal([(await state(first)).status, (await state(second)).status, begun], ['completed', 'pending', 1])
})

test('what does not finish in time is given back at once, and its attempt not counted', async () => {
  const id = await add({})
  let told: AbortSignal | undefined
  const worker = work(async (_job, { signal }) => {
    told = signal
    // Longer than its worker waits at the end.
    await new Promise((resolve) => setTimeout(resolve, 700))
    return 'too late'
  })
  await until(() => told !== undefined)
  await worker.close(30)
  assert.is(told?.aborted, true)
  assert.is((await state(id)).status, 'pending')
  let attempt = 0
  work(async (job) => {
    attempt = job.attempt
    return 'in time'
  })
  await ended(id)
  // By then the first one has come back with what nobody wants.
  await new Promise((resolve) => setTimeout(resolve, 700))
  assert.equal([attempt, (await state(id)).result], [1, 'in time'])
})

test('a payload that is no reference but a load is refused', async () => {
  const refused = await add({ text: 'x'.repeat(LIMITS.jobBytes) }).catch(String)
  assert.match(String(refused), /too large/)
})

// The embedded database belongs to one process: there is nobody who could take over.
const onServer = process.env.TEST_DATABASE_URL ? test : test.skip

onServer('a job whose process is killed runs again elsewhere, as soon as its lease is over', async () => {
  const id = await add({})
  const folder = await mkdtemp(join(tmpdir(), 'plinth-lost-'))
  const told = join(folder, 'told')
  const child = fork(new URL('./lost.ts', import.meta.url), [queue.db.url ?? '', told], {
    execArgv: ['--import', 'tsx'],
  })
  try {
    await until(() => existsSync(told), 15_000)
    child.kill('SIGKILL')
    await once(child, 'exit')
    let attempt = 0
    work(async (job) => {
      attempt = job.attempt
      return 'done'
    })
    await ended(id)
    assert.equal([attempt, (await state(id)).status], [2, 'completed'])
  } finally {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true })
  }
})

test.run()
