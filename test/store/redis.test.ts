/** Redis stops answering: no caller waits, limits hold, and it reconnects by itself. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openStore } from '../../engine/store/open-store.ts'
import type { Store } from '../../engine/store/store.ts'
import { remembering } from '../http/log.ts'
import { freePort } from '../support/port.ts'
import { until } from '../support/wait.ts'

function startRedis(port: number): ChildProcess {
  return spawn('redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no'], { stdio: 'ignore' })
}

/** `what`, as soon as everything that is ready has run: a promise that waits for nobody is settled before. */
const nextTurn = <T>(what: T) => new Promise<T>((resolve) => setImmediate(() => resolve(what)))

interface World {
  port: number
  server: ChildProcess
  stores: Store[]
}

const test = suite<World>('store: redis outage')

test.before.each(async (world) => {
  world.port = await freePort()
  world.server = startRedis(world.port)
  world.stores = []
})
test.after.each(async (world) => {
  for (const store of world.stores) await store.close()
  world.server.kill('SIGKILL')
})

async function opened(world: World, log = remembering().log): Promise<Store> {
  const store = await openStore({ redisUrl: `redis://127.0.0.1:${world.port}` }, log, 'plinth')
  world.stores.push(store)
  return store
}

async function shared(world: World): Promise<readonly [Store, Store]> {
  const [a, b] = [await opened(world), await opened(world)]
  let round = 0
  await until(async () => {
    round += 1
    await a.hit('warm', String(round), 60_000, Date.now())
    return (await b.hit('warm', String(round), 60_000, Date.now())).count === 2
  })
  return [a, b]
}

test('two instances count together', async (world) => {
  const [a, b] = await shared(world)
  await a.hit('auth', 'x', 60_000, Date.now())
  assert.is((await b.hit('auth', 'x', 60_000, Date.now())).count, 2)
})

test('a process that was busy reads the answer that came meanwhile before it counts alone', async (world) => {
  const { log, lines } = remembering()
  const [a, b] = await shared(world)
  const busy = await opened(world, log)
  await until(async () => {
    await busy.hit('general', 'x', 60_000, Date.now())
    return (await a.hit('general', 'x', 60_000, Date.now())).count > 1
  })
  const { count } = await b.hit('general', 'x', 60_000, Date.now())
  const asked = busy.hit('general', 'x', 60_000, Date.now())
  await nextTurn('sent')
  for (const end = performance.now() + 200; performance.now() < end; );
  assert.is((await asked).count, count + 1)
  assert.equal(lines, [])
})

test('a server that takes connections and says nothing holds no start up', async (world) => {
  await shared(world)
  world.server.kill('SIGSTOP')
  const store = await opened(world)
  assert.is((await store.hit('auth', 'x', 60_000, Date.now())).count, 1)
  world.server.kill('SIGCONT')
})

test('a message reaches the other instance', async (world) => {
  const [a, b] = await shared(world)
  const heard: string[] = []
  b.subscribe('lookup', (message) => heard.push(message))
  await until(async () => {
    if (heard.length === 0) await a.publish('lookup', 'statuses')
    return heard.includes('statuses')
  })
})

test('messages that cannot be read, or that a listener cannot use, cost one line of the log', async (world) => {
  const { log, lines } = remembering()
  await shared(world)
  const store = await opened(world, log)
  const heard: string[] = []
  store.subscribe('lookup', (message) => {
    if (message !== 'good') throw new Error('no such table')
    heard.push(message)
  })
  const stranger = new Redis(world.port)
  const send = (message: unknown) =>
    stranger.publish('plinth:messages', typeof message === 'string' ? message : JSON.stringify(message))
  const malformed = fc.oneof(
    fc.constantFrom('', '{', 'null', '[]', '{"from":1}', '{"channel":"lookup","message":"good"}'),
    fc.record({ from: fc.string(), channel: fc.oneof(fc.integer(), fc.constant(null)), message: fc.string() }),
    fc.record({ from: fc.string(), channel: fc.constant('lookup'), message: fc.oneof(fc.integer(), fc.object()) }),
  )
  try {
    const good = { from: 'another', channel: 'lookup', message: 'good' }
    await until(async () => {
      await send(good)
      return heard.length > 0
    })
    for (const message of fc.sample(malformed, 100)) await send(message)
    for (let count = 0; count < 100; count += 1) await send({ ...good, message: 'bad' })
    const before = heard.length
    await until(async () => {
      await send(good)
      return heard.length > before
    })
  } finally {
    stranger.disconnect()
  }
  assert.equal(lines.map(({ message }) => message).sort(), [
    'a message over Redis cannot be read',
    'a store listener failed',
  ])
})

test('only the first caller waits for a frozen Redis, and the count goes on from where it stood', async (world) => {
  const [a] = await shared(world)
  for (let i = 0; i < 4; i += 1) await a.hit('auth', 'x', 60_000, Date.now())
  world.server.kill('SIGSTOP')
  const counts: (number | string)[] = [(await a.hit('auth', 'x', 60_000, Date.now())).count]
  for (let i = 1; i < 20; i += 1) {
    const answered = a.hit('auth', 'x', 60_000, Date.now()).then(({ count }) => count)
    counts.push(await Promise.race([answered, nextTurn('waited')]))
  }
  world.server.kill('SIGCONT')
  assert.equal(
    counts,
    Array.from({ length: 20 }, (_, i) => i + 5),
  )
})

test('a dead Redis is counted without, logged once, and used again when it is back', async (world) => {
  const { log, lines } = remembering()
  const store = await opened(world, log)
  await until(async () => (await store.hit('warm', 'x', 60_000, Date.now())).count > 0)
  world.server.kill('SIGKILL')
  await until(() => lines.some(({ level }) => level === 'warn'))
  for (let i = 1; i <= 50; i += 1) assert.is((await store.hit('auth', 'y', 60_000, Date.now())).count, i)
  assert.is(lines.filter(({ level }) => level === 'warn').length, 1)
  world.server = startRedis(world.port)
  await until(async () => {
    await store.hit('auth', 'z', 60_000, Date.now())
    return lines.some(({ message }) => message?.includes('back') ?? false)
  })
})

test('an instance is told that it may have missed messages, and hears again after the outage', async (world) => {
  const [a, b] = await shared(world)
  let missed = 0
  const heard: string[] = []
  b.subscribe(
    'lookup',
    (message) => heard.push(message),
    () => {
      missed += 1
    },
  )
  await until(async () => {
    await a.publish('lookup', 'before')
    return heard.includes('before')
  })
  world.server.kill('SIGKILL')
  await until(() => missed > 0)
  world.server = startRedis(world.port)
  await until(async () => {
    await a.publish('lookup', 'again')
    return heard.includes('again')
  })
  assert.ok(missed >= 2, 'once when the connection broke and once when it came back')
})

// The outages need a Redis of their own to stop and start.
if (spawnSync('redis-server', ['--version']).status === 0) test.run()

const absent = suite('store: redis absent')

absent('opens and counts although no Redis is there', async () => {
  const store = await openStore({ redisUrl: `redis://127.0.0.1:${await freePort()}` }, remembering().log, 'plinth')
  assert.is((await store.hit('auth', 'x', 60_000, Date.now())).count, 1)
  await store.publish('lookup', 'nobody')
  await store.close()
})

absent.run()
