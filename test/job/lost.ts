/** A process that takes a job and is killed while it runs: the child of the test of lost workers. */
import { writeFileSync } from 'node:fs'
import { connect } from '../../engine/database/connect.ts'
import { startWorker } from '../../engine/job/worker.ts'
import { LIMITS } from '../../engine/limits.ts'
import { readSettings } from '../../engine/settings.ts'
import { SILENT } from '../support/database.ts'

const [url = '', told = ''] = process.argv.slice(2)
const { value: settings } = readSettings({ DATABASE_URL: url, DATABASE_POOL: '2' })
if (settings === undefined) throw new Error('the settings of the child are not acceptable')
const { adhoc } = await connect(settings, { log: SILENT })
startWorker({
  runner: adhoc,
  log: SILENT,
  limits: { ...LIMITS, jobLeaseMs: 700, jobPollMs: 50 },
  kinds: () => [{ name: 'test.work', concurrency: undefined, prefetch: 0, long: false, admits: () => 1 }],
  scheduled: () => [],
  run: ({ id }) => {
    writeFileSync(told, id)
    return new Promise(() => undefined)
  },
  gap: async () => undefined,
  completed: () => undefined,
  measure: async () => undefined,
  random: () => 0.5,
})
// The worker alone keeps no process alive.
setInterval(() => undefined, 1_000)
