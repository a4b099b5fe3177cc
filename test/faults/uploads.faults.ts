/** Disks that are full, read-only or unwritable under uploads: what was answered with success is whole, all else is 503 and leaves nothing. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { hashOf } from './measure.ts'
import { openRestartable, type Restartable } from './restartable.ts'
import { boundFiles, mountSmallDisk, type SmallDisk } from './small-disk.ts'
import { addFigures, cyclesOf } from './table.ts'

const CYCLES = cyclesOf(2)
const TOGETHER = 12
const ADMIN = { email: 'boss@desk.example', password: 'a very long secret' }
/** More rows than an import answers at once. */
const ROWS = 2_001

const small = mountSmallDisk(6)
/** Folders of DATA_DIR in which files arrive and stay. */
const FOLDERS = ['tmp', 'uploads']

const test = suite<{ service: Restartable; token: string }>('faults: uploads')

test.before(async (context) => {
  context.service = await openRestartable({
    env: { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, AUTH_RATE_LIMIT: '1000' },
    prepare(dataDir) {
      if (typeof small === 'string') return
      for (const folder of FOLDERS) {
        mkdirSync(join(small.path, folder))
        symlinkSync(join(small.path, folder), join(dataDir, folder))
      }
    },
  })
  const { json } = await send(context.service, 'POST', '/auth/login', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  context.token = (json as { readonly data: { readonly token: string } }).data.token
})
test.after(async ({ service }) => {
  await service.close()
  if (typeof small !== 'string') small.remove()
})

interface Answered {
  readonly status: number
  readonly retryAfter: string | null
  readonly json: unknown
}

async function send({ url }: Restartable, method: string, path: string, init: RequestInit): Promise<Answered> {
  const answer = await fetch(`${url}/api/v1${path}`, { ...init, method, signal: AbortSignal.timeout(20_000) })
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), json: await answer.json() }
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

function post(service: Restartable, token: string, path: string, name: string, content: string): Promise<Answered> {
  const body = new FormData()
  body.set('file', new Blob([content]), name)
  return send(service, 'POST', path, { headers: bearer(token), body })
}

/** Text of about so many bytes that is like no other. */
const textOf = (bytes: number): string => randomBytes(Math.ceil((bytes * 3) / 4)).toString('base64')

const sheetOf = (): string =>
  `Name,Address\n${Array.from({ length: ROWS }, (_, row) => `Organization ${row},${textOf(90)}`).join('\n')}\n`

interface Tally {
  acknowledged: number
  torn: number
  wrong: number
  /** What was stored under which id. */
  readonly kept: Map<number, string>
  readonly jobs: string[]
}

/** Sends files and imports at the same moment. */
async function sendTogether(service: Restartable, token: string, tally: Tally): Promise<void> {
  await Promise.all(
    Array.from({ length: TOGETHER }, async (_, at) => {
      const isImport = at % 4 === 3
      const content = isImport ? sheetOf() : textOf(100_000 + Math.random() * 300_000)
      const path = isImport ? '/organizations/import?dry_run=true' : '/media'
      const { status, retryAfter, json } = await post(service, token, path, isImport ? 'a.csv' : 'a.txt', content)
      const { data } = json as { readonly data?: { readonly id?: number; readonly job_id?: string } }
      if (status === 201) tally.kept.set(Number(data?.id), hashOf(content))
      else if (status === 202) tally.jobs.push(String(data?.job_id))
      else if (status !== 503 || Number(retryAfter) < 1) tally.wrong += 1
      if (status < 300) tally.acknowledged += 1
    }),
  )
}

/** How many of the acknowledged files and imports are not what was sent. */
async function countTorn(service: Restartable, token: string, { kept, jobs }: Tally): Promise<number> {
  let torn = 0
  for (const [id, hash] of kept) {
    const answer = await fetch(`${service.url}/api/v1/media/${id}/download`, { headers: bearer(token) })
    if (hashOf(Buffer.from(await answer.arrayBuffer())) !== hash) torn += 1
  }
  interface Job {
    readonly data: { readonly status: string; readonly result: { readonly total: number } | null }
  }
  for (const id of jobs) {
    let job: Job['data'] | undefined
    await until(async () => {
      job = ((await send(service, 'GET', `/jobs/${id}`, { headers: bearer(token) })).json as Job).data
      return ['completed', 'failed'].includes(job.status)
    }, 60_000)
    if (job?.status !== 'completed' || job.result?.total !== ROWS) torn += 1
  }
  return torn
}

/** What is taken away while it is looked at is not there; a folder that is makes it look again. */
function filesBelow(folder: string, tries = 10): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true,
    )
  } catch (error) {
    if (tries === 0 || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return filesBelow(folder, tries - 1)
  }
}

/** How long it takes until an upload is taken again, in milliseconds. */
async function recovered(service: Restartable, token: string, tally: Tally): Promise<number> {
  const started = performance.now()
  for (;;) {
    const content = textOf(50_000)
    const { status, json } = await post(service, token, '/media', 'a.txt', content)
    if (status === 201) {
      tally.kept.set((json as { readonly data: { readonly id: number } }).data.id, hashOf(content))
      return performance.now() - started
    }
    if (performance.now() - started > 10_000) throw new Error(`no upload is taken any more: ${status}`)
    await sleep(50)
  }
}

async function withFault(
  { service, token }: { service: Restartable; token: string },
  fault: string,
  { begin, end }: { begin: (cycle: number) => void; end: () => void },
): Promise<void> {
  const tally: Tally = { acknowledged: 0, torn: 0, wrong: 0, kept: new Map(), jobs: [] }
  let recoveryMs = 0
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    begin(cycle)
    try {
      await sendTogether(service, token, tally)
    } finally {
      end()
    }
    recoveryMs = Math.max(recoveryMs, await recovered(service, token, tally))
    tally.torn += await countTorn(service, token, tally)
    const uploads = filesBelow(join(service.dataDir, 'uploads'))
    const media = uploads.filter((name) => name.startsWith('media/'))
    assert.is(media.length, tally.kept.size, 'files are those of acknowledged uploads alone')
    assert.equal(
      uploads.filter((name) => name.endsWith('.part')),
      [],
    )
    for (const id of tally.kept.keys()) {
      await fetch(`${service.url}/api/v1/media/${id}`, { method: 'DELETE', headers: bearer(token) })
    }
    await until(() => filesBelow(join(service.dataDir, 'uploads')).length === 0, 10_000)
    assert.equal(readdirSync(join(service.dataDir, 'tmp')), [], 'nothing half is left')
    tally.kept.clear()
    tally.jobs.length = 0
  }
  const { acknowledged, torn, wrong } = tally
  addFigures({ fault, cycles: CYCLES, acknowledged, lost: 0, doubled: 0, torn, wrong, recoveryMs })
  assert.equal({ torn, wrong }, { torn: 0, wrong: 0 })
}

/** Runs with a small disk, or says why it cannot. */
function withDisk(name: string, begin: (disk: SmallDisk, cycle: number) => void, end: (disk: SmallDisk) => void): void {
  if (typeof small === 'string') {
    process.stdout.write(`  skipped: ${name} (${small})\n`)
    test.skip(name, () => {})
  } else {
    const fault = { begin: (cycle: number) => begin(small, cycle), end: () => end(small) }
    test(name, (context) => withFault(context, name, fault))
  }
}

withDisk(
  'uploads on a full disk',
  (disk, cycle) => disk.fill(cycle % 2 === 0 ? 1_500_000 : 3_000_000),
  (disk) => disk.empty(),
)
withDisk(
  'uploads on a read-only disk',
  (disk) => disk.readOnly(true),
  (disk) => disk.readOnly(false),
)

const bounded = 'uploads with a bound on file sizes'
// The embedded database writes its log in files of 16 MB, more than any upload has.
const unbounded =
  process.env.TEST_DATABASE_URL === undefined
    ? 'the bound would hold for the embedded database too'
    : boundFiles(process.pid, undefined)
if (unbounded !== undefined) {
  process.stdout.write(`  skipped: ${bounded} (${unbounded})\n`)
  test.skip(bounded, () => {})
} else {
  test(bounded, (context) => {
    const pid = context.service.server.child.pid ?? 0
    const fault = { begin: () => void boundFiles(pid, 200_000), end: () => void boundFiles(pid, undefined) }
    return withFault(context, bounded, fault)
  })
}

test('a client that is cut in the middle leaves nothing', async ({ service, token }) => {
  const cut = async (): Promise<void> => {
    const head =
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n'
    const headers = { ...bearer(token), 'content-type': 'multipart/form-data; boundary=x', 'content-length': '400000' }
    const sending = request(`${service.url}/api/v1/media`, { method: 'POST', headers })
    sending.on('error', () => {})
    sending.write(head + textOf(Math.random() * 200_000))
    await sleep(20 + Math.random() * 80)
    sending.destroy()
  }
  for (let cycle = 0; cycle < CYCLES; cycle++) await Promise.all(Array.from({ length: TOGETHER }, cut))
  await until(() => readdirSync(join(service.dataDir, 'tmp')).length === 0, 5_000)
  assert.equal(filesBelow(join(service.dataDir, 'uploads')), [])
  addFigures({
    fault: 'clients cut in an upload',
    cycles: CYCLES * TOGETHER,
    acknowledged: 0,
    lost: 0,
    doubled: 0,
    torn: 0,
    wrong: 0,
    recoveryMs: 0,
  })
})
test.run()
