/** How many files a request enters: whoever follows one must not have to open many. */
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
import { type Answer, send } from '../support/application.ts'
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
  address: string
  token: string
  close(): Promise<void>
}

const test = suite<Desk>('desk: files that a request enters')
test.before(async (desk) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'plinth-entered-'))
  const env = { PORT: '0', DATA_DIR: dataDir, ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password }
  const settings = readSettings({ ...env, RATE_LIMIT: '100000' }).value!
  const { database, close } = await testDatabase()
  const { value: engine } = await createEngine({ settings, log: SILENT, database, now: () => new Date() })
  const listening = await listenAlone(engine!, settings)
  desk.address = listening.url
  desk.token = (await send(desk.address, 'POST', '/api/v1/auth/login', { body: ADMIN })).body.data.token
  desk.close = async () => {
    await listening.stop(0)
    await engine!.close()
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

const TICKET = { subject: 'The printer is out', details: 'Nothing comes out of it' }
const REQUESTS = [
  ['GET', '/api/v1/tickets', undefined, 200, 25],
  ['POST', '/api/v1/notes', { name: 'Plan', details: 'Order paper' }, 201, 35],
  // With what the plugins of a desk do around a ticket.
  ['POST', '/api/v1/tickets', TICKET, 201, 39],
] as const

for (const [method, path, body, status, most] of REQUESTS) {
  test(`${method} ${path} enters at most ${most} files`, async ({ address, token }) => {
    const ask = (): Promise<Answer> => send(address, method, path, { token, body, agent })
    // What is loaded or compiled once is no part of the way.
    for (let i = 0; i < 3; i += 1) assert.is((await ask()).status, status)
    // What runs by a timer is no part of it either: the fewest of several requests count.
    let fewest: readonly string[] | undefined
    for (let i = 0; i < 12 && (fewest === undefined || fewest.length > most); i += 1) {
      const files = await entered(ask)
      if (fewest === undefined || files.length < fewest.length) fewest = files
    }
    assert.ok(fewest !== undefined && fewest.length <= most, `${fewest?.length}:\n${fewest?.join('\n')}`)
  })
}

test.run()
