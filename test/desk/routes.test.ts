/** The route table of the contract: every route there is, its envelope, its status, and 401 without a token. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, type Desk, openDesk, PASSWORD } from './desk.ts'

let desk: Desk
const test = suite('desk: route table')

test.before(async () => {
  desk = await openDesk()
})
test.after(() => desk.close())

let unique = 0

/** A body that creates one record of each group; addresses and names never repeat. */
const BODIES: Readonly<Record<string, () => object>> = {
  '/tickets': () => ({ subject: 'Printer', details: 'Does not print' }),
  '/contacts': () => ({ first_name: 'Con', last_name: 'Tact' }),
  '/customers': () => account(),
  '/users': () => account(),
  '/organizations': () => ({ name: 'Acme' }),
  '/conversations': () => ({ ticket_id: ticketId, type: 'customer' }),
  '/settings/categories': () => ({ name: 'Category' }),
  '/settings/priorities': () => ({ name: 'Priority' }),
  '/settings/statuses': () => ({ name: 'Status' }),
  '/settings/departments': () => ({ name: 'Department' }),
  '/settings/types': () => ({ name: 'Type' }),
  '/settings/roles': () => ({ name: 'Role', permissions: [] }),
  '/knowledge-base': () => ({ title: 'Article', details: 'Text' }),
  '/faqs': () => ({ name: 'Question', details: 'Answer' }),
  '/posts': () => ({ title: 'Post', details: 'Text' }),
  '/notes': () => ({ name: 'Note' }),
}

/** Groups without a restore route. */
const FINAL = ['/settings/roles', '/knowledge-base', '/posts', '/notes']

let ticketId = 0

function account(): object {
  unique += 1
  return {
    first_name: 'A',
    last_name: 'B',
    email: `a${unique}@people.example`,
    password: PASSWORD,
    password_confirmation: PASSWORD,
  }
}

function isEnvelope(answer: Answer, success: boolean, what: string): void {
  assert.is(answer.at('success'), success, `${what}: ${answer.text}`)
  assert.match(String(answer.at('meta.timestamp')), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/, what)
  assert.is(answer.at('meta.version'), 'v1', what)
  if (!success) assert.type(answer.at('message'), 'string', what)
  assert.match(String(answer.headers['content-type']), /^application\/json/, what)
}

function isList(answer: Answer, what: string): void {
  assert.is(answer.status, 200, `${what}: ${answer.text}`)
  isEnvelope(answer, true, what)
  for (const key of ['current_page', 'per_page', 'total', 'last_page']) {
    assert.type(answer.at(`meta.pagination.${key}`), 'number', `${what}: ${key}`)
  }
}

async function make(group: string): Promise<Answer> {
  if (ticketId === 0) {
    const ticket = await desk.post('/tickets', desk.admin, { subject: 'First', details: 'One' })
    ticketId = Number(ticket.at('data.id'))
  }
  const body = BODIES[group]?.()
  return desk.post(group, desk.admin, body)
}

for (const group of Object.keys(BODIES)) {
  test(`${group}: list, create, get, PUT, PATCH, DELETE${FINAL.includes(group) ? '' : ', restore'}`, async () => {
    const made = await make(group)
    assert.is(made.status, 201, made.text)
    isEnvelope(made, true, group)
    const path = `${group}/${made.at('data.id')}`
    isList(await desk.get(group, desk.admin), group)
    const read = await desk.get(path, desk.admin)
    assert.is(read.status, 200)
    assert.match(String(read.at('data.created_at')), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    for (const method of ['PUT', 'PATCH']) {
      const changed = await desk.call(method, path, { as: desk.admin, body: {} })
      assert.is(changed.status, 200, `${method} ${path}: ${changed.text}`)
      assert.equal(changed.at('data'), read.at('data'))
    }
    const removed = await desk.remove(path, desk.admin)
    assert.is(removed.status, 204)
    assert.is(removed.text, '')
    const gone = await desk.get(path, desk.admin)
    assert.is(gone.status, 404)
    isEnvelope(gone, false, path)
    const restored = await desk.post(`${path}/restore`, desk.admin)
    assert.is(restored.status, FINAL.includes(group) ? 404 : 200, restored.text)
    if (FINAL.includes(group)) assert.is(restored.at('message'), 'Route not found')
    else assert.is((await desk.get(path, desk.admin)).status, 200)
  })

  test(`${group}: 401 without a token, on every route`, async () => {
    const routes = [
      ['GET', group],
      ['POST', group],
      ['GET', `${group}/1`],
      ['PUT', `${group}/1`],
      ['PATCH', `${group}/1`],
      ['DELETE', `${group}/1`],
      ...(FINAL.includes(group) ? [] : [['POST', `${group}/1/restore`]]),
    ] as const
    for (const [method, path] of routes) await refusedWithoutToken(String(method), String(path))
  })
}

async function refusedWithoutToken(method: string, path: string): Promise<void> {
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
  const answer = await desk.call(method, path, body)
  assert.is(answer.status, 401, `${method} ${path}: ${answer.text}`)
  assert.is(answer.at('message'), 'Unauthenticated')
  isEnvelope(answer, false, `${method} ${path}`)
  assert.is(answer.headers['www-authenticate'], 'Bearer')
  assert.type(answer.headers['x-ratelimit-limit'], 'string')
}

const SPECIAL: readonly (readonly [string, string])[] = [
  ['GET', '/auth/me'],
  ['POST', '/auth/logout'],
  ['GET', '/users/pending'],
  ['POST', '/users/pending/1/approve'],
  ['POST', '/users/pending/1/decline'],
  ['POST', '/tickets/1/comments'],
  ['GET', '/tickets/1/comments'],
  ['GET', '/tickets/1/conversations'],
  ['POST', '/conversations/1/messages'],
  ['GET', '/conversations/1/messages'],
  ['POST', '/conversations/1/mark-read'],
]

test('the special routes answer 401 without a token', async () => {
  for (const [method, path] of SPECIAL) await refusedWithoutToken(method, path)
})

test('the routes below tickets and conversations answer with the status of the contract', async () => {
  const ticket = `/tickets/${(await make('/tickets')).at('data.id')}`
  assert.is((await desk.post(`${ticket}/comments`, desk.admin, { comment: 'c' })).status, 201)
  isList(await desk.get(`${ticket}/comments`, desk.admin), 'comments')
  isList(await desk.get(`${ticket}/conversations`, desk.admin), 'conversations')
  const conversation = `/conversations/${(await make('/conversations')).at('data.id')}`
  assert.is((await desk.post(`${conversation}/messages`, desk.admin, { message: 'm' })).status, 201)
  isList(await desk.get(`${conversation}/messages?page=1&per_page=5`, desk.admin), 'messages')
  assert.is((await desk.post(`${conversation}/mark-read`, desk.admin)).status, 200)
})

test('the routes of sign-in need no token', async () => {
  for (const path of ['/auth/login', '/auth/register', '/auth/password/reset', '/auth/password/reset/some-token']) {
    const answer = await desk.post(path, undefined, {})
    assert.is(answer.status, 422, path)
    assert.is(answer.at('message'), 'Validation failed')
    isEnvelope(answer, false, path)
  }
})

test('ids that are none are not found, whatever they look like', async () => {
  for (const id of ['abc', '0', '-1', '1.0', '01', '99999999999999999999']) {
    const answer = await desk.get(`/contacts/${id}`, desk.admin)
    assert.is(answer.status, 404, id)
    assert.is(answer.at('message'), 'Contact not found')
  }
})

test('what the contract does not name is not there', async () => {
  for (const path of [
    '/access-tokens',
    '/password-resets',
    '/message-reads',
    '/ticket-comments',
    '/messages',
    '/roles',
    '/pending-users',
  ]) {
    const answer = await desk.get(path, desk.admin)
    assert.is(answer.status, 404, path)
    assert.is(answer.at('message'), 'Route not found')
  }
  const wrong = await desk.call('DELETE', '/auth/login')
  assert.is(wrong.status, 405)
  assert.match(String(wrong.headers.allow), /POST/)
})

test.run()
