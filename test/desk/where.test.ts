/** `where` at the desk: the example of the page for admins, exports and streams, and what a customer can ask. */
import { readFile } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LIMITS } from '../../engine/limits.ts'
import { type Desk, openDesk, type Person } from './desk.ts'

const test = suite('desk: where')
let desk: Desk
let carla: Person
let carl: Person
let anna: Person
const tickets: number[] = []

test.before(async () => {
  desk = await openDesk()
  anna = await desk.person('agent', 'Anna')
  carla = await desk.person('customer', 'Carla')
  carl = await desk.person('customer', 'Carl')
  const high = await desk.setting('priorities', 'High')
  for (const [person, more] of [
    [carla, { priority_id: high }],
    [carl, {}],
    [carla, {}],
  ] as const) {
    const answer = await desk.post('/tickets', desk.admin, {
      subject: `Of ${person.email}`,
      details: 'Broken',
      user_id: person.id,
      ...more,
    })
    assert.is(answer.status, 201, answer.text)
    tickets.push(Number(answer.at('data.id')))
  }
  const comments = [
    [carla, 0, { comment: 'It smokes' }],
    [anna, 0, { comment: 'An arsonist, I think', is_internal: true }],
  ] as const
  for (const [person, at, body] of comments)
    assert.is((await desk.post(`/tickets/${tickets[at]}/comments`, person, body)).status, 201)
})
test.after(() => desk.close())

const path = (where: unknown, more = ''): string => `/tickets?where=${encodeURIComponent(JSON.stringify(where))}${more}`

async function found(where: unknown, as: Person): Promise<readonly number[]> {
  const answer = await desk.get(path(where, '&sort=id'), as)
  assert.is(answer.status, 200, answer.text)
  return answer.list.map(({ id }) => tickets.indexOf(Number(id)))
}

test('the example of the page for admins finds what it says', async () => {
  const page = await readFile('resources/guide/lists-and-filters.md', 'utf8')
  const [, example = ''] = /^GET \/api\/v1\/tickets\?where=(\{.*\})$/m.exec(page) ?? []
  const written = JSON.parse(example.replace('acme.example', 'people.example'))
  assert.equal(await found(written, desk.admin), [0])
  assert.equal(await found({ ...written, 'priority.name': { not_in: ['High', 'Critical'] } }, desk.admin), [1, 2])
})

test('an internal comment is found by those who may read it alone', async () => {
  for (const where of [
    { comments: { some: { 'user.email': anna.email } } },
    { 'comments.comment': { contains: 'arsonist' } },
    { comments: { count: { gt: 1 } } },
  ]) {
    assert.equal(await found(where, anna), [0], JSON.stringify(where))
    assert.equal(await found(where, carla), [], JSON.stringify(where))
  }
  assert.equal(await found({ 'comments.comment': { contains: 'smokes' } }, carla), [0])
  const parameter = await desk.get('/tickets?comments.comment[contains]=arsonist', carla)
  assert.equal(parameter.list, [])
})

test('what answers show beside a record may be asked for, and nothing else of it', async () => {
  assert.is((await desk.put(`/tickets/${tickets[0]}`, desk.admin, { assigned_to: anna.id })).status, 200)
  assert.equal(await found({ 'assignedTo.email': { starts_with: 'anna' } }, carla), [0])
  assert.equal(await found({ 'assignedTo.status': 'active' }, anna), [0])
  // A customer sees its own account and no other.
  assert.equal(await found({ 'assignedTo.status': 'active' }, carla), [])
  assert.equal(await found({ 'user.status': 'active' }, carla), [0, 2])
})

test('what may not be read is refused as what is not there', async () => {
  for (const name of ['sla_state', 'slaTarget', 'cc', 'nothing_like_it']) {
    const answer = await desk.get(path({ [name]: 'x' }), carla)
    assert.is(answer.status, 422)
    const [start, known = ''] = answer.body.errors[`where.${name}`][0].split('; ')
    assert.is(start, `Unknown field "${name}"`)
    assert.match(known, /^(known here: id, |did you mean)/)
    assert.not.match(known, /sla_state|first_response_due_at|\bcc\b/)
  }
})

test('exports follow it', async () => {
  const answer = await desk.get(path({ 'user.email': carl.email }).replace('?', '/export?'), desk.admin)
  assert.is(answer.status, 200)
  assert.match(answer.text, /Of carl@people\.example/)
  assert.not.match(answer.text, /Of carla@people\.example/)
})

test('parts of records go with the desk, and not with its exports and streams', async () => {
  const answer = await desk.get('/tickets?fields=id,uid,status.name,priority.name&include=comments(1)&sort=id', carla)
  const [{ uid, ...ticket } = {}] = answer.list
  assert.match(String(uid), /^\d+$/)
  assert.equal(ticket, { id: tickets[0], status: { name: 'Open' }, priority: { name: 'High' } })
  const [more = {}] = (await desk.get('/tickets?include=comments(1),attachments&sort=id', carla)).list
  assert.is((more.comments as readonly unknown[]).length, 1)
  const single = await desk.get(`/tickets/${tickets[0]}?fields=id,comments.comment`, carla)
  assert.equal(single.body.data, { id: tickets[0], comments: [{ comment: 'It smokes' }] })
  for (const path of ['/tickets/export?fields=id', '/ticket-comments/stream?omit=id']) {
    const refused = await desk.get(path, desk.admin)
    assert.is(refused.status, 422, `${path}: ${refused.text}`)
  }
})

test('the examples of the document are good for every list whose ids are whole numbers', async () => {
  const { body: document } = await desk.get('//openapi.json')
  const where = document.components.parameters.Where.example
  const query = document.components.requestBodies.ListQuery.content['application/json'].schema.example
  const lists = Object.keys(document.paths).filter((path) => {
    if (!path.endsWith('/query') || path.includes('{')) return false
    const parameters = document.paths[path.replace(/\/query$/, '')].get.parameters as readonly { $ref?: string }[]
    return parameters.some(({ $ref }) => $ref === '#/components/parameters/Where')
  })
  assert.ok(lists.length > 15, `${lists.length} lists`)
  for (const path of lists) {
    const list = `/${path.replace(/\/query$/, '')}`
    const found = await desk.get(`${list}?where=${encodeURIComponent(where)}&fields=id&omit=id`, desk.admin)
    assert.is(found.status, 200, `${list}: ${found.text}`)
    const asked = await desk.post(`/${path}`, desk.admin, query)
    assert.is(asked.status, 200, `${path}: ${asked.text}`)
  }
})

test('its length is limited', async () => {
  const where = { subject: Array.from({ length: 190 }, (_, at) => `${at}`) }
  assert.is((await desk.get(path(where), anna)).status, 200)
  const long = await desk.get(path({ subject: 'x'.repeat(LIMITS.queryBytes) }), anna)
  assert.is(long.status, 400)
})

test.run()
