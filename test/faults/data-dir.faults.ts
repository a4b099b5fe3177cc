/** DATA_DIR goes away, is replaced or fills up under a process. */
import { once } from 'node:events'
import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { folder, NOTES } from '../cli/world.ts'
import { until } from '../support/wait.ts'
import { walked } from './measure.ts'
import { openRestartable, type Restartable } from './restartable.ts'
import { mountSmallDisk } from './small-disk.ts'
import { addFigures, cyclesOf } from './table.ts'

const CYCLES = cyclesOf(1)
const isEmbedded = process.env.TEST_DATABASE_URL === undefined
/** The database with its log, what must stay free beside it, and room to fill. */
const small = mountSmallDisk(260)

const files = folder({
  ...NOTES,
  'resources/notes.yaml': NOTES['resources/notes.yaml'].replace('fields:\n', 'fields:\n  body: { type: text }\n'),
})
const test = suite<{ service: Restartable }>('faults: DATA_DIR')
test.before(async (context) => {
  context.service = await openRestartable({ resources: `${files.path}/resources` })
})
test.after(async ({ service }) => {
  await service.close()
  files.remove()
  if (typeof small !== 'string') small.remove()
})

const headers = { 'content-type': 'application/json' }

async function create({ url }: Restartable, title: string, body = ''): Promise<number> {
  const init = { method: 'POST', headers, body: JSON.stringify({ title, body }), signal: AbortSignal.timeout(10_000) }
  return (await fetch(`${url}/api/notes`, init)).status
}

async function titles({ url }: Restartable): Promise<readonly string[]> {
  return (await walked<{ readonly title: string }>(`${url}/api/notes`)).map(({ title }) => title)
}

/** How the process ended, within so many milliseconds. */
async function ended({ server: { child } }: Restartable, ms: number): Promise<number | null> {
  if (child.exitCode === null) await Promise.race([once(child, 'exit'), sleep(ms)])
  if (child.exitCode === null) throw new Error(`the process still runs after ${ms} ms`)
  return child.exitCode
}

interface Checked {
  readonly status: number
  readonly checks: Readonly<Record<string, string>>
}

async function readyz({ url }: Restartable): Promise<Checked> {
  const answer = await fetch(`${url}/readyz`)
  const { data, meta } = (await answer.json()) as { data?: Checked; meta: Partial<Checked> }
  return { status: answer.status, checks: data?.checks ?? meta.checks ?? {} }
}

const none = { lost: 0, doubled: 0, torn: 0, wrong: 0 }

for (const [what, replace] of [
  ['removed', (dataDir: string) => rmSync(dataDir, { recursive: true })],
  [
    'replaced by a copy',
    (dataDir: string) => {
      cpSync(dataDir, `${dataDir}.copy`, { recursive: true, filter: (path) => !path.includes('.s.PGSQL') })
      renameSync(dataDir, `${dataDir}.old`)
      renameSync(`${dataDir}.copy`, dataDir)
    },
  ],
] as const) {
  test(`DATA_DIR ${what}: the process says so and ends with 1`, async ({ service }) => {
    const { dataDir } = service
    mkdirSync(dataDir, { recursive: true })
    if (service.server.child.exitCode !== null) await service.start()
    assert.is(await create(service, 'before'), 201)
    await sleep(1_100)
    replace(dataDir)
    const started = performance.now()
    const statuses: number[] = []
    while (service.server.child.exitCode === null && performance.now() - started < 12_000) {
      await create(service, 'after').then(
        (status) => statuses.push(status),
        () => {},
      )
      await sleep(60)
    }
    assert.is(await ended(service, 1_000), 1)
    const said = service.server.output()
    assert.ok(/ was (removed|replaced by another) while this process used it\. It stops/.test(said), said)
    const wrong = statuses.filter((status) => status !== 201 && status !== 503)
    assert.equal(wrong, [])
    // The database lies there: what is answered with success after that was written into nothing.
    if (isEmbedded) assert.ok(statuses.filter((status) => status === 201).length <= 1, statuses.join(' '))
    const recoveryMs = performance.now() - started
    addFigures({ fault: `DATA_DIR ${what}`, cycles: 1, acknowledged: 1, ...none, recoveryMs })
    rmSync(`${dataDir}.old`, { recursive: true, force: true })
  })
}

/** Runs with a small disk, or says why it cannot. */
function onSmallDisk(
  name: string,
  scenario: (service: Restartable, disk: Exclude<typeof small, string>) => Promise<void>,
) {
  if (typeof small === 'string') {
    process.stdout.write(`  skipped: ${name} (${small})\n`)
    test.skip(name, () => {})
    return
  }
  test(name, async ({ service }) => {
    await service.kill()
    await service.start({ DATA_DIR: join(small.path, 'data') })
    try {
      await scenario(service, small)
    } finally {
      small.readOnly(false)
      small.empty()
      await service.kill()
      rmSync(join(small.path, 'data'), { recursive: true, force: true })
    }
  })
}

onSmallDisk(
  '/readyz tells of a disk that is full or read-only, and of nothing when it is well again',
  async (service, disk) => {
    mkdirSync(join(disk.path, 'data'), { recursive: true })
    assert.equal((await readyz(service)).checks.disk, 'ok')
    disk.fill(20_000_000)
    await until(async () => /^full: \d+ MB are free/.test((await readyz(service)).checks.disk ?? ''), 5_000)
    assert.is((await readyz(service)).status, isEmbedded ? 503 : 200)
    assert.is(await create(service, 'full'), isEmbedded ? 503 : 201)
    disk.empty()
    await until(async () => (await readyz(service)).checks.disk === 'ok', 5_000)
    assert.is(await create(service, 'again'), 201)
    if (isEmbedded) return
    disk.readOnly(true)
    await until(async () => (await readyz(service)).checks.disk === 'read-only', 5_000)
    disk.readOnly(false)
    await until(async () => (await readyz(service)).checks.disk === 'ok', 5_000)
  },
)

if (isEmbedded)
  onSmallDisk('a disk that fills at once loses nothing that was acknowledged', async (service, disk) => {
    const acknowledged = new Set<string>()
    const statuses: number[] = []
    let recoveryMs = 0
    let ends = 0
    for (let cycle = 0; cycle < CYCLES * 2; cycle++) {
      let stop = false
      const writers = Array.from({ length: 6 }, async (_, writer) => {
        for (let i = 0; !stop; i++) {
          const title = `${cycle}-${writer}-${i}`
          const body = Array.from({ length: 500 }, () => Math.random().toString(36)).join('')
          const status = await create(service, title, body).catch(() => 0)
          if (status === 201) acknowledged.add(title)
          if (status !== 0) statuses.push(status)
          else await sleep(100)
        }
      })
      await sleep(500)
      // Where a table cannot grow, PostgreSQL goes on; where its log cannot, it does not.
      disk.fill(cycle % 2 === 0 ? 0 : 6_000_000)
      await sleep(2_500)
      stop = true
      await Promise.all(writers)
      disk.empty()
      const emptied = performance.now()
      if (service.server.child.exitCode !== null) {
        ends += 1
        assert.is(service.server.child.exitCode, 1, service.server.output())
        assert.match(service.server.output(), 'The embedded database has stopped')
        await service.start({ DATA_DIR: join(disk.path, 'data') })
      }
      await until(async () => (await create(service, `recovered ${cycle}`).catch(() => 0)) === 201, 15_000)
      recoveryMs = Math.max(recoveryMs, performance.now() - emptied)
    }
    const there = await titles(service)
    const lost = [...acknowledged].filter((title) => !there.includes(title)).length
    const wrong = statuses.filter((status) => status !== 201 && status !== 503).length
    const figures = { lost, doubled: there.length - new Set(there).size, torn: 0, wrong }
    const fault = `embedded: disk fills at once (${ends} ends)`
    addFigures({ fault, cycles: CYCLES * 2, acknowledged: acknowledged.size, ...figures, recoveryMs })
    assert.equal(figures, none)
  })

test.run()
