/** Going on behind an event: at another instance, after a restart, in the middle of a batch, and where the log does not reach. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createEngine, type Engine } from '../../engine/engine.ts'
import { SILENT } from '../support/database.ts'
import { until } from '../support/wait.ts'
import type { Reading } from './client.ts'
import { AGENT, ANN, ARCHIVIST, BEN, LEAD, openWorld, RESOURCES, readingsOf, type World } from './world.ts'

let world: World
const test = suite('streams: going on')
const open = readingsOf(test)

test.before(async () => {
  world = await openWorld()
})
test.after(() => world.close())

async function read(
  token: string,
  path = '/tickets/stream',
  lastId?: string,
  address = world.address,
): Promise<Reading> {
  return open(address, token, path, lastId)
}

async function second(): Promise<{ readonly engine: Engine; readonly url: string }> {
  const { settings } = world.engine.app.foundation
  const made = await createEngine({ settings, log: SILENT, database: world.engine.database })
  if (made.value === undefined) throw new Error('the second instance did not start')
  return { engine: made.value, url: (await made.value.listen()).url }
}

test('whoever comes back hears what happened meanwhile, once for each record, and nothing of what he never saw', async () => {
  const [agent, ann] = await Promise.all([read(AGENT), read(ANN)])
  const id = await world.make('/tickets', { title: 'first', owner: 11 })
  await Promise.all([agent.come(2), ann.come(2)])
  agent.close()
  ann.close()
  await world.write('PUT', `/tickets/${id}`, { title: 'second' })
  await world.write('PUT', `/tickets/${id}`, { title: 'third', owner: 12 })
  const passing = await world.make('/tickets', { title: 'comes and goes', owner: 11 })
  await world.write('DELETE', `/tickets/${passing}`)
  const other = await world.make('/tickets', { title: 'another', owner: 11 })
  const [again, annAgain] = await Promise.all([
    read(AGENT, undefined, agent.lastId()),
    read(ANN, undefined, ann.lastId()),
  ])
  await again.come(2)
  await annAgain.come(2)
  assert.equal(again.told(), [`changed ${id}`, `created ${other}`])
  assert.is(again.events[0]?.data.title, 'third')
  assert.equal(annAgain.told(), [`deleted ${id}`, `created ${other}`])
  await world.write('DELETE', `/tickets/${other}`)
  await again.come(3)
  assert.equal(again.told(2), [`deleted ${other}`])
})

test('a reader cut off in the middle of a batch goes on behind the last event that arrived', async () => {
  const agent = await read(AGENT)
  const ids = []
  agent.close()
  for (const title of ['a', 'b', 'c', 'd']) ids.push(await world.make('/tickets', { title, owner: 11 }))
  const whole = await read(AGENT, undefined, agent.lastId())
  await whole.come(4)
  assert.equal(
    whole.told(),
    ids.map((id) => `created ${id}`),
  )
  whole.close()
  await world.write('PUT', `/tickets/${ids[0]}`, { title: 'a again' })
  const part = await read(AGENT, undefined, whole.events[1]!.id)
  await part.come(3)
  assert.equal(part.told(), [`changed ${ids[0]}`, `created ${ids[2]}`, `created ${ids[3]}`])
})

test('a record that leaves while its deleted parent is restored is told as gone', async () => {
  const team = await world.make('/teams', { name: 'comes back', lead: 77 })
  const other = await world.make('/teams', { name: 'another', lead: 78 })
  const id = await world.make('/tickets', { title: 'of a team', team_id: team })
  await world.write('DELETE', `/teams/${team}`)
  const reading = await read(ARCHIVIST)
  assert.ok((await world.list(ARCHIVIST)).has(id))
  reading.close()
  await world.write('POST', `/teams/${team}/restore`)
  await world.write('PUT', `/tickets/${id}`, { team_id: other })
  const again = await read(ARCHIVIST, undefined, reading.lastId())
  await again.come(1)
  assert.equal(again.told(), [`deleted ${id}`])
})

test('nothing is told again of what was gone before, and no change that left everything as it was', async () => {
  const team = await world.make('/teams', { name: 'of the gone', lead: 21 })
  const gone = await world.make('/tickets', { title: 'gone', team_id: team })
  const kept = await world.make('/tickets', { title: 'kept', owner: 11 })
  await world.write('DELETE', `/tickets/${gone}`)
  const [lead, ann] = await Promise.all([read(LEAD), read(ANN)])
  lead.close()
  ann.close()
  await world.write('PUT', `/teams/${team}`, { lead: 22 })
  await world.write('DELETE', `/tickets/${kept}`)
  await world.write('POST', `/tickets/${kept}/restore`)
  for (const title of ['other', 'kept']) await world.write('PUT', `/tickets/${kept}`, { title })
  const end = await world.make('/tickets', {
    title: 'end',
    owner: 11,
    team_id: await world.make('/teams', { name: 'end', lead: 21 }),
  })
  const again = await Promise.all([read(LEAD, undefined, lead.lastId()), read(ANN, undefined, ann.lastId())])
  for (const one of again) await one.come(1)
  assert.equal(
    again.map((one) => one.told()),
    [[`created ${end}`], [`created ${end}`]],
  )
})

test('a reader cut off in the middle hears of the others as they were when it heard of each', async () => {
  const team = await world.make('/teams', { name: 'asleep', lead: 21 })
  const ids: number[] = []
  for (const title of ['a', 'b', 'c']) ids.push(await world.make('/tickets', { title, team_id: team }))
  await world.write('DELETE', `/teams/${team}`)
  const lead = await read(LEAD)
  lead.close()
  await world.write('POST', `/teams/${team}/restore`)
  const whole = await read(LEAD, undefined, lead.lastId())
  await whole.come(3)
  assert.equal(
    whole.told(),
    ids.map((id) => `created ${id}`),
  )
  whole.close()
  await world.write('PUT', `/tickets/${ids[1]}`, { title: 'b again' })
  const part = await read(LEAD, undefined, whole.events[0]!.id)
  await part.come(2)
  assert.equal(part.told(), [`created ${ids[1]}`, `created ${ids[2]}`])
  part.close()
  // And cut off once more.
  await world.write('PUT', `/teams/${team}`, { lead: 22 })
  const third = await read(LEAD, undefined, part.events[0]!.id)
  await third.come(2)
  assert.equal(third.told(), [`deleted ${ids[0]}`, `deleted ${ids[1]}`])
})

test('a sign of life brings the place along, so that an idle reader does not fall out of the log', async () => {
  const agent = await read(AGENT)
  const at = agent.lastId()
  await world.make('/teams', { name: 'nothing to readers of tickets' })
  await until(() => agent.lastId() !== at)
  assert.equal(agent.told(), ['reset new'])
  agent.close()
  const again = await read(AGENT, undefined, agent.lastId())
  const id = await world.make('/tickets', { title: 'after' })
  await again.come(1)
  assert.equal(again.told(), [`created ${id}`])
})

test('with other rights, another question, or a place that the log has left, the list has to be read again', async () => {
  const ann = await read(ANN)
  const id = ann.lastId()
  const [sight, at, snapshot] = id.split('.')
  const old = `${sight}.${Number(at) - 8 * 86_400_000}.${snapshot}`
  const elsewhere = `${sight}.${at}.9000000000000:9000000000000:`
  for (const [token, path, last, reason] of [
    [BEN, '/tickets/stream', id, 'access'],
    [LEAD, '/tickets/stream', id, 'access'],
    [ANN, '/tickets/stream?status=open', id, 'access'],
    [ANN, '/tickets/stream', old, 'expired'],
    [ANN, '/tickets/stream', elsewhere, 'expired'],
    [ANN, '/tickets/stream', 'nonsense', 'expired'],
    [ANN, '/tickets/stream', `${sight}.${at}.5:3:`, 'expired'],
    [ANN, '/tickets/stream', `${id}.${'1'.repeat(9_000)}`, 'expired'],
  ] as const) {
    const reading = await read(token, path, last)
    await reading.come(1)
    assert.equal(reading.told(), [`reset ${reason}`], last)
    reading.close()
  }
})

test('another instance hears of writes and goes on where this one ended', async () => {
  const other = await second()
  try {
    const agent = await read(AGENT)
    const there = await read(AGENT, undefined, undefined, other.url)
    const id = await world.make('/tickets', { title: 'heard everywhere' })
    await agent.come(2)
    await there.come(2)
    assert.equal(there.told(), agent.told())
    agent.close()
    await world.write('PUT', `/tickets/${id}`, { title: 'changed while away' })
    await there.come(3)
    const moved = await read(AGENT, undefined, agent.lastId(), other.url)
    await moved.come(1)
    assert.equal(moved.told(), [`changed ${id}`])
  } finally {
    await other.engine.close()
  }
})

test('a server that stops ends its streams with their place, and another one goes on', async () => {
  const first = await second()
  const readers = await Promise.all([AGENT, ANN, LEAD].map((token) => read(token, undefined, undefined, first.url)))
  const id = await world.make('/tickets', { title: 'before', owner: 11 })
  await readers[0]!.come(2)
  const closing = first.engine.close()
  await until(() => readers.every((reader) => reader.ended()))
  await world.write('PUT', `/tickets/${id}`, { title: 'between' })
  await closing
  const next = await second()
  try {
    const again = await Promise.all(
      readers.map((reader, at) => read([AGENT, ANN, LEAD][at]!, undefined, reader.lastId(), next.url)),
    )
    const last = await world.make('/tickets', { title: 'after', owner: 11 })
    await again[0]!.come(2)
    await again[1]!.come(2)
    assert.equal(again[0]!.told(), [`changed ${id}`, `created ${last}`])
    assert.equal(again[1]!.told(), [`changed ${id}`, `created ${last}`])
    assert.equal(again[2]!.told(), [])
  } finally {
    await next.engine.close()
  }
})

test('new YAML ends the streams; whoever asks for the same goes on', async () => {
  const agent = await read(AGENT)
  assert.equal(await world.engine.reload(), [])
  await until(() => agent.ended())
  const id = await world.make('/tickets', { title: 'after the change' })
  const again = await read(AGENT, undefined, agent.lastId())
  await again.come(1)
  assert.equal(again.told(), [`created ${id}`])
})

test('where too much changed to tell, the list has to be read again by those whom it concerns', async () => {
  const app = RESOURCES['app.yaml']!.replace('limits: {', 'limits: { streamChanges: 3,')
  const small = await openWorld({ ...RESOURCES, 'app.yaml': app })
  try {
    const team = await small.make('/teams', { name: 'reds', lead: 22 })
    const [agent, lead] = await Promise.all([small.read(AGENT), small.read(LEAD)])
    for (let at = 1; at <= 4; at++) {
      await small.make('/tickets', { title: `${at}`, team_id: team })
      await agent.come(1 + at)
    }
    await small.write('PUT', `/teams/${team}`, { lead: 21 })
    await lead.come(2)
    assert.equal(lead.told(1), ['reset overflow'])
    assert.is((await small.list(LEAD)).size, 4)
    assert.is(agent.told().length, 5, 'whoever saw them all the time is not concerned')
    const late = await small.read(AGENT, undefined, agent.events[0]!.id)
    await late.come(1)
    assert.equal(late.told(), ['reset expired'])
    for (const reading of [agent, lead, late]) reading.close()
  } finally {
    await small.close()
  }
})

test.run()
