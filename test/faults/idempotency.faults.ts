/** A retry with an Idempotency-Key never doubles: connections cut at every message, kill -9, several instances at once. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bare, PROGRAM, type Server, startServer } from '../cli/server.ts'
import { folder, NOTES } from '../cli/world.ts'
import { type CutMode, type CuttingProxy, openCuttingProxy } from './cutting-proxy.ts'
import { insist, judge, passes, type Sent, send, stored } from './keyed-client.ts'
import { openRestartable, type Restartable } from './restartable.ts'
import { addFigures, cyclesOf } from './table.ts'

const WRITERS = 8
const KILLS = cyclesOf(3)
const CUTS = cyclesOf(1)
const RACES = cyclesOf(20)
/** More messages than any of these requests sends to the database. */
const MESSAGES = 12
/** A route that does all that lasts at once, and one that does not. */
const PAIRS = `import { definePlugin } from 'plinth'

const title = { type: 'string', required: true }

export default definePlugin({
  name: 'pairs',
  description: 'Notes that come in twos.',
  routes: [
    {
      method: 'POST', path: '/pairs', summary: 'Two notes and a job', access: 'public', status: 201, once: true,
      input: { title }, output: { type: 'object' },
      handle: ({ body, once }) => once(async ({ enqueue, records }) => {
        const first = await records('notes').create({ title: body.title + ' one', stars: 1 })
        await records('notes').create({ title: body.title + ' two', stars: 2 })
        await enqueue('pairs.third', {})
        return { data: { first: first.id } }
      }),
    },
    {
      method: 'POST', path: '/steps', summary: 'Two notes, one after the other', access: 'public', status: 201,
      input: { title }, output: { type: 'object' },
      handle: async ({ body, records }) => {
        const first = await records('notes').create({ title: body.title + ' one', stars: 1 })
        await records('notes').create({ title: body.title + ' two', stars: 2 })
        return { data: { first: first.id } }
      },
    },
  ],
  jobs: {
    third: { description: 'Nothing that could be done twice.', run: async () => undefined },
  },
})
`

const files = folder({
  ...NOTES,
  'resources/app.yaml': NOTES['resources/app.yaml'].replace('{ timestamps: {} }', '{ timestamps: {}, pairs: {} }'),
  'plugins/pairs/index.ts': PAIRS,
})
interface World {
  service: Restartable
  /** What stands between the service and its server; undefined on the embedded database. */
  proxy: CuttingProxy | undefined
}

const test = suite<World>('faults: retries with an Idempotency-Key')
const onServer = process.env.TEST_DATABASE_URL === undefined ? test.skip : test
test.before(async (context) => {
  const service = await openRestartable({ resources: `${files.path}/resources`, plugins: `${files.path}/plugins` })
  context.service = service
  if (service.databaseUrl === undefined) return
  context.proxy = await openCuttingProxy(service.databaseUrl)
  await restart(context)
})
test.after(async ({ proxy, service }) => {
  await service.close()
  await proxy?.close()
  files.remove()
})

/** Ends the service at once and starts it again behind the proxy. */
async function restart({ proxy, service }: World): Promise<void> {
  await service.kill()
  await service.start(proxy === undefined ? {} : { DATABASE_URL: proxy.url })
}

/** How many jobs were ever added by the route. */
async function jobsOf({ databaseUrl }: Restartable): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ n: number }>(
    "select count(*)::int as n from plinth_job where name = 'pairs.third'",
  )
  await client.end()
  return rows[0]?.n ?? 0
}

interface Cut {
  readonly title: string
  readonly first: Sent | undefined
  readonly last: Sent
}

/** Cuts the connection at each message of a request in both ways, and sends the request again each time. */
async function cutEverywhere({ proxy, service }: World, path: string): Promise<{ cuts: Cut[]; recoveryMs: number }> {
  const cuts: Cut[] = []
  let recoveryMs = 0
  const once = async (title: string, nth: number, mode: CutMode): Promise<boolean> => {
    // Statements are prepared and connections open, so that the messages counted are the request's own.
    await insist(() => service.url, path, `warm ${title}`)
    proxy?.cutAt(nth, mode)
    const first = await send(service.url, path, title)
    if (proxy?.disarm() !== true) return false
    const at = performance.now()
    const last = first !== undefined && !passes(first) ? first : await insist(() => service.url, path, title)
    recoveryMs = Math.max(recoveryMs, performance.now() - at)
    cuts.push({ title, first, last })
    return true
  }
  for (let cycle = 0; cycle < CUTS; cycle++)
    for (const mode of ['answered', 'sent'] satisfies CutMode[])
      for (let nth = 0; nth < MESSAGES; nth++)
        if (!(await once(`cut ${path} ${cycle} ${mode} ${nth}`, nth, mode))) break
  return { cuts, recoveryMs }
}

onServer('a connection cut at any message of a creation', async (world) => {
  const { service } = world
  const { cuts, recoveryMs } = await cutEverywhere(world, '/api/notes')
  const acknowledged = cuts.filter(({ last }) => last.status === 201)
  const figures = {
    ...judge(
      cuts.map(({ title }) => title),
      await stored(service),
    ),
    torn: 0,
    wrong: cuts.length - acknowledged.length,
  }
  addFigures({
    fault: 'cut connection, retry with key',
    cycles: cuts.length,
    acknowledged: acknowledged.length,
    ...figures,
    recoveryMs,
  })
  assert.equal(figures, { lost: 0, doubled: 0, torn: 0, wrong: 0 })
  assert.ok(
    cuts.some(({ last }) => last.replayed),
    'some were committed before the cut',
  )
  assert.ok(
    cuts.some(({ last }) => !last.replayed),
    'and some were not',
  )
})

onServer("a connection cut at any message of a plugin's route that works at once", async (world) => {
  const { service } = world
  const { cuts, recoveryMs } = await cutEverywhere(world, '/api/pairs')
  const titles = cuts.flatMap(({ title }) => [`${title} one`, `${title} two`])
  const there = await stored(service)
  const pairs = [...there.keys()].filter((title) => / \/api\/pairs .* one$/.test(title)).length
  const jobs = await jobsOf(service)
  const acknowledged = cuts.filter(({ last }) => last.status === 201)
  const figures = { ...judge(titles, there), torn: Math.abs(pairs - jobs), wrong: cuts.length - acknowledged.length }
  addFigures({
    fault: 'the same, two records and a job',
    cycles: cuts.length,
    acknowledged: acknowledged.length,
    ...figures,
    recoveryMs,
  })
  assert.equal(figures, { lost: 0, doubled: 0, torn: 0, wrong: 0 })
})

onServer("a connection cut at any message of a plugin's route that works in steps", async (world) => {
  const { service } = world
  const { cuts, recoveryMs } = await cutEverywhere(world, '/api/steps')
  const there = await stored(service)
  const acknowledged = cuts.filter(({ last }) => last.status === 201)
  const parts = (some: readonly Cut[]) => some.flatMap(({ title }) => [`${title} one`, `${title} two`])
  const figures = {
    lost: judge(parts(acknowledged), there).lost,
    doubled: judge(parts(cuts), there).doubled,
    torn: 0,
    wrong: cuts.filter(({ last }) => last.status !== 201 && last.status !== 409).length,
  }
  addFigures({
    fault: 'the same, a route in steps',
    cycles: cuts.length,
    acknowledged: acknowledged.length,
    ...figures,
    recoveryMs,
  })
  assert.equal(figures, { lost: 0, doubled: 0, torn: 0, wrong: 0 })
  assert.ok(
    cuts.some(({ last }) => last.status === 409),
    'what became of some is not known',
  )
})

onServer('the same key at two instances at once', async ({ service }) => {
  const env = {
    DATA_DIR: service.dataDir,
    RATE_LIMIT: '1000000',
    DATABASE_URL: service.databaseUrl,
    RESOURCES_DIR: `${files.path}/resources`,
    PLUGINS_DIR: `${files.path}/plugins`,
    ...(process.env.TEST_REDIS_URL === undefined ? {} : { REDIS_URL: process.env.TEST_REDIS_URL }),
  }
  const other: Server = await startServer(PROGRAM, process.cwd(), bare(env))
  const titles: string[] = []
  let [acknowledged, wrong] = [0, 0]
  try {
    for (let race = 0; race < RACES; race++) {
      const title = `race ${race}`
      titles.push(title)
      const urls = [service.url, other.url, service.url, other.url]
      const answers = await Promise.all(urls.map((url) => insist(() => url, '/api/notes', title)))
      acknowledged += answers.filter(({ status }) => status === 201).length
      wrong += answers.filter(({ status, text }) => status !== 201 || text !== answers[0]?.text).length
    }
  } finally {
    await other.stop('SIGKILL')
  }
  const figures = { ...judge(titles, await stored(service)), torn: 0, wrong }
  addFigures({ fault: 'one key at two instances', cycles: RACES, acknowledged, ...figures, recoveryMs: 0 })
  assert.equal(figures, { lost: 0, doubled: 0, torn: 0, wrong: 0 })
})

test('kill -9 under writers that send again what was not answered', async (world) => {
  const { service } = world
  const titles: string[] = []
  const wrong: Sent[] = []
  let [acknowledged, repeated, recoveryMs, done] = [0, 0, 0, false]
  const writer = async (name: string): Promise<void> => {
    for (let i = 0; !done; i++) {
      const title = `kill ${name} ${i}`
      const path = i % 4 === 0 ? '/api/pairs' : '/api/notes'
      const first = await send(service.url, path, title)
      if (passes(first)) repeated++
      const last = first !== undefined && !passes(first) ? first : await insist(() => service.url, path, title)
      if (last.status === 201) acknowledged++
      else wrong.push(last)
      titles.push(...(path === '/api/notes' ? [title] : [`${title} one`, `${title} two`]))
    }
  }
  const writers = Array.from({ length: WRITERS }, (_, i) => writer(String(i)))
  for (let cycle = 0; cycle < KILLS; cycle++) {
    await sleep(500 + Math.random() * 500)
    const killed = performance.now()
    await restart(world)
    assert.is((await fetch(`${service.url}/api/notes?per_page=1`)).status, 200)
    recoveryMs = Math.max(recoveryMs, performance.now() - killed)
  }
  done = true
  await Promise.all(writers)
  const figures = { ...judge(titles, await stored(service)), torn: 0, wrong: wrong.length }
  addFigures({ fault: 'kill -9, retries with keys', cycles: KILLS, acknowledged, ...figures, recoveryMs })
  assert.equal(figures, { lost: 0, doubled: 0, torn: 0, wrong: 0 })
  assert.ok(repeated >= KILLS, 'requests were sent again')
})
test.run()
