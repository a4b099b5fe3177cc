/** How many files a request enters, the first time and later: a reader who follows one must not have to open many. */
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createEngine } from '../../engine/engine.ts'
import { readSettings } from '../../engine/settings.ts'
import { send } from '../support/application.ts'
import { SILENT, testDatabase } from '../support/database.ts'
import { listenAlone } from '../support/requests-alone.ts'

const ADMIN = { email: 'boss@desk.example', password: 'a very long secret' }
/** What runs in place of a server, of which nothing is seen here, what looks at connections and the disk by a timer, what reads all code once, and what only remembers. */
const BESIDE = new Set([
  'engine/database/cluster.ts',
  'engine/database/silence-watch.ts',
  'engine/disk/disk-watch.ts',
  'engine/memo.ts',
  'engine/plugin/modules.ts',
])

/** A connection is made once, so what it enters is no part of the way of a request. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

interface Desk {
  readonly address: string
  readonly token: string
  close(): Promise<void>
}

interface World {
  open(): Promise<Desk>
  close(): Promise<void>
}

const test = suite<World>('desk: files that a request enters')
test.before(async (world) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'plinth-entered-'))
  const env = { PORT: '0', DATA_DIR: dataDir, ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password }
  const settings = readSettings({ ...env, RATE_LIMIT: '100000' }).value!
  const { database, close } = await testDatabase()
  world.open = async () => {
    const { value: engine } = await createEngine({ settings, log: SILENT, database, now: () => new Date() })
    const listening = await listenAlone(engine!, settings)
    const address = listening.url
    const { body } = await send(address, 'POST', '/api/v1/auth/login', { body: ADMIN, agent })
    return {
      address,
      token: body.data.token,
      async close() {
        await listening.stop(0)
        await engine!.close()
      },
    }
  }
  world.close = async () => {
    await close()
    await rm(dataDir, { recursive: true })
  }
})
test.after(({ close }) => {
  agent.destroy()
  return close()
})

/** The files below engine/ and plugins/ with a function that runs while `work` does. */
async function entered(work: () => Promise<unknown>): Promise<readonly string[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  session.disconnect()
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
    .flatMap(({ url }) => (url.startsWith('file:') ? relative(process.cwd(), fileURLToPath(url)) : []))
    .filter((path) => /^(engine|plugins)\/.*\.ts$/.test(path) && !BESIDE.has(path))
    .sort()
}

interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  /** Another one each time: an update that changes nothing writes nothing. */
  readonly body?: (number: number) => object
  /** What is created before, so that there is a record of the path. */
  readonly existing?: object
  /** The most files that it enters when it came before, and the first time, when its plan and its statement are made. */
  readonly warm: number
  readonly cold: number
}

const NOTE = { name: 'Plan', details: 'Order paper' }
const TICKET = { subject: 'The printer is out', details: 'Nothing comes out of it' }
const REQUESTS: readonly Request[] = [
  { method: 'GET', path: 'tickets', warm: 21, cold: 28 },
  { method: 'POST', path: 'notes', body: () => NOTE, warm: 24, cold: 36 },
  // With what the plugins of a desk do around a ticket.
  { method: 'POST', path: 'tickets', body: () => TICKET, warm: 27, cold: 41 },
  {
    method: 'PATCH',
    path: 'notes',
    existing: NOTE,
    body: (number) => ({ name: `Plan ${number}` }),
    warm: 26,
    cold: 38,
  },
  {
    method: 'PATCH',
    path: 'tickets',
    existing: TICKET,
    body: (number) => ({ subject: `Printer ${number} is out` }),
    warm: 29,
    cold: 42,
  },
]

const STATUS = { GET: 200, POST: 201, PATCH: 200 }
let asked = 0

/** Sends the request, each time with another body, to the path of a record where it needs one. */
async function asking(
  { address, token }: Desk,
  { body, existing, method, path }: Request,
): Promise<() => Promise<void>> {
  const list = `/api/v1/${path}`
  const made = existing && (await send(address, 'POST', list, { token, body: existing, agent }))
  const at = made === undefined ? list : `${list}/${made.body.data.id}`
  return async () => {
    asked += 1
    assert.is((await send(address, method, at, { token, body: body?.(asked), agent })).status, STATUS[method])
  }
}

/** The fewest files of several tries count, because what runs by a timer is no part of the way. */
function fewer(one: readonly string[], other: readonly string[]): readonly string[] {
  return one.length < other.length ? one : other
}

for (const request of REQUESTS) {
  const { cold, method, path, warm } = request
  test(`${method} ${path} enters at most ${warm} files, and ${cold} the first time`, async ({ open }) => {
    let desk = await open()
    let ask = await asking(desk, request)
    let first = await entered(ask)
    for (let i = 1; i < 3 && first.length > cold; i += 1) {
      await desk.close()
      desk = await open()
      ask = await asking(desk, request)
      first = fewer(await entered(ask), first)
    }
    for (let i = 0; i < 2; i += 1) await ask()
    let again = await entered(ask)
    for (let i = 1; i < 12 && again.length > warm; i += 1) again = fewer(await entered(ask), again)
    await desk.close()
    console.log(`${method} ${path}: ${again.length} files, ${first.length} the first time`)
    assert.ok(again.length <= warm, `${again.length}:\n${again.join('\n')}`)
    assert.ok(first.length <= cold, `${first.length} the first time:\n${first.join('\n')}`)
  })
}

test.run()
