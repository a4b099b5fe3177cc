/** What readers of a stream are told, each according to what its list shows it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import type { Reading } from './client.ts'
import { AGENT, ANN, BEN, BOSS, HELPER, LEAD, openWorld, readingsOf, type World } from './world.ts'

let world: World
const test = suite('streams: events')
const open = readingsOf(test)

test.before(async () => {
  world = await openWorld()
})
test.after(() => world.close())

async function read(token: string | undefined, path = '/tickets/stream'): Promise<Reading> {
  return open(world.address, token, path)
}

/** Makes a ticket that everybody in question sees, so that all that came before it has been told. */
async function settled(...some: Reading[]): Promise<readonly (readonly string[])[]> {
  const team = await world.make('/teams', { name: 'all', lead: 21 })
  const id = await world.make('/tickets', { title: 'the end', owner: 11, team_id: team })
  await world.make('/comments', { text: 'x', ticket_id: id, author: 31 })
  const last = `created ${id}`
  await until(() => some.every((reading) => reading.told().includes(last)))
  return some.map((reading) => reading.told(1).slice(0, reading.told(1).indexOf(last)))
}

test('a stream begins with the word to read the list', async () => {
  const reading = await read(AGENT)
  assert.match(reading.headers['content-type'] ?? '', /^text\/event-stream/)
  assert.is(reading.headers['cache-control'], 'no-store')
  assert.is(reading.headers['content-encoding'], undefined)
  assert.equal(reading.told(), ['reset new'])
  assert.match(reading.text(), /^retry: \d+\n\n/)
})

test('a record is created, changed, deleted and restored as the list shows it', async () => {
  const [agent, ann, ben] = await Promise.all([read(AGENT), read(ANN), read(BEN)])
  const id = await world.make('/tickets', {
    title: 'one',
    owner: 11,
    note: 'for notes only',
    tags: ['a', 'b'],
    price: '1.50',
  })
  await agent.come(2)
  assert.equal(agent.events[1]?.data, (await world.list(AGENT)).get(id))
  await ann.come(2)
  assert.equal(ann.events[1]?.data, (await world.list(ANN)).get(id))
  await world.write('PUT', `/tickets/${id}`, { title: 'two' })
  await agent.come(3)
  assert.is(agent.events[2]?.data.title, 'two')
  await world.write('DELETE', `/tickets/${id}`)
  await agent.come(4)
  await world.write('POST', `/tickets/${id}/restore`)
  await agent.come(5)
  const [all] = await settled(agent, ann)
  assert.equal(all, [`created ${id}`, `changed ${id}`, `deleted ${id}`, `created ${id}`])
  assert.equal(agent.events[3]?.data, { id }, 'a deleted record is its id alone')
  assert.equal(ben.told(), ['reset new'], 'who may not see it hears nothing')
  for (const reading of [agent, ann]) assert.not.match(reading.text(), /for notes only/)
})

test('a record that moves from one sight to another is deleted here and created there', async () => {
  const [agent, ann, ben] = await Promise.all([read(AGENT), read(ANN), read(BEN)])
  const id = await world.make('/tickets', { title: 'moves', owner: 11 })
  await ann.come(2)
  await world.write('PUT', `/tickets/${id}`, { owner: 12, title: 'for Ben' })
  await ben.come(2)
  const [forAgent, forAnn] = await settled(agent, ann)
  assert.equal(forAgent, [`created ${id}`, `changed ${id}`])
  assert.equal(forAnn, [`created ${id}`, `deleted ${id}`])
  assert.equal(ben.told(1), [`created ${id}`])
  assert.not.match(ann.text(), /for Ben/)
})

test('filters decide like rights, and those of one class share nothing but the statement', async () => {
  const [open, closed, other] = await Promise.all([
    read(AGENT, '/tickets/stream?status=open&title[contains]=filter'),
    read(AGENT, '/tickets/stream?status=closed&title[contains]=filter'),
    read(AGENT, '/tickets/stream?search=filtered'),
  ])
  const id = await world.make('/tickets', { title: 'filtered' })
  await open.come(2)
  await world.write('PUT', `/tickets/${id}`, { status: 'closed' })
  await closed.come(2)
  await open.come(3)
  await world.write('PUT', `/tickets/${id}`, { title: 'something else' })
  await closed.come(3)
  await other.come(4)
  assert.equal(open.told(1), [`created ${id}`, `deleted ${id}`])
  assert.equal(closed.told(1), [`created ${id}`, `deleted ${id}`])
  assert.equal(other.told(1), [`created ${id}`, `changed ${id}`, `deleted ${id}`])
})

test('a change of another record that decides about the sight is told as what it means here', async () => {
  const [lead, agent, helper] = await Promise.all([read(LEAD), read(AGENT), read(HELPER)])
  const team = await world.make('/teams', { name: 'reds', lead: 21 })
  const id = await world.make('/tickets', { title: 'of a team', team_id: team })
  await lead.come(2)
  await world.write('PUT', `/teams/${team}`, { lead: 22 })
  await lead.come(3)
  await world.write('PUT', `/teams/${team}`, { lead: 21 })
  await lead.come(4)
  await world.write('DELETE', `/teams/${team}`)
  await lead.come(5)
  await world.write('POST', `/teams/${team}/restore`)
  await lead.come(6)
  await world.write('PUT', `/teams/${team}`, { name: 'blues' })
  const comment = await world.make('/comments', { text: 'hi', ticket_id: id, author: 31 })
  await helper.come(2)
  await world.write('PUT', `/comments/${comment}`, { author: 32 })
  await helper.come(3)
  await world.write('PUT', `/comments/${comment}`, { author: 31 })
  await helper.come(4)
  const [forLead, forAgent] = await settled(lead, agent)
  const inAndOut = [`created ${id}`, `deleted ${id}`, `created ${id}`, `deleted ${id}`]
  assert.equal(forLead, [...inAndOut, `created ${id}`])
  assert.equal(helper.told(1).slice(0, 3), inAndOut.slice(0, 3))
  assert.equal(forAgent, [`created ${id}`], 'who saw it all the time hears of no change')
})

test('an internal comment is told when it becomes visible, and gone when it or its ticket is not any more', async () => {
  const ticket = await world.make('/tickets', { title: 'talk', owner: 11 })
  const [ann, boss] = await Promise.all([
    read(ANN, `/comments/stream?ticket_id=${ticket}`),
    read(BOSS, `/comments/stream?ticket_id=${ticket}`),
  ])
  const id = await world.make('/comments', { text: 'a secret', internal: true, ticket_id: ticket })
  await boss.come(2)
  await world.write('PUT', `/comments/${id}`, { text: 'fit for customers' })
  await boss.come(3)
  assert.equal(ann.told(1), [])
  await world.write('PUT', `/comments/${id}`, { internal: false })
  await ann.come(2)
  await world.write('PUT', `/tickets/${ticket}`, { owner: 12 })
  await ann.come(3)
  await world.write('PUT', `/tickets/${ticket}`, { owner: 11 })
  await ann.come(4)
  await world.write('DELETE', `/comments/${id}`)
  await ann.come(5)
  await boss.come(5)
  assert.equal(ann.told(1), [`created ${id}`, `deleted ${id}`, `created ${id}`, `deleted ${id}`])
  assert.equal(boss.told(1), [`created ${id}`, `changed ${id}`, `changed ${id}`, `deleted ${id}`])
  assert.not.match(ann.text(), /a secret/)
})

test('a reader may follow a condition of its own', async () => {
  const where = (title: string) =>
    encodeURIComponent(
      JSON.stringify({
        any: [{ title: { starts_with: title } }, { 'team.lead': 77 }, { comments: { count: { gt: 5 } } }],
      }),
    )
  const [wanted, other] = await Promise.all([
    read(AGENT, `/tickets/stream?where=${where('wanted')}`),
    read(AGENT, `/tickets/stream?where=${where('other')}`),
  ])
  const team = await world.make('/teams', { name: 'some', lead: 70 })
  const id = await world.make('/tickets', { title: 'wanted', owner: 11, team_id: team })
  await wanted.come(2)
  await world.write('PUT', `/tickets/${id}`, { title: 'other' })
  await Promise.all([wanted.come(3), other.come(2)])
  await world.write('PUT', `/teams/${team}`, { lead: 77 })
  await wanted.come(4)
  assert.equal(wanted.told(1), [`created ${id}`, `deleted ${id}`, `created ${id}`])
  assert.equal(other.told(1), [`created ${id}`])
  for (const query of ['where={"titel":1}', 'fields=id']) {
    const refused = await world.call('GET', `/tickets/stream?${query}`, { token: AGENT })
    assert.is(refused.status, 422, refused.text)
  }
})

test('of a change that does not show nothing is told', async () => {
  const [agent, boss] = await Promise.all([read(AGENT), read(BOSS)])
  const id = await world.make('/tickets', { title: 'noted' })
  await agent.come(2)
  await boss.come(2)
  await world.write('PUT', `/tickets/${id}`, { note: 'nobody knows' })
  await boss.come(3)
  const [forAgent, forBoss] = await settled(agent, boss)
  assert.equal(forAgent, [`created ${id}`])
  assert.equal(forBoss, [`created ${id}`, `changed ${id}`])
})

test('what was refused, rolled back or is no list is no stream', async () => {
  const agent = await read(AGENT)
  assert.is((await world.call('POST', '/tickets', { token: BOSS, body: {} })).status, 422)
  const [told] = await settled(agent)
  assert.equal(told, [])
  assert.is(
    (await world.call('GET', '/teams/stream', { token: BOSS })).status,
    404,
    'a resource without it has no route',
  )
  assert.is((await world.call('GET', '/tickets/stream')).status, 401)
  assert.is((await world.call('GET', '/tickets/stream', { token: '5:nobody:' })).status, 403)
  const refused = await world.call('GET', '/tickets/stream?page=2&note=x&nonsense=1', { token: AGENT })
  assert.is(refused.status, 422)
  assert.equal(Object.keys(refused.body.errors).sort(), ['page'])
  const unknown = await world.call('GET', '/tickets/stream?nonsense=1', { token: AGENT })
  assert.is(unknown.status, 422)
})

test.run()
