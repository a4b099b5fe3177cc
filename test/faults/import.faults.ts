/** kill -9 in the middle of a large import, more often than a job has attempts: it goes on where it was, to its end. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { openRestartableDesk, type RestartableDesk } from './desk.ts'
import { addFigures, cyclesOf } from './table.ts'

/** A job is given up after five attempts that came no further. */
const KILLS = cyclesOf(6)
/** Batches grow to a thousand rows, and stay small on the embedded database. */
const ROWS = Math.max(1_100, KILLS * (process.env.TEST_DATABASE_URL === undefined ? 600 : 4_000))

const test = suite<{ desk: RestartableDesk }>('faults: kill -9 during an import')
test.before(async (context) => {
  context.desk = await openRestartableDesk((app) => app.replace('job_rows: 2000', 'job_rows: 1000'))
})
test.after(({ desk }) => desk.close())

const LIST = '/contacts?search=imported'

async function total({ ask }: RestartableDesk): Promise<number> {
  return (await ask('GET', `${LIST}&per_page=1`)).body.meta?.pagination?.total ?? 0
}

interface Contact {
  readonly email: string
  readonly first_name: string
}

/** All contacts that were imported, by walking the pages. */
async function stored({ ask }: RestartableDesk): Promise<readonly Contact[]> {
  const found: Contact[] = []
  for (let page = 1; ; page++) {
    const { body } = await ask('GET', `${LIST}&per_page=100&sort=id&page=${page}`)
    const data = body.data as readonly Contact[]
    found.push(...data)
    if (data.length < 100) return found
  }
}

test('an acknowledged import comes to its end, each row once, however often the process is killed', async ({
  desk,
}) => {
  const { ask, service } = desk
  const lines = Array.from({ length: ROWS }, (_, n) => `imported${n}@people.example,First ${n},Last`)
  const form = new FormData()
  form.append(
    'file',
    new Blob([['Email,First Name,Last Name', ...lines].join('\n')], { type: 'text/csv' }),
    'people.csv',
  )
  const sent = await ask('POST', '/contacts/import', form)
  assert.is(sent.status, 202)
  const { job_id } = sent.body.data as { job_id: string }
  let [kills, recoveryMs, before] = [0, 0, 0]
  for (; kills < KILLS; kills++) {
    const begun = performance.now()
    // Two batches at least: that is further than a whole percent, which lets the attempts begin anew.
    await until(async () => (await total(desk)) >= Math.min(ROWS, before + 100), 30_000)
    if (kills > 0) recoveryMs = Math.max(recoveryMs, performance.now() - begun)
    before = await total(desk)
    if (before >= ROWS) break
    await service.kill()
    await service.start()
  }
  const status = async () => ((await ask('GET', `/jobs/${job_id}`)).body.data as { status: string }).status
  await until(async () => ['completed', 'failed'].includes(await status()), 90_000)
  const found = await stored(desk)
  const there = new Set(found.map(({ email }) => email))
  const figures = {
    lost: ROWS - there.size,
    doubled: found.length - there.size,
    torn: found.filter(({ email, first_name }) => first_name !== `First ${/\d+/.exec(email)?.[0]}`).length,
    wrong: (await status()) === 'completed' ? 0 : 1,
  }
  const fault = `kill -9 during an import of ${ROWS} rows`
  addFigures({ fault, cycles: kills, acknowledged: ROWS, ...figures, recoveryMs })
  assert.equal(figures, { lost: 0, doubled: 0, torn: 0, wrong: 0 })
  assert.ok(kills > 5, `it was killed ${kills} times`)
})
test.run()
