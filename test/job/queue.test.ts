/** The queue of jobs: each runs once on several instances, is tried again, given up, kept apart by key, and drained. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobOrder } from '../../engine/action/execution.ts'
import { SYSTEM } from '../../engine/actor.ts'
import type { Taken } from '../../engine/job/job.ts'
import { addJob, takeJobs } from '../../engine/job/queue.ts'
import { type JobState, jobState } from '../../engine/job/state.ts'
import { startWorker, type Worker } from '../../engine/job/worker.ts'
import type { Run, WorkerLimits } from '../../engine/job/worker-parts.ts'
import type { Json, JsonObject } from '../../engine/json.ts'
import { LIMITS } from '../../engine/limits.ts'
import { createIndex, createTable } from '../../engine/migration/ddl.ts'
import { JOB_TABLE } from '../../engine/migration/engine-tables.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'

let db: TestDatabase
const workers: Worker[] = []
const test = suite('the queue of jobs')

const QUICK: WorkerLimits = { ...LIMITS, jobLeaseMs: 600, jobPollMs: 50, jobBackoffMs: 4 }

test.before(async () => {
  db = await testDatabase()
  const indexes = JOB_TABLE.indexes.flatMap((index) => createIndex(JOB_TABLE.name, index, false))
  for (const text of [createTable(JOB_TABLE), ...indexes]) await db.database.adhoc.run({ text }, [])
})
test.after.each(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close(1_000)))
  await db.database.knex('plinth_job').delete()
})
test.after(() => db.close())

const order = (payload: JsonObject, more: Partial<JobOrder> = {}): JobOrder => ({
  name: 'test.work',
  payload,
  runAt: undefined,
  dedupe: undefined,
  actor: SYSTEM,
  as: 'system',
  ...more,
})

const add = (payload: JsonObject, more: Partial<JobOrder> = {}, attempts = 3): Promise<string> =>
  addJob(db.database.adhoc, order(payload, more), attempts)

function work(run: (job: Taken, run: Run) => Promise<Json | undefined>, limits: Partial<WorkerLimits> = {}): Worker {
  const worker = startWorker({
    runner: db.database.adhoc,
    log: SILENT,
    limits: { ...QUICK, ...limits },
    names: () => ['test.work'],
    scheduled: () => [],
    run,
    random: () => 0.5,
  })
  workers.push(worker)
  return worker
}

async function state(id: string): Promise<JobState> {
  const found = await jobState(db.database.adhoc, id)
  if (found === undefined) throw new Error(`there is no job ${id}`)
  return found
}

const ended = (id: string) => until(async () => (await state(id)).finishedAt !== null)

test('500 jobs on two instances run once each', async () => {
  await db.database.transaction(async (transaction) => {
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
  await Promise.all(workers.map((worker) => worker.close(2_000)))
  assert.is(seen.length, 500)
  assert.is(new Set(seen.map(([, n]) => n)).size, 500)
  assert.equal([...new Set(seen.map(([name]) => name))].sort(), ['a', 'b'])
  const [row] = await db.database.knex('plinth_job').where({ status: 'completed', attempt: 1 }).count({ total: '*' })
  assert.is(Number(row?.total), 500)
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
  assert.equal((await db.database.knex('plinth_job').where({ id }).first('payload'))?.payload, {})
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
  assert.ok((pauses[2] ?? 0) > (pauses[0] ?? 0), `the pauses grow: ${pauses}`)
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
  assert.equal((await db.database.knex('plinth_job').where({ id }).first('payload'))?.payload, { n: 1 })
})

test('what a transaction that is rolled back enqueues never runs', async () => {
  const seen: Json[] = []
  work(async ({ payload }) => {
    seen.push(payload.n ?? null)
    return undefined
  })
  await db.database
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
    await new Promise((resolve) => setTimeout(resolve, 900))
  }
  work(run, { jobLeaseMs: 300 })
  work(run, { jobLeaseMs: 300 })
  await ended(id)
  assert.equal([runs, (await state(id)).status], [1, 'completed'])
})

test('a job whose owner is lost is begun again, and the lost one can not end it', async () => {
  const id = await add({})
  const { taken } = await takeJobs(db.database.adhoc, ['test.work'], 5, 'lost', 50)
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
  await takeJobs(db.database.adhoc, ['test.work'], 5, 'lost', 10)
  work(async () => undefined)
  await ended(id)
  assert.equal([(await state(id)).status, (await state(id)).error], ['failed', 'the process that ran it was lost'])
})

test('closing lets what runs finish, and begins nothing more', async () => {
  const first = await add({ n: 1 })
  let begun = 0
  const worker = work(
    async () => {
      begun += 1
      await new Promise((resolve) => setTimeout(resolve, 200))
      return undefined
    },
    { jobSlots: 1 },
  )
  await until(() => begun === 1)
  const second = await add({ n: 2 })
  worker.wake()
  await worker.close(5_000)
  assert.equal([(await state(first)).status, (await state(second)).status, begun], ['completed', 'pending', 1])
})

test('what does not finish in time is given back at once, and its attempt not counted', async () => {
  const id = await add({})
  let told: AbortSignal | undefined
  const worker = work(async (_job, { signal }) => {
    told = signal
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
  await new Promise((resolve) => setTimeout(resolve, 700))
  assert.equal([attempt, (await state(id)).result], [1, 'in time'])
})

test('a payload that is no reference but a load is refused', async () => {
  const refused = await add({ text: 'x'.repeat(LIMITS.jobBytes) }).catch(String)
  assert.match(refused, /too large/)
})

// The embedded database belongs to one process: there is nobody who could take over.
const onServer = process.env.TEST_DATABASE_URL ? test : test.skip

onServer('a job whose process is killed runs again elsewhere, as soon as its lease is over', async () => {
  const id = await add({})
  const folder = await mkdtemp(join(tmpdir(), 'plinth-lost-'))
  const told = join(folder, 'told')
  const child = fork(new URL('./lost.ts', import.meta.url), [db.url ?? '', told], { execArgv: ['--import', 'tsx'] })
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
