/** GET /stream?of=…: several lists in one stream. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { follow, type Reading } from './client.ts'
import { AGENT, ANN, BOSS, openWorld, type World } from './world.ts'

const test = suite('streams: several lists')
let world: World
const open: Reading[] = []

test.before(async () => {
  world = await openWorld()
})
test.after(() => world.close())
test.after.each(() => {
  for (const one of open.splice(0)) one.close()
})

function pathOf(...lists: readonly string[]): string {
  return `/stream?${lists.map((list) => `of=${encodeURIComponent(list)}`).join('&')}`
}

async function read(token: string, lists: readonly string[], lastId?: string): Promise<Reading> {
  const headers = { authorization: `Bearer ${token}`, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) }
  const reading = await follow(world.address, pathOf(...lists), headers)
  open.push(reading)
  return reading
}

const told = ({ events }: Reading): readonly string[] =>
  events.map(({ data, event }) => {
    const { data: inner, of } = data as { data?: { id?: number }; of?: number }
    return `${of} ${event}${inner?.id === undefined ? '' : ` ${inner.id}`}`
  })

test('each event says of which list it is, and each list is told what its reader sees', async () => {
  const reading = await read(ANN, ['tickets?status=open', 'comments'])
  assert.is(reading.status, 200)
  await reading.come(2)
  assert.equal([...told(reading)].sort(), ['0 reset', '1 reset'])
  const ticket = await world.make('/tickets', { title: 'Mine', owner: 11 })
  await world.make('/tickets', { title: 'Of others', owner: 12 })
  await reading.come(3)
  const comment = await world.make('/comments', { text: 'hello', ticket_id: ticket })
  await reading.come(4)
  assert.equal(told(reading).slice(2), [`0 created ${ticket}`, `1 created ${comment}`])
  await world.write('PUT', `/tickets/${ticket}`, { status: 'closed' })
  await reading.come(5)
  assert.is(told(reading).at(-1), `0 deleted ${ticket}`)
})

test('it goes on behind the last event, for all lists', async () => {
  const lists = ['tickets', 'comments']
  const first = await read(AGENT, lists)
  await first.come(2)
  const ticket = await world.make('/tickets', { title: 'Before' })
  await first.come(3)
  const lastId = first.lastId()
  first.close()
  const comment = await world.make('/comments', { text: 'meanwhile', ticket_id: ticket })
  await world.write('PUT', `/tickets/${ticket}`, { title: 'After' })
  const again = await read(AGENT, lists, lastId)
  await again.come(2)
  assert.equal([...told(again)].sort(), [`0 changed ${ticket}`, `1 created ${comment}`])
  const other = await read(AGENT, ['tickets'], lastId)
  await other.come(1)
  assert.equal(told(other), ['0 reset'])
})

test('what cannot be followed is refused whole, at its place', async () => {
  const refused = async (token: string, path: string) => {
    const { body, status } = await world.call('GET', path, { token })
    return [status, Object.keys(body.errors ?? {}).join()]
  }
  assert.equal(await refused(AGENT, '/stream'), [422, 'of'])
  assert.equal(await refused(AGENT, '/stream?status=open&of=tickets'), [422, 'status'])
  assert.equal(await refused(AGENT, pathOf('tickets', 'teams')), [422, 'of.1'])
  assert.equal(await refused(AGENT, pathOf('tickets', 'nothing')), [422, 'of.1'])
  assert.equal(await refused(AGENT, pathOf('tickets?status=x', 'comments')), [422, 'of.0.status'])
  assert.equal(await refused(ANN, pathOf('tickets', 'tickets?note=x')), [422, 'of.1.note'])
  assert.equal(await refused('31:nobody:', pathOf('tickets')), [403, ''])
  assert.equal(await refused(BOSS, pathOf(...Array(5).fill('tickets'))), [422, 'of'])
})

test('its lists count as streams, and leave together', async () => {
  const { streams } = { streams: await read(BOSS, ['tickets', 'comments', 'tickets?status=open']) }
  await streams.come(3)
  const { status } = await world.call('GET', pathOf('tickets', 'comments'), { token: BOSS })
  assert.is(status, 429)
  streams.close()
  await until(async () => {
    const again = await read(BOSS, ['tickets', 'comments', 'tickets?status=open'])
    again.close()
    return again.status === 200
  })
})

test.run()
