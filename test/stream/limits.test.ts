/** How many streams there may be, what becomes of slow readers, and what a stream does not hold. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { AGENT, BOSS, openWorld, RESOURCES, type World } from './world.ts'

let world: World
const test = suite('streams: limits')

test.before(async () => {
  const app = RESOURCES['app.yaml']!.replace('streamsPerCaller: 4', 'streamsPerCaller: 4, streams: 6')
  world = await openWorld({ ...RESOURCES, 'app.yaml': app })
})
test.after(() => world.close())

async function figure(name: string): Promise<number> {
  const { text } = await world.call('GET', '/metrics', { headers: { authorization: 'Bearer numbers' } })
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1])
}

test('one caller has so many streams, the instance so many, and each that ends makes room', async () => {
  const open = await Promise.all([1, 2, 3, 4].map(() => world.read(AGENT)))
  const fifth = await world.call('GET', '/tickets/stream', { token: AGENT })
  assert.is(fifth.status, 429)
  assert.is(fifth.body.code, 'too_many_requests')
  assert.ok(fifth.headers['retry-after'])
  const others = await Promise.all(['7', '8'].map((id) => world.read(`${id}:agent:tickets.all`)))
  const seventh = await world.call('GET', '/tickets/stream', { token: '9:agent:tickets.all' })
  assert.is(seventh.status, 503)
  assert.is(seventh.body.message, 'Too many streams are open; come back')
  assert.is(await figure('plinth_streams'), 6)
  for (const reading of [...open, ...others]) reading.close()
  await until(async () => (await figure('plinth_streams')) === 0)
  const again = await world.read(AGENT)
  assert.is(again.status, 200)
  again.close()
  await until(async () => (await figure('plinth_streams')) === 0)
})

test('a reader that takes nothing is cut off, holds nobody up, and goes on where it was', async () => {
  const [slow, quick] = await Promise.all([world.read(AGENT), world.read(AGENT)])
  slow.pause()
  const place = slow.lastId()
  const title = 'long '.repeat(50)
  const tags = Array.from({ length: 100 }, (_, at) => `${at} `.padEnd(250, 'x'))
  const ids: number[] = []
  while ((await figure('plinth_streams_cut_total')) === 0 && ids.length < 600)
    ids.push(await world.make('/tickets', { title, tags }))
  assert.is(await figure('plinth_streams_cut_total'), 1)
  await until(() => quick.events.length === ids.length + 1)
  const again = await world.read(AGENT, '/tickets/stream', place)
  await again.come(ids.length)
  assert.equal(
    again.told(),
    ids.map((id) => `created ${id}`),
  )
  for (const reading of [slow, quick, again]) reading.close()
})

test('an open stream holds no connection of the database and no place of a request', async () => {
  const open = await Promise.all([1, 2, 3].map(() => world.read(BOSS)))
  await until(() => world.engine.database.connections().every(({ used }) => used === 0))
  // Its own request, which asks.
  assert.is(await figure('plinth_admission_in_flight'), 0)
  for (const reading of open) reading.close()
})

test('HEAD and clients that take compressed answers get what they ask for', async () => {
  const head = await world.call('HEAD', '/tickets/stream', { token: BOSS })
  assert.is(head.status, 200)
  await until(async () => (await figure('plinth_streams')) === 0)
  const { follow } = await import('./client.ts')
  const reading = await follow(world.address, '/tickets/stream', {
    authorization: `Bearer ${BOSS}`,
    'accept-encoding': 'gzip, br',
  })
  await reading.come(1)
  assert.is(reading.headers['content-encoding'], undefined)
  reading.close()
})

test.run()
