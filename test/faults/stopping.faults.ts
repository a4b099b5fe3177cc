/** SIGTERM at any moment: what arrived is answered, a start that has begun ends cleanly, and a proxy notices nothing. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bare, PROGRAM, type Server, startServer } from '../cli/server.ts'
import { folder, NOTES } from '../cli/world.ts'
import { until } from '../support/wait.ts'
import { runLoad } from './load.ts'
import { openProxy } from './proxy.ts'
import { openRestartable, type Restartable, signalledStart } from './restartable.ts'
import { addFigures, cyclesOf } from './table.ts'

const REQUESTS = [
  { method: 'GET', path: '/api/notes?per_page=20' },
  { method: 'POST', path: '/api/notes', body: '{"title":"note {n}","stars":3}' },
]
/** A process that has nothing long to finish, on a machine that does other work too. */
const END_MS = 8_000

interface World {
  service: Restartable
  files: ReturnType<typeof folder>
}

const test = suite<World>('faults: stopping')
test.before.each(async (context) => {
  context.files = folder(NOTES)
  context.service = await openRestartable({ resources: `${context.files.path}/resources` })
})
test.after.each(async ({ files, service }) => {
  await service.close()
  files.remove()
})

function good(statuses: Readonly<Record<string, number>>): number {
  return (statuses[200] ?? 0) + (statuses[201] ?? 0)
}

test('every request that arrived before the end is answered', async ({ service }) => {
  const cycles = cyclesOf(3)
  const figures = { acknowledged: 0, wrong: 0, recoveryMs: 0 }
  for (let cycle = 0; cycle < cycles; cycle++) {
    const base = { url: service.url, headers: {}, requests: REQUESTS }
    const loads = Promise.all([
      runLoad({ ...base, seconds: 6, connections: 60, pauseMs: 5 }),
      runLoad({ ...base, seconds: 6, connections: 60, pauseMs: 200 }),
    ])
    await sleep(2_500 + Math.random() * 500)
    const { code, ms } = await service.server.stop('SIGTERM')
    const all = await loads
    const count = (status: string) => all.reduce((total, { statuses }) => total + (statuses[status] ?? 0), 0)
    const unanswered = count('0') + count('late')
    figures.acknowledged += all.reduce((total, { statuses }) => total + good(statuses), 0)
    figures.wrong += unanswered
    assert.is(code, 0, service.server.output())
    assert.ok(ms < END_MS, `it ended after ${ms} ms`)
    // A listener that closes resets the connection that is made in that moment, as the next one is refused.
    assert.ok(count('-2') <= 4, JSON.stringify(all.map(({ statuses }) => statuses)))
    assert.is(unanswered, 0, JSON.stringify(all.map(({ statuses }) => statuses)))
    const stopped = performance.now()
    await service.start()
    figures.recoveryMs = Math.max(figures.recoveryMs, performance.now() - stopped)
  }
  addFigures({ fault: 'SIGTERM under load', cycles, lost: 0, doubled: 0, torn: 0, ...figures })
})

test('/readyz turns first, requests are served meanwhile, and a second signal ends it at once', async ({ service }) => {
  await service.kill()
  await service.start({ SHUTDOWN_DELAY: '2' })
  const { server, url } = service
  const gone = once(server.child, 'exit')
  server.child.kill('SIGTERM')
  await until(async () => (await fetch(`${url}/readyz`)).status === 503, 1_500)
  const answer = await fetch(`${url}/api/notes`)
  assert.is(answer.status, 200)
  assert.is(answer.headers.get('connection'), 'keep-alive')
  const last = performance.now()
  server.child.kill('SIGTERM')
  assert.is((await gone)[0], 1)
  assert.ok(performance.now() - last < 1_000)
})

test('answers say that the connection closes before the listener does', async ({ service }) => {
  const held = fetch(`${service.url}/api/notes`)
  await (await held).text()
  const ended = service.server.stop('SIGTERM')
  const said: (string | null)[] = []
  await until(async () => {
    const answer = await fetch(`${service.url}/api/notes`).catch(() => undefined)
    await answer?.text()
    if (answer !== undefined) said.push(answer.headers.get('connection'))
    return answer === undefined
  })
  assert.is(said.at(-1), 'close', JSON.stringify(said))
  assert.is((await ended).code, 0)
})

/** A process that is told to stop while it starts; gives its end. */
const stopStart = (env: NodeJS.ProcessEnv, afterMs: number, cwd: string) =>
  signalledStart(PROGRAM, env, afterMs, cwd, 'SIGTERM')

function envOf({ dataDir, databaseUrl }: Restartable, resources: string): NodeJS.ProcessEnv {
  return bare({
    DATA_DIR: dataDir,
    RESOURCES_DIR: resources,
    SHUTDOWN_DELAY: '0',
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  })
}

test('a start that is told to stop ends with 0, whatever it was at', async ({ files, service }) => {
  const cycles = cyclesOf(6)
  await service.kill()
  const env = envOf(service, `${files.path}/resources`)
  let mostMs = 0
  let early = 0
  for (let cycle = 0; cycle < cycles; cycle++) {
    // Each finds a column to add.
    const fields = Array.from({ length: cycle + 1 }, (_, i) => `  extra${i}: { type: string }\n`).join('')
    writeFileSync(
      `${files.path}/resources/notes.yaml`,
      NOTES['resources/notes.yaml'].replace('fields:\n', `fields:\n${fields}`),
    )
    const { code, signal, output, ms } = await stopStart(env, 100 + Math.random() * 1_200, files.path)
    mostMs = Math.max(mostMs, ms)
    // Until Node itself has begun, nothing can listen to a signal, and nothing has been done either.
    if (signal === 'SIGTERM' && output === '') early += 1
    else assert.is(code, 0, `${signal} ${output}`)
    assert.ok(ms < 10_000, `it ended after ${ms} ms`)
  }
  await service.start()
  assert.is((await fetch(`${service.url}/api/notes`)).status, 200)
  assert.ok(early < cycles, 'most had begun')
  const none = { lost: 0, doubled: 0, torn: 0, wrong: 0 }
  addFigures({ fault: 'SIGTERM during a start', cycles, acknowledged: cycles - early, ...none, recoveryMs: mostMs })
})

test('a migration that waits for a lock, or for others to end, is left when the process is told to stop', async ({
  files,
  service,
}) => {
  const { databaseUrl } = service
  if (databaseUrl === undefined) return
  await service.kill()
  const env = envOf(service, `${files.path}/resources`)
  const client = new pg.Client(databaseUrl)
  client.on('error', () => {})
  await client.connect()
  const yaml = NOTES['resources/notes.yaml']
  for (const changed of [
    yaml.replace('fields:\n', 'fields:\n  late: { type: string }\n'),
    // An index is built beside writers, and waits for those that were there before it.
    `${yaml}\nindexes:\n  - [stars]\n`,
  ]) {
    await client.query(`begin; update notes set stars = stars; lock table notes in row exclusive mode`)
    writeFileSync(`${files.path}/resources/notes.yaml`, changed)
    const { code, output, ms } = await stopStart(env, 2_500, files.path)
    assert.is(code, 0, output)
    assert.ok(ms < 8_000, `it ended after ${ms} ms`)
    await client.query('rollback')
    await until(async () => {
      const { rows } = await client.query(
        `select query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and backend_type = 'client backend'`,
      )
      return rows.length === 0
    })
    await service.start()
    assert.is((await fetch(`${service.url}/api/notes`)).status, 200)
    await service.kill()
  }
  const { rows } = await client.query(`select count(*)::int as invalid from pg_index where not indisvalid`)
  await client.end()
  assert.equal(rows, [{ invalid: 0 }])
  await service.start()
})

test('two instances are restarted in turn behind a proxy, and no request fails', async ({ files, service }) => {
  const { databaseUrl } = service
  if (databaseUrl === undefined) return
  const second = folder({})
  const env = {
    ...envOf(service, `${files.path}/resources`),
    RATE_LIMIT: '1000000',
    SHUTDOWN_DELAY: '1',
    REDIS_URL: process.env.TEST_REDIS_URL,
  }
  const run = (at: number): Promise<Server> =>
    startServer(PROGRAM, files.path, { ...env, DATA_DIR: at === 0 ? service.dataDir : second.path })
  await service.kill()
  const proxy = await openProxy()
  const instances = await Promise.all([run(0), run(1)])
  for (const [at, { url }] of instances.entries()) proxy.place(at, url)
  await until(() => proxy.ready() === 2, 20_000)
  const cycles = cyclesOf(2)
  let restarting = true
  const load = async () => {
    const found: Record<string, number> = {}
    while (restarting) {
      const base = { url: proxy.url, headers: {}, requests: REQUESTS }
      const { statuses } = await runLoad({ ...base, seconds: 4, connections: 8, pauseMs: 20 })
      for (const [status, count] of Object.entries(statuses)) found[status] = (found[status] ?? 0) + count
    }
    return found
  }
  const loaded = load()
  for (let cycle = 0; cycle < cycles; cycle++) {
    const at = cycle % 2
    const { code, ms } = await instances[at]!.stop('SIGTERM')
    assert.is(code, 0)
    assert.ok(ms < END_MS, `it ended after ${ms} ms`)
    const next = await run(at)
    instances[at] = next
    proxy.place(at, next.url)
    await until(() => proxy.ready() === 2, 20_000)
  }
  restarting = false
  const statuses = await loaded
  await proxy.close()
  await Promise.all(instances.map((one) => one.stop('SIGTERM')))
  second.remove()
  const acknowledged = good(statuses)
  const wrong = Object.values(statuses).reduce((total, count) => total + count, 0) - acknowledged
  addFigures({ fault: 'rolling restart', cycles, acknowledged, lost: 0, doubled: 0, torn: 0, wrong, recoveryMs: 0 })
  assert.is(wrong, 0, JSON.stringify([statuses, proxy.failures.slice(0, 5)]))
  assert.ok(acknowledged > 100)
  await service.start()
})
test.run()
