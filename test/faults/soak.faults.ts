/** A desk that is used for long: memory, connections, prepared statements, files and tables stay what they are. FAULTS_SCALE=180 takes an hour. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openRestartableDesk, type RestartableDesk } from './desk.ts'
import { memory } from './measure.ts'
import { DAYS, personOf, type Tally } from './soak-work.ts'
import { addFigures, addSample, cyclesOf, type Sample } from './table.ts'

const SECONDS = cyclesOf(20)
const SAMPLES = 20
/** Between two days of one person, so that the machine is used and not full. */
const PAUSE_MS = 100

const test = suite<{ desk: RestartableDesk }>('faults: a long use')
test.before(async (context) => {
  context.desk = await openRestartableDesk()
})
test.after(({ desk }) => desk.close())

const DATABASE = `select
  (select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()) as connections,
  (select count(*) from pg_class where relkind = 'r') as tables,
  pg_database_size(current_database()) / 1048576 as mb`

/** What the server says of its database; nothing of an embedded one, whose only connection is the process's own. */
async function databaseFigures(
  url: string | undefined,
): Promise<Pick<Sample, 'connections' | 'tables' | 'databaseMb'>> {
  if (url === undefined) return { connections: null, tables: null, databaseMb: null }
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ connections: string; tables: string; mb: string }>(DATABASE)
  await client.end()
  const [{ connections, tables, mb }] = rows as [(typeof rows)[number]]
  return { connections: Number(connections), tables: Number(tables), databaseMb: Number(mb) }
}

/** Files that requests leave in DATA_DIR for a moment only. */
function passingFiles(dataDir: string): number {
  const folder = join(dataDir, 'tmp')
  try {
    return readdirSync(folder, { recursive: true }).length
  } catch {
    return 0
  }
}

async function sampleOf({ service }: RestartableDesk, tally: Tally, second: number): Promise<Sample> {
  const { pid } = service.server.child
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  const metric = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1])
  return {
    second,
    requests: tally.requests,
    memoryMb: memory(service),
    heapMb: Math.round(metric('nodejs_heap_size_used_bytes') / 1_048_576),
    prepared: metric('plinth_database_prepared_statements'),
    openFiles: readdirSync(`/proc/${pid}/fd`).length,
    passingFiles: passingFiles(service.dataDir),
    ...(await databaseFigures(service.databaseUrl)),
  }
}

/** The largest of the second quarter, when all has been warm, and of the last. */
function ends(samples: readonly Sample[], of: (sample: Sample) => number | null): readonly [number, number] {
  const quarter = Math.floor(samples.length / 4)
  const most = (some: readonly Sample[]): number => Math.max(...some.map((sample) => of(sample) ?? 0))
  return [most(samples.slice(quarter, 2 * quarter)), most(samples.slice(-quarter))]
}

test(`is the same after ${SECONDS} s`, async ({ desk }) => {
  const tally: Tally = { requests: 0, wrong: [] }
  const person = personOf(desk, tally)
  const end = performance.now() + SECONDS * 1_000
  const days = DAYS.map(async (day) => {
    while (performance.now() < end) {
      await day(person)
      await sleep(PAUSE_MS)
    }
  })
  const samples: Sample[] = []
  const sampling = async (): Promise<void> => {
    for (let n = 1; n <= SAMPLES; n++) {
      await sleep((SECONDS * 1_000) / SAMPLES)
      const sample = await sampleOf(desk, tally, Math.round((n * SECONDS) / SAMPLES))
      samples.push(sample)
      addSample(sample)
    }
  }
  await Promise.all([...days, sampling()])
  const figures = { lost: 0, doubled: 0, torn: 0, wrong: tally.wrong.length, recoveryMs: 0 }
  addFigures({ fault: `${SECONDS} s of use`, cycles: 1, acknowledged: tally.requests, ...figures })
  assert.equal(tally.wrong.slice(0, 5), [])
  const flat = (name: string, of: (sample: Sample) => number | null, times: number, more: number): void => {
    const [early, late] = ends(samples, of)
    assert.ok(late <= early * times + more, `${name} went from ${early} to ${late}`)
  }
  flat('memory in MB', ({ memoryMb }) => memoryMb, 1.3, 60)
  flat('heap in MB', ({ heapMb }) => heapMb, 1.5, 60)
  flat('connections', ({ connections }) => connections, 1, 3)
  flat('prepared statements', ({ prepared }) => prepared, 1.3, 200)
  flat('open files', ({ openFiles }) => openFiles, 1.2, 20)
  flat('passing files', ({ passingFiles: files }) => files, 1, 10)
  flat('tables', ({ tables }) => tables, 1, 0)
})
test.run()
