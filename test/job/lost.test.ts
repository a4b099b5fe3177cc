/** A worker that is killed: what it ran is run again by another instance once its lease is over. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SYSTEM } from '../../engine/actor.ts'
import { addJob } from '../../engine/job/queue.ts'
import { jobState } from '../../engine/job/state.ts'
import { startWorker } from '../../engine/job/worker.ts'
import { LIMITS } from '../../engine/limits.ts'
import { createIndex, createTable } from '../../engine/migration/ddl.ts'
import { JOB_TABLE } from '../../engine/migration/engine-tables.ts'
import { SILENT, testDatabase } from '../support/database.ts'

const test = suite('a lost worker')
// The embedded database belongs to one process: there is nobody who could take over.
const onServer = process.env.TEST_DATABASE_URL ? test : test.skip

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 15_000
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('it did not come to that')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

onServer('a job whose process is killed runs again elsewhere, after its lease and not before', async () => {
  const db = await testDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'plinth-lost-'))
  const { adhoc } = db.database
  const indexes = JOB_TABLE.indexes.flatMap((index) => createIndex(JOB_TABLE.name, index, false))
  for (const text of [createTable(JOB_TABLE), ...indexes]) await adhoc.run({ text }, [])
  const order = { name: 'test.work', payload: {}, runAt: undefined, dedupe: undefined, actor: SYSTEM } as const
  const id = await addJob(adhoc, { ...order, as: 'system' }, 3)
  const told = join(folder, 'told')
  const child = fork(new URL('./lost.ts', import.meta.url), [db.url ?? '', told], { execArgv: ['--import', 'tsx'] })
  try {
    await until(() => existsSync(told))
    child.kill('SIGKILL')
    await once(child, 'exit')
    const killed = Date.now()
    let attempt = 0
    const worker = startWorker({
      runner: adhoc,
      log: SILENT,
      limits: { ...LIMITS, jobLeaseMs: 700, jobPollMs: 50 },
      names: () => ['test.work'],
      run: async (job) => {
        attempt = job.attempt
        return 'done'
      },
      random: () => 0.5,
    })
    await until(async () => (await jobState(adhoc, id))?.status === 'completed')
    assert.is(attempt, 2)
    assert.ok(Date.now() - killed < 3_000, 'as soon as the lease is over')
    await worker.close(1_000)
  } finally {
    child.kill('SIGKILL')
    await db.close()
    await rm(folder, { recursive: true })
  }
})

test.run()
